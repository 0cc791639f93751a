"""The shortest text that is allowed.

What: `minLength`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"minLength": 1} → {"minLength": 3}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "minLength",
    __doc__,
    {
        "added": ("min-length-added", "at least this many characters: {new} now, there was no bound"),
        "removed": ("min-length-removed", "there is no bound any more; it was at least this many characters: {old}"),
        "increased": ("min-length-increased", "at least this many characters: {new} now, {old} before"),
        "decreased": ("min-length-decreased", "at least this many characters: {new} now, {old} before"),
    },
)
