"""The longest text that is allowed.

What: `maxLength`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"maxLength": 80} → {"maxLength": 40}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "maxLength",
    __doc__,
    {
        "added": ("max-length-added", "at most this many characters: {new} now, there was no bound"),
        "removed": ("max-length-removed", "there is no bound any more; it was at most this many characters: {old}"),
        "increased": ("max-length-increased", "at most this many characters: {new} now, {old} before"),
        "decreased": ("max-length-decreased", "at most this many characters: {new} now, {old} before"),
    },
)
