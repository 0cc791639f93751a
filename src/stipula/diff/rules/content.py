"""What a text holds: its encoding, its media type, the shape inside.

What: `contentEncoding`, `contentMediaType`, `contentSchema`.
Why: Validators take it as an annotation.
Instead: Check the inside in code where it has to hold.
"""

from stipula.diff.rules.registry import keyword_rules

for word in ("contentEncoding", "contentMediaType", "contentSchema"):
    keyword_rules(
        word,
        __doc__,
        {
            "added": ("content-added", "{new} is stated now"),
            "removed": ("content-removed", "{old} is no longer stated"),
            "changed": ("content-changed", "{new} now, {old} before"),
        },
        level="note",
    )
