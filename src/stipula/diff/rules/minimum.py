"""The least number that is allowed.

What: `minimum`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"minimum": 0} → {"minimum": 1}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "minimum",
    __doc__,
    {
        "added": ("minimum-added", "at least {new} now, there was no bound"),
        "removed": ("minimum-removed", "there is no bound any more; it was at least {old}"),
        "increased": ("minimum-increased", "at least {new} now, {old} before"),
        "decreased": ("minimum-decreased", "at least {new} now, {old} before"),
    },
)
