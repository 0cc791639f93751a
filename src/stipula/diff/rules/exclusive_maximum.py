"""The number that every number stays below.

What: `exclusiveMaximum`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"exclusiveMaximum": 100} → {"exclusiveMaximum": 50}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "exclusiveMaximum",
    __doc__,
    {
        "added": ("exclusive-maximum-added", "less than {new} now, there was no bound"),
        "removed": ("exclusive-maximum-removed", "there is no bound any more; it was less than {old}"),
        "increased": ("exclusive-maximum-increased", "less than {new} now, {old} before"),
        "decreased": ("exclusive-maximum-decreased", "less than {new} now, {old} before"),
    },
)
