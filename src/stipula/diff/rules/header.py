"""Headers of an answer.

Why: A client that counts on a header which always came breaks without it; one that might be missing was asked for
anyway.
Instead: Keep sending the header.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "openapi",
    __doc__,
    {
        "required-header-removed": ("breaking", "the header {name}, which always came, is gone"),
        "header-removed": ("warning", "the header {name} is gone"),
        "header-added": ("safe", "the header {name} came"),
        "header-became-optional": ("breaking", "the header {name} may be missing now"),
        "header-became-required": ("safe", "the header {name} always comes now"),
    },
)
