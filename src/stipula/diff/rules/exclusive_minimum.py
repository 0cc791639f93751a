"""The number that every number lies above.

What: `exclusiveMinimum`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"exclusiveMinimum": 0} → {"exclusiveMinimum": 1}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "exclusiveMinimum",
    __doc__,
    {
        "added": ("exclusive-minimum-added", "more than {new} now, there was no bound"),
        "removed": ("exclusive-minimum-removed", "there is no bound any more; it was more than {old}"),
        "increased": ("exclusive-minimum-increased", "more than {new} now, {old} before"),
        "decreased": ("exclusive-minimum-decreased", "more than {new} now, {old} before"),
    },
)
