"""The least number of items in a list.

What: `minItems`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"minItems": 0} → {"minItems": 1}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "minItems",
    __doc__,
    {
        "added": ("min-items-added", "at least this many items: {new} now, there was no bound"),
        "removed": ("min-items-removed", "there is no bound any more; it was at least this many items: {old}"),
        "increased": ("min-items-increased", "at least this many items: {new} now, {old} before"),
        "decreased": ("min-items-decreased", "at least this many items: {new} now, {old} before"),
    },
)
