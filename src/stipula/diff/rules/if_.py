"""The condition under which a branch counts.

What: `if`.
Why: A changed condition moves values from one branch to the other, so it can break both ways at once.
Example: {"if": {"required": ["a"]}} → {"if": {"required": ["b"]}}.
Instead: State both branches as one `oneOf` with a tag.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "if",
    __doc__,
    {
        "added": ("if-added", "a condition counts now"),
        "removed": ("if-removed", "a condition counts no longer"),
        "changed": ("if-changed", "a condition is another"),
    },
)
