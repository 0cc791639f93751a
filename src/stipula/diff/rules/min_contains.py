"""The least number of items of the form that a list contains.

What: `minContains`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"minContains": 1} → {"minContains": 2}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "minContains",
    __doc__,
    {
        "added": (
            "min-contains-added",
            "at least this many items of the contained form: {new} now, there was no bound",
        ),
        "removed": (
            "min-contains-removed",
            "there is no bound any more; it was at least this many items of the contained form: {old}",
        ),
        "increased": (
            "min-contains-increased",
            "at least this many items of the contained form: {new} now, {old} before",
        ),
        "decreased": (
            "min-contains-decreased",
            "at least this many items of the contained form: {new} now, {old} before",
        ),
    },
)
