"""What fields are whose names match a pattern.

What: `patternProperties`.
Why: It binds every name that matches, declared or not.
Example: {"patternProperties": {"^x-": {"type": "string"}}} → {"patternProperties": {"^x-": {"type": "integer"}}}.
Instead: Widen what you take.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "patternProperties",
    __doc__,
    {
        "added": ("pattern-properties-added", "fields that match {name} are bound now: {new}"),
        "removed": ("pattern-properties-removed", "fields that match {name} may be anything now"),
        "changed": ("pattern-properties-changed", "fields that match {name} are bound otherwise"),
    },
)
