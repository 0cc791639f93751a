"""The number of which every number is a multiple.

What: `multipleOf`.
Why: A finer step is a wider promise: 10 allows less than 5 does, and neither of 4 and 6 allows the other.
Example: {"multipleOf": 5} → {"multipleOf": 10}.
Instead: Keep taking the old step.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "multipleOf",
    __doc__,
    {
        "added": ("multiple-of-added", "a number has to be a multiple of {new} now"),
        "removed": ("multiple-of-removed", "a number no longer has to be a multiple of {old}"),
        "changed": ("multiple-of-changed", "a number has to be a multiple of {new} now, of {old} before"),
    },
)
