"""Stipula keeps the wires of an LLM application honest."""

__version__ = "0.1.0"
