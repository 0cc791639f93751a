"""Fields that have to come where another comes.

What: `dependentRequired`.
Why: A caller who sends the one and not the other was fine before.
Example: {"dependentRequired": {"a": ["b"]}} → {"dependentRequired": {"a": ["b", "c"]}}.
Instead: Take the one without the other.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "dependentRequired",
    __doc__,
    {
        "added": ("dependent-required-added", "where {name} comes, {new} have to come now"),
        "removed": ("dependent-required-removed", "where {name} comes, nothing else has to come now"),
        "changed": ("dependent-required-changed", "where {name} comes, {new} have to come now, {old} before"),
    },
)
