"""The values that are allowed.

What: `enum`.
Why: A reader that switches over the values meets one it does not know; a caller that sends a value which is gone is
refused. `const` is a list of one; a choice among constants is a list, too.
Example: {"enum": ["a", "b"]} → {"enum": ["a", "b", "c"]}.
Instead: Tell readers to let unknown values pass before the first one comes.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "enum",
    __doc__,
    {
        "added": ("enum-added", "only these values are allowed now: {new}"),
        "removed": ("enum-removed", "any value is allowed now; these were: {old}"),
        "changed": ("const-changed", "the value is {new} now, {old} before"),
        "value-added": ("value-added", "the value {new} came"),
        "value-removed": ("value-removed", "the value {old} is gone"),
    },
)
