"""The pattern that a text matches.

What: `pattern`.
Why: A pattern is searched, not anchored, as ECMA-262 says. Whether one pattern allows all that another does is
decided by automata, not by comparing their texts.
Example: {"pattern": "^[a-z]+$"} → {"pattern": "^[a-z0-9]+$"}.
Instead: Keep taking the old form; send the new one only once readers know it.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "pattern",
    __doc__,
    {
        "added": ("pattern-added", "a text has to match {new} now"),
        "removed": ("pattern-removed", "a text no longer has to match {old}"),
        "changed": ("pattern-changed", "a text has to match {new} now, {old} before"),
    },
)
