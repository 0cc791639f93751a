"""Who may call an operation.

Why: A caller knows one way in. If no way that is left asks for as little, he stands outside. A way that asks for less
lets in whoever could not come before: for review.
Instead: Add the new way beside the old one, and retire the old one a release later.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "openapi",
    __doc__,
    {
        "security-added": ("breaking", "a caller has to identify himself now; shut is: {name}"),
        "security-tightened": ("breaking", "a way in is shut: {name}"),
        "security-removed": ("warning", "nobody is asked who he is any more"),
        "security-loosened": ("warning", "another way in is open: {name}"),
    },
)
