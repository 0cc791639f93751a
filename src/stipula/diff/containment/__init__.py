"""Containment of JSON Schemas: contained, not contained with a witness, or undecided with the reason.

The theory and what stays undecided: docs/explanation/containment.md.
"""

from stipula.diff.containment.answers import (
    Contained,
    Containment,
    InvalidSchema,
    NotContained,
    Undecided,
    UnknownDialect,
)
from stipula.diff.containment.engine import contains

__all__ = ["Contained", "Containment", "InvalidSchema", "NotContained", "Undecided", "UnknownDialect", "contains"]
