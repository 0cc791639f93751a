"""What a function gives back, and how it gives it.

Why: A caller that reads a text and gets an object, or the other way round, breaks at once; so does one that waits for
an outcome which is gone.
Instead: Give back the old kind until no caller reads it.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "tool",
    __doc__,
    {
        "answer-kind-changed": ("breaking", "the answer is {new} now, {old} before: a text is no object"),
        "outcome-removed": ("breaking", "the shape for {name} is gone"),
        "outcome-added": ("safe", "a shape for {name} came"),
        "behaviour-changed": ("warning", "{name} is another"),
    },
)
