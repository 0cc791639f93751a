"""The items of a list that are told by their position.

What: `prefixItems`.
Why: Older drafts write it as an `items` that is a list. A position that comes binds what could be anything before.
Example: {"prefixItems": [{"type": "string"}]} → {"prefixItems": [{"type": "string"}, {"type": "integer"}]}.
Instead: Add positions at the end, and let them be missing.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "prefixItems",
    __doc__,
    {
        "added": ("position-added", "position {name} is bound now: {new}"),
        "removed": ("position-removed", "position {name} may be anything now"),
    },
)
