"""The forms of which a value fits all of.

What: `allOf`.
Why: One more form narrows the promise; what is dropped widens it.
Example: {"allOf": [{"type": "string"}]} → {"allOf": [{"type": "string"}, {"type": "integer"}]}.
Instead: Give each form a tag, let readers ignore tags they do not know, and only then add one.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "allOf",
    __doc__,
    {
        "added": ("all-of-added", "a value has to fit all of these forms now: {new}"),
        "removed": ("all-of-removed", "a value no longer has to fit all of these forms: {old}"),
        "changed": ("all-of-changed", "the forms are all others"),
        "value-added": ("all-of-branch-added", "one more form: {new}"),
        "value-removed": ("all-of-branch-removed", "a form is gone: {old}"),
    },
)
