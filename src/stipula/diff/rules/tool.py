"""Tools and requests that came, went or have another name.

Why: A prompt, a test or a pinned client that calls a tool by its name calls nobody. A model reads the list anew; they
do not.
Instead: Keep the old name as an alias for one release.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "mcp",
    __doc__,
    {
        "tool-removed": ("breaking", "the tool {name} is gone"),
        "tool-added": ("safe", "the tool {name} came"),
        "tool-renamed": ("breaking", "the tool is likely called {new} now"),
        "tool-not-comparable": (
            "note",
            "the tool {name} stands in one list only, but the lists were shown to principals of different classes",
        ),
        "tool-name-unportable": (
            "warning",
            "the name {name} is refused by some vendors: at most 64 letters, digits, _, . and -",
        ),
        "request-removed": ("breaking", "the request {name} is gone"),
        "request-added": ("safe", "the request {name} came"),
        "request-renamed": ("breaking", "the request is now {new}"),
    },
)
