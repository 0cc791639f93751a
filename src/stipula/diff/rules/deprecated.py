"""Whether something is on its way out.

What: `deprecated`.
Why: It announces a removal and is not yet one.
Instead: Say until when, and what to use instead.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "deprecated",
    __doc__,
    {
        "added": ("deprecated-added", "{new} is stated now"),
        "removed": ("deprecated-removed", "{old} is no longer stated"),
        "changed": ("deprecated-changed", "{new} now, {old} before"),
    },
    level="note",
)
