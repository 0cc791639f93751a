"""The greatest number of items in a list.

What: `maxItems`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"maxItems": 10} → {"maxItems": 5}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "maxItems",
    __doc__,
    {
        "added": ("max-items-added", "at most this many items: {new} now, there was no bound"),
        "removed": ("max-items-removed", "there is no bound any more; it was at most this many items: {old}"),
        "increased": ("max-items-increased", "at most this many items: {new} now, {old} before"),
        "decreased": ("max-items-decreased", "at most this many items: {new} now, {old} before"),
    },
)
