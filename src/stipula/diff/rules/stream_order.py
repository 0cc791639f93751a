"""The order in which events come, and where a stream ends.

Why: A reader follows the order as a machine with states. If some stream of the new order is none of the old one, a
reader meets it some day; the shortest is shown. A terminal event that may be missing, come twice or not come last is
such a case.
Instead: Let new events come only where readers let unknown ones pass, and keep the terminal ones.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "events",
    __doc__,
    {
        "stream-order-broken": ("breaking", "this stream may come now, and could not before: {name}"),
        "stream-order-narrowed": ("safe", "fewer orders are possible than before"),
    },
)
