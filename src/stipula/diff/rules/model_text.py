"""What a text does beside telling.

Why: Characters that do not show can carry orders that no reviewer sees; a text that names another tool can talk a
model into calling it; a reference that leads out is fetched by some clients. Only what is new against the approved
text is told.
Instead: Remove the characters; keep each text to its own tool; put what is referred to under $defs.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "mcp",
    __doc__,
    {
        "hidden-characters-added": ("warning", "characters came that do not show: {name}"),
        "cross-tool-reference-added": ("warning", "the text names another tool now: {name}"),
        "remote-reference-added": ("warning", "a reference leads out of the schema now, at {name}"),
        "display-changed": ("note", "{name} is shown otherwise"),
        "definition-changed": ("warning", "{name} of the definition is another"),
    },
)
