"""Anything else that a schema says and a validator does not read.

What: `xml`, `externalDocs`, `x-`.
Why: Extensions and links have readers of their own.
Instead: Ask whoever reads it.
"""

from stipula.diff.rules.registry import keyword_rules

for word in ("xml", "externalDocs", "x-"):
    keyword_rules(
        word,
        __doc__,
        {
            "added": ("annotation-added", "{new} is stated now"),
            "removed": ("annotation-removed", "{old} is no longer stated"),
            "changed": ("annotation-changed", "{new} now, {old} before"),
        },
        level="note",
    )
