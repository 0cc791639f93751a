"""What holds where the condition is met.

What: `then`.
Why: It binds only values that fit `if`.
Example: {"then": {"required": ["b"]}} → {"then": {"required": ["b", "c"]}}.
Instead: Ask for less in what you take.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "then",
    __doc__,
    {
        "added": ("then-added", "where the condition is met, this holds now: {new}"),
        "removed": ("then-removed", "where the condition is met, nothing more holds now"),
        "changed": ("then-changed", "where the condition is met, something else holds"),
    },
)
