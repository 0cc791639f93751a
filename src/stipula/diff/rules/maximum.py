"""The greatest number that is allowed.

What: `maximum`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"maximum": 100} → {"maximum": 50}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "maximum",
    __doc__,
    {
        "added": ("maximum-added", "at most {new} now, there was no bound"),
        "removed": ("maximum-removed", "there is no bound any more; it was at most {old}"),
        "increased": ("maximum-increased", "at most {new} now, {old} before"),
        "decreased": ("maximum-decreased", "at most {new} now, {old} before"),
    },
)
