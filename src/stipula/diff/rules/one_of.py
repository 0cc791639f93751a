"""The forms of which a value fits exactly one of.

What: `oneOf`.
Why: One more form widens the promise, except where it overlaps another: a value that fits both is refused from then
on.
Example: {"oneOf": [{"type": "string"}]} → {"oneOf": [{"type": "string"}, {"type": "integer"}]}.
Instead: Give each form a tag, let readers ignore tags they do not know, and only then add one.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "oneOf",
    __doc__,
    {
        "added": ("one-of-added", "a value has to fit exactly one of these forms now: {new}"),
        "removed": ("one-of-removed", "a value no longer has to fit exactly one of these forms: {old}"),
        "changed": ("one-of-changed", "the forms are all others"),
        "value-added": ("one-of-branch-added", "one more form: {new}"),
        "value-removed": ("one-of-branch-removed", "a form is gone: {old}"),
    },
)
