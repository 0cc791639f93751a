"""A word from one author of a schema to the next.

What: `$comment`.
Why: Nobody else reads it.
Instead: Nothing to do.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "$comment",
    __doc__,
    {
        "added": ("comment-added", "{new} is stated now"),
        "removed": ("comment-removed", "{old} is no longer stated"),
        "changed": ("comment-changed", "{new} now, {old} before"),
    },
    level="note",
)
