"""The greatest number of items of the form that a list contains.

What: `maxContains`.
Why: A writer may send what the old bound allowed; a reader that still holds that bound refuses what lies beyond it.
In a request a tighter bound breaks callers; in a response a looser one breaks readers.
Example: {"maxContains": 5} → {"maxContains": 2}.
Instead: Loosen what you take, tighten what you send; else accept both for one release.
"""

from stipula.diff.rules.registry import keyword_rules

keyword_rules(
    "maxContains",
    __doc__,
    {
        "added": ("max-contains-added", "at most this many items of the contained form: {new} now, there was no bound"),
        "removed": (
            "max-contains-removed",
            "there is no bound any more; it was at most this many items of the contained form: {old}",
        ),
        "increased": (
            "max-contains-increased",
            "at most this many items of the contained form: {new} now, {old} before",
        ),
        "decreased": (
            "max-contains-decreased",
            "at most this many items of the contained form: {new} now, {old} before",
        ),
    },
)
