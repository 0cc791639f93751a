"""Fields that no part of the schema has spoken of.

What: `unevaluatedProperties`.
Why: Unlike `additionalProperties` it sees through `allOf`, `anyOf`, `oneOf`, `if` and `$ref`, and counts only the
branches that a value fits.
Example: {"unevaluatedProperties": true} → {"unevaluatedProperties": false}.
Instead: Leave open what you take.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "unevaluatedProperties",
    __doc__,
    {
        "added": ("unevaluated-properties-added", "fields that nothing speaks of are bound now: {new}"),
        "removed": ("unevaluated-properties-removed", "fields that nothing speaks of may come now"),
        "changed": ("unevaluated-properties-changed", "fields that nothing speaks of are bound otherwise"),
    },
)
