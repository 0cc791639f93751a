"""The tool list as a whole: how long and by whom it may be kept, who saw it, what the server says of itself.

Why: A list that may be kept longer shows a change later; one that may be kept for everybody shows one principal's
tools to another (SEP-2549).
Instead: Raise the time only once the list is stable, and keep the scope private.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "mcp",
    __doc__,
    {
        "cache-time-raised": ("warning", "the list may be kept for {new} ms now, {old} before"),
        "cache-time-lowered": ("note", "the list may be kept for {new} ms now, {old} before"),
        "cache-scope-widened": ("warning", "the list may be kept for everybody now"),
        "cache-scope-narrowed": ("note", "the list may be kept for one principal only now"),
        "principal-changed": ("note", "the lists were shown to principals of different classes"),
        "instructions-changed": ("routing", "the server's instructions read otherwise"),
        "server-fact-changed": ("note", "{name} of the server is another"),
        "era-removed": ("breaking", "the server no longer speaks this era of the protocol"),
        "era-added": ("safe", "the server speaks one more era of the protocol"),
        "profile-removed": ("breaking", "the tool list is gone"),
        "profile-added": ("safe", "a tool list came"),
        "protocol-changed": ("note", "the revision of the protocol is {new} now, {old} before"),
        "tool-list-changed": ("warning", "this era's list is another"),
    },
)
