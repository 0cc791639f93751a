"""Whether a field has to be there.

What: `required`.
Why: In a request a field that newly has to come breaks callers who leave it out. In a response a field that may newly
be missing breaks readers that count on it.
Example: {"required": []} → {"required": ["a"]}.
Instead: Give the field a default and take its absence; keep sending what was always sent.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "required",
    __doc__,
    {
        "value-added": ("required-added", "the field {name} has to be there now"),
        "value-removed": ("required-removed", "the field {name} may be missing now"),
    },
)
