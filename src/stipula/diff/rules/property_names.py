"""What the names of fields look like.

What: `propertyNames`.
Why: It binds declared and undeclared names alike.
Example: {"propertyNames": {"maxLength": 20}} → {"propertyNames": {"maxLength": 10}}.
Instead: Keep taking the old names.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "propertyNames",
    __doc__,
    {
        "added": ("property-names-added", "names of fields are bound now: {new}"),
        "removed": ("property-names-removed", "names of fields may be anything now"),
        "changed": ("property-names-changed", "names of fields are bound otherwise"),
    },
)
