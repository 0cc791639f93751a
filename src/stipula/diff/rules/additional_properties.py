"""Fields that are not declared by name.

What: `additionalProperties`.
Why: `false` closes an object: every name that is not declared is refused. It sees only the names declared beside it.
Stating `true` is more than silence: then undeclared names do come.
Example: {"additionalProperties": true} → {"additionalProperties": false}.
Instead: Leave open what you take; close what you send.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "additionalProperties",
    __doc__,
    {
        "added": ("additional-properties-added", "fields that are not declared are bound now: {new}"),
        "removed": ("additional-properties-removed", "fields that are not declared may come now"),
        "changed": ("additional-properties-changed", "fields that are not declared are bound otherwise"),
    },
)
