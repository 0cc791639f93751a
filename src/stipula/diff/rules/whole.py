"""A schema that allows everything or nothing.

Why: `true` and `{}` allow every value, `false` none.
Example: true → false.
Instead: Say what changes, field by field.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "",
    __doc__,
    {
        "widened": ("schema-opened", "what was never allowed is allowed now: {new}"),
        "narrowed": ("schema-closed", "nothing is allowed here any more"),
    },
)
