"""Whether an item may come twice.

What: `uniqueItems`.
Why: A reader that builds a set of a list loses what comes twice; a taker that newly insists refuses it.
Example: {"uniqueItems": false} → {"uniqueItems": true}.
Instead: Take lists with an item twice, and send none.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "uniqueItems",
    __doc__,
    {
        "added": ("unique-items-added", "no item may come twice now"),
        "removed": ("unique-items-removed", "an item may come twice now"),
        "changed": ("unique-items-changed", "whether an item may come twice is another"),
    },
)
