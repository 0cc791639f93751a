"""Whether a tool is called as a task.

Why: Absent means forbidden. A caller that does not speak tasks cannot call a tool that demands one. Revision
2026-07-28 has no such member.
Instead: Offer tasks as optional.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "mcp",
    __doc__,
    {
        "task-support-required": ("breaking", "the tool can be called as a task only"),
        "task-support-dropped": ("warning", "the tool can no longer be called as a task"),
        "task-support-widened": ("safe", "task support is {new} now, {old} before"),
        "task-support-not-comparable": (
            "note",
            "task support is no longer stated; the newer revision knows no such member",
        ),
    },
)
