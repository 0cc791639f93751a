"""The form of which a list has at least one item.

What: `contains`.
Why: With `minContains` and `maxContains` it counts; alone it asks for one.
Example: {"contains": {"type": "string"}} → {"contains": {"type": "integer"}}.
Instead: Keep taking lists without it.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "contains",
    __doc__,
    {
        "added": ("contains-added", "a list has to hold an item of this form now: {new}"),
        "removed": ("contains-removed", "a list need not hold an item of this form any more: {old}"),
        "changed": ("contains-changed", "a list has to hold an item of another form"),
    },
)
