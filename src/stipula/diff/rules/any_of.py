"""The forms of which a value fits at least one of.

What: `anyOf`.
Why: One more form widens the promise: readers that switch over the forms meet one they do not know.
Example: {"anyOf": [{"type": "string"}]} → {"anyOf": [{"type": "string"}, {"type": "integer"}]}.
Instead: Give each form a tag, let readers ignore tags they do not know, and only then add one.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "anyOf",
    __doc__,
    {
        "added": ("any-of-added", "a value has to fit at least one of these forms now: {new}"),
        "removed": ("any-of-removed", "a value no longer has to fit at least one of these forms: {old}"),
        "changed": ("any-of-changed", "the forms are all others"),
        "value-added": ("any-of-branch-added", "one more form: {new}"),
        "value-removed": ("any-of-branch-removed", "a form is gone: {old}"),
    },
)
