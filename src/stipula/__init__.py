"""Stipula keeps the wires of an LLM application honest."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_OFFERED = {
    # name: where it stands; loaded when it is first asked for, so that `import stipula` stays light
    "contains": "stipula.diff.containment",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module holds
    if name in _OFFERED:
        return getattr(import_module(_OFFERED[name]), name)
    raise AttributeError(f"module 'stipula' has no attribute {name!r}")
