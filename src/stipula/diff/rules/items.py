"""What every item of a list is.

What: `items`.
Why: Each item is held against this schema; in older drafts what follows a tuple is called `additionalItems`.
Example: {"items": {"type": "string"}} → {"items": false}.
Instead: Widen the items that you take; send the old ones.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "items",
    __doc__,
    {
        "added": ("items-added", "items have a shape now: {new}"),
        "removed": ("items-removed", "items may be anything now"),
        "changed": ("items-changed", "items have another shape"),
    },
)
