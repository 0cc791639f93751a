"""What holds between the events of a stream: counting, joining, sameness.

Why: Readers build on a law: they join pieces, trust a count, pair indices. What holds no longer breaks them though
each event is well-formed.
Instead: Keep the law, or give the stream another path.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "events",
    __doc__,
    {
        "law-removed": ("breaking", "the law {name} holds no longer"),
        "law-changed": ("breaking", "the law {name} is another"),
        "law-added": ("safe", "the law {name} holds now"),
    },
)
