"""Statuses of an answer.

Why: A client that handles a status waits for it in vain once it is gone; one that comes is seen as any other of its
class.
Instead: Keep sending the status, or announce it with the operation's new version.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "openapi",
    __doc__,
    {
        "status-removed": ("breaking", "the status {name} is gone"),
        "status-added": ("safe", "the status {name} came"),
    },
)
