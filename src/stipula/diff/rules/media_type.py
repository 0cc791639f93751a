"""What a body or an answer may be written in.

Why: A caller that sends, or asks for, a media type which is gone is refused (415, 406).
Instead: Serve both for one release.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "openapi",
    __doc__,
    {
        "body-media-type-removed": ("breaking", "a body may no longer be {name}"),
        "body-media-type-added": ("safe", "a body may be {name}, too"),
        "answer-media-type-removed": ("breaking", "the answer is no longer offered as {name}"),
        "answer-media-type-added": ("safe", "the answer is offered as {name}, too"),
    },
)
