"""What a text says of a field.

What: `description`.
Why: A model chooses tools and fills in arguments by these texts; a changed text changes what it does, though no value
shows it. So it is told as routing, for review.
Instead: Read the new text as the model would.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "description",
    __doc__,
    {
        "added": ("description-added", "{new} is stated now"),
        "removed": ("description-removed", "{old} is no longer stated"),
        "changed": ("description-changed", "{new} now, {old} before"),
    },
    level="routing",
)
