"""What a text is meant to be: a date, an address.

What: `format`.
Why: JSON Schema takes it as an annotation unless told otherwise, and so do we; generated clients may make another
type of it.
Instead: Add a pattern where it has to hold.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "format",
    __doc__,
    {
        "added": ("format-added", "{new} is stated now"),
        "removed": ("format-removed", "{old} is no longer stated"),
        "changed": ("format-changed", "{new} now, {old} before"),
    },
    level="note",
)
