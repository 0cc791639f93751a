"""What a tool says of its own danger.

Why: Clients ask before a tool that may destroy, and let one that only reads run. A hint that is left out counts with
its default: readOnlyHint false, destructiveHint true, idempotentHint false, openWorldHint true. Those on destruction
and repetition mean nothing for a tool that only reads.
Instead: State every hint, and have a changed one reviewed.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "mcp",
    __doc__,
    {
        "hint-turned-dangerous": (
            "warning",
            "{name} is {new} now, {old} before: clients rely on it when they ask, or do not ask, a person",
        ),
        "hint-turned-careful": ("note", "{name} is {new} now, {old} before"),
        "hint-without-effect": (
            "note",
            "{name} is {new} now, {old} before, which means nothing for a tool that only reads",
        ),
        "hint-spelt-out": ("note", "{name} is written otherwise, and counts as before"),
        "annotation-of-tool-changed": ("warning", "the annotation {name} is another"),
    },
)
