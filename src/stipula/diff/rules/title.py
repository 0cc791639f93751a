"""What a schema is called.

What: `title`.
Why: A model reads it with the description.
Instead: Read the new text as the model would.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "title",
    __doc__,
    {
        "added": ("title-added", "{new} is stated now"),
        "removed": ("title-removed", "{old} is no longer stated"),
        "changed": ("title-changed", "{new} now, {old} before"),
    },
    level="routing",
)
