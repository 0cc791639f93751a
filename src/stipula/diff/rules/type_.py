"""What kind of value it is.

What: `type`.
Why: A reader that expects text breaks on a number. `integer` lies within `number`; 1.0 is an integer.
Example: {"type": "string"} → {"type": "integer"}.
Instead: Add a field with the new type beside the old one, and drop the old one a release later.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "type",
    __doc__,
    {
        "added": ("type-added", "the type is {new} now, it could be any before"),
        "removed": ("type-removed", "the type may be any now, it was {old}"),
        "changed": ("type-changed", "the type is {new} now, {old} before"),
        "widened": ("type-widened", "the type may be {new} now, {old} before"),
        "narrowed": ("type-narrowed", "the type is {new} now only, {old} before"),
        "null-added": ("null-allowed", "null may come now"),
        "null-removed": ("null-refused", "null may no longer come"),
    },
)
