"""What holds where the condition is not met.

What: `else`.
Why: It binds only values that do not fit `if`.
Example: {"else": {"required": ["b"]}} → {"else": {"required": ["b", "c"]}}.
Instead: Ask for less in what you take.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "else",
    __doc__,
    {
        "added": ("else-added", "where the condition is not met, this holds now: {new}"),
        "removed": ("else-removed", "where the condition is not met, nothing more holds now"),
        "changed": ("else-changed", "where the condition is not met, something else holds"),
    },
)
