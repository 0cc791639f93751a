"""The greatest number of fields in an object.

What: `maxProperties`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"maxProperties": 10} → {"maxProperties": 5}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "maxProperties",
    __doc__,
    {
        "added": ("max-properties-added", "at most this many fields: {new} now, there was no bound"),
        "removed": ("max-properties-removed", "there is no bound any more; it was at most this many fields: {old}"),
        "increased": ("max-properties-increased", "at most this many fields: {new} now, {old} before"),
        "decreased": ("max-properties-decreased", "at most this many fields: {new} now, {old} before"),
    },
)
