"""What holds for an object where a field comes.

What: `dependentSchemas`.
Why: It binds the whole object as soon as the field is there.
Example: {"dependentSchemas": {"a": {"required": ["b"]}}} → {"dependentSchemas": {"a": {"required": ["c"]}}}.
Instead: Ask for less where the field comes.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "dependentSchemas",
    __doc__,
    {
        "added": ("dependent-schemas-added", "where {name} comes, this holds now: {new}"),
        "removed": ("dependent-schemas-removed", "where {name} comes, nothing more holds now"),
        "changed": ("dependent-schemas-changed", "where {name} comes, something else holds"),
    },
)
