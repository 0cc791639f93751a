"""What counts where a field is left out.

What: `default`.
Why: It changes no verdict about a value, and yet what a caller gets who leaves the field out.
Instead: State the value where it matters.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "default",
    __doc__,
    {
        "added": ("default-added", "{new} is stated now"),
        "removed": ("default-removed", "{old} is no longer stated"),
        "changed": ("default-changed", "{new} now, {old} before"),
    },
    level="note",
)
