"""Events of a stream.

Why: A reader that waits for an event which is gone waits for ever; readers have to let pass an event that they do not
know, and not all do.
Instead: Send the old event beside the new one for one release.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "events",
    __doc__,
    {
        "event-removed": ("breaking", "the event {name} is gone"),
        "event-added": ("safe", "the event {name} came; a reader has to let it pass"),
        "event-renamed": ("breaking", "the event is now {new}"),
        "stream-removed": ("breaking", "the stream is gone"),
        "stream-added": ("safe", "a stream came"),
        "stream-rule-changed": ("warning", "{name} of the stream is another"),
        "keepalive-changed": ("warning", "the stream keeps itself alive in another way"),
    },
)
