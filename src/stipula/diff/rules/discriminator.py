"""The field that tells the forms of a choice apart (OpenAPI).

What: `discriminator`.
Why: Readers that were generated from the document switch on it; validators do not.
Instead: Keep the tags that there are.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "discriminator",
    __doc__,
    {
        "added": ("discriminator-added", "{new} is stated now"),
        "removed": ("discriminator-removed", "{old} is no longer stated"),
        "changed": ("discriminator-changed", "{new} now, {old} before"),
    },
    level="warning",
)
