"""Sample values.

What: `examples`, `example`.
Why: A model copies them more readily than it reads prose.
Instead: Read them as the model would.
"""

from stipula.diff.rules.registry import keyword_rules

for word in ("examples", "example"):
    keyword_rules(
        word,
        __doc__,
        {
            "added": ("examples-added", "{new} is stated now"),
            "removed": ("examples-removed", "{old} is no longer stated"),
            "changed": ("examples-changed", "{new} now, {old} before"),
        },
        level="routing",
    )
