"""Whether a field only comes in requests.

What: `writeOnly`.
Why: In OpenAPI such a field is not part of an answer; elsewhere it is a remark.
Instead: Keep sending it until nobody reads it.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "writeOnly",
    __doc__,
    {
        "added": ("write-only-added", "{new} is stated now"),
        "removed": ("write-only-removed", "{old} is no longer stated"),
        "changed": ("write-only-changed", "{new} now, {old} before"),
    },
    level="note",
)
