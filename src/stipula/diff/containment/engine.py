"""The question itself: whether the right schema accepts every value that the left one does.

In order of cost: a few values that refute most wrong guesses, the algebra of jsonschema-rs, our own prover on
left ∧ ¬right, and, where that gives up, more values.
"""

import time
from collections.abc import Callable
from typing import Any, Final

from stipula.diff.containment import algebra, sampling, witness
from stipula.diff.containment.answers import Contained, Containment, NotContained, Undecided
from stipula.diff.containment.budget import Budget, OutOfBudget, Undecidable
from stipula.diff.containment.forms import Forge, Node
from stipula.diff.containment.reading import Reader, Registry
from stipula.diff.containment.sides import Side
from stipula.diff.containment.solver import Solver
from stipula.diff.containment.values import NotJson, plain

MORE_WITNESSES: Final = 8
PROVER_SHARE: Final = 0.85
ROUNDS: Final = 2000


def contains(
    lhs: object,
    rhs: object,
    *,
    lhs_draft: str | None = None,
    rhs_draft: str | None = None,
    budget_s: float = 2.0,
    clock: Callable[[], float] = time.perf_counter,
) -> Containment:
    """Decide whether L(lhs) ⊆ L(rhs).

    A draft is one of "2020-12", "2019-09", "draft-07", "draft-06", "draft-04", "openapi-3.0"; None reads `$schema`,
    and 2020-12 where there is none. `format` and `content*` are annotations. `budget_s` seconds of `clock` end in
    `Undecided`. Raises `InvalidSchema` and `UnknownDialect`; nothing is ever fetched.
    """
    budget = Budget(budget_s, clock)
    try:
        left, right = Side("left", lhs, lhs_draft), Side("right", rhs, rhs_draft)
        return _answered(left, right, budget)
    except Undecidable as why:
        return Undecided(str(why))
    except RecursionError:
        return Undecided("nested too deep")


def _answered(left: Side, right: Side, budget: Budget) -> Containment:
    for value in sampling.simple(left.schema, right.schema):
        budget.spend()
        if witness.shows(left, right, value):
            return NotContained(witness.smallest(left, right, value))
    if algebra.proves(left, right):
        return Contained()
    answer = proved(left, right, budget.part(PROVER_SHARE))
    if isinstance(answer, Undecided):
        return _refuted(left, right, budget) or answer
    return answer


def proved(left: Side, right: Side, budget: Budget) -> Containment:
    """What our own prover says."""
    try:
        solver, goal = question(left, right, budget)
        for wanted in (1, MORE_WITNESSES):
            values = solver.values((goal,), wanted)
            if not values:
                return Contained()
            for value in values:
                shown = _plain(value)
                if witness.shows(left, right, shown):
                    return NotContained(witness.smallest(left, right, shown))
    except OutOfBudget:
        return Undecided(f"budget: no answer within {budget.seconds:.3g} s")
    except Undecidable as why:
        return Undecided(str(why))
    except RecursionError:
        return Undecided("nested too deep")
    return Undecided("the prover and the validator read the schemas differently")


def question(left: Side, right: Side, budget: Budget) -> tuple[Solver, Node]:
    """A solver, and the formula left ∧ ¬right."""
    forge, registry = Forge(), Registry()
    roots = [Reader(side.document, forge, registry, budget).root() for side in (left, right)]
    return Solver(forge, registry.expand, budget), forge.both(roots[0], forge.negate(roots[1]))


def _plain(value: object) -> Any:  # noqa: ANN401 - a JSON value
    try:
        return plain(value)
    except NotJson:
        raise Undecidable("only numbers without a finite decimal are left") from None


def _refuted(left: Side, right: Side, budget: Budget) -> NotContained | None:
    """Try many values where the prover gave up."""
    try:
        for value in sampling.combined(ROUNDS, left.schema, right.schema):
            budget.spend()
            if witness.shows(left, right, value):
                return NotContained(witness.smallest(left, right, value))
    except OutOfBudget:
        pass
    return None
