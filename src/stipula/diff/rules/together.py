"""What no single difference shows.

What: the shapes as wholes.
Why: Sometimes no difference breaks by itself and all of them together do: then the value that shows it is told of the
whole. And some questions cannot be decided, or not in the time they have; a verdict is never guessed.
Instead: Change one thing at a time, or simplify the pattern, the recursion or the size that the reason names.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "schema",
    __doc__,
    {
        "shapes-together": ("breaking", "the differences break it together, though none does alone"),
        "shapes-undecided": ("undecided", "whether this breaks could not be decided"),
    },
)
