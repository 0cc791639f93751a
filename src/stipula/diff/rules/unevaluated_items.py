"""Items that no part of the schema has spoken of.

What: `unevaluatedItems`.
Why: It sees through `allOf`, `anyOf`, `oneOf`, `if`, `$ref` and `contains`.
Example: {"unevaluatedItems": true} → {"unevaluatedItems": false}.
Instead: Leave open what you take.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "unevaluatedItems",
    __doc__,
    {
        "added": ("unevaluated-items-added", "items that nothing speaks of are bound now: {new}"),
        "removed": ("unevaluated-items-removed", "items that nothing speaks of may come now"),
        "changed": ("unevaluated-items-changed", "items that nothing speaks of are bound otherwise"),
    },
)
