"""Findings about the lock and its waivers.

Why: A lock holds the text; a text that is written otherwise and means the same is told where the lock is held, and
nowhere else. A waiver that fits nothing hides the next finding.
Instead: Run `stipula freeze`; remove the waiver, or renew it.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "project",
    __doc__,
    {
        "spelling-changed": ("note", "the surface is written otherwise and means the same"),
        "waiver-stale": ("warning", "a waiver for this place matches nothing any more"),
        "waiver-expired": ("warning", "the waiver of this finding has expired"),
    },
)
