"""Whether a field only comes in answers.

What: `readOnly`.
Why: In OpenAPI such a field is not part of a request; elsewhere it is a remark.
Instead: Keep taking the field and ignore it.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "readOnly",
    __doc__,
    {
        "added": ("read-only-added", "{new} is stated now"),
        "removed": ("read-only-removed", "{old} is no longer stated"),
        "changed": ("read-only-changed", "{new} now, {old} before"),
    },
    level="note",
)
