"""Fields that came, went or changed their name.

What: `properties`.
Why: Whether it breaks is a matter of values: a field that goes and had to be there breaks readers; a new one that has
to be there breaks callers; a new one that may be missing breaks nobody who ignores what he does not know. A consumer
in the lock that reads a field which went breaks whatever values say.
Example: {"properties": {"user_id": {"type": "string"}}} → {"properties": {"userId": {"type": "string"}}}.
Instead: Send the old name beside the new one for one release, and mark the old one deprecated.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "properties",
    __doc__,
    {
        "added": ("field-added", "the field {name} came"),
        "added-required": ("required-field-added", "the field {name} came and has to be there"),
        "removed": ("field-removed", "the field {name} is gone"),
        "renamed": ("field-renamed", "the field {old} is now called {new}"),
    },
)
