"""Parameters that travel in an HTTP header (x-mcp-header).

Why: A client must drop a tool whose header parameter is no text, integer or boolean, or whose header name is none:
the tool vanishes (SEP-2243).
Instead: Put the header on a plain parameter.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "mcp",
    __doc__,
    {
        "header-parameter-refused": ("breaking", "clients drop the tool: this parameter cannot travel in a header"),
        "header-parameter-added": ("note", "the parameter travels in the header {new} now"),
        "header-parameter-removed": ("note", "the parameter no longer travels in the header {old}"),
    },
)
