"""What a value must not be.

What: `not`.
Why: A wider exclusion is a narrower promise: under `not` everything turns round.
Example: {"not": {"type": "null"}} → {"not": {"type": ["null", "string"]}}.
Instead: Exclude less in what you take.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "not",
    __doc__,
    {
        "added": ("not-added", "a value must not be this now: {new}"),
        "removed": ("not-removed", "a value may be this now: {old}"),
        "changed": ("not-changed", "what a value must not be is another"),
    },
)
