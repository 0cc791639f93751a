"""The least number of fields in an object.

What: `minProperties`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"minProperties": 0} → {"minProperties": 1}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "minProperties",
    __doc__,
    {
        "added": ("min-properties-added", "at least this many fields: {new} now, there was no bound"),
        "removed": ("min-properties-removed", "there is no bound any more; it was at least this many fields: {old}"),
        "increased": ("min-properties-increased", "at least this many fields: {new} now, {old} before"),
        "decreased": ("min-properties-decreased", "at least this many fields: {new} now, {old} before"),
    },
)
