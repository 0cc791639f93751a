"""Numbers: an interval × multiples × non-multiples × excluded values, in exact rational arithmetic."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, TypeAlias

import msgspec

from stipula.diff.containment.budget import Budget, Undecidable
from stipula.diff.containment.forms import Node

Exact: TypeAlias = int | Fraction
SPREAD: Final = 60
"""How many candidates of one precision are tried, next to those that are barred, before more digits are."""
MAX_DIGITS: Final = 1200


class Span(msgspec.Struct):
    """An interval; None is without bound."""

    low: Exact | None = None
    low_open: bool = False
    high: Exact | None = None
    high_open: bool = False

    def raise_low(self, bound: Exact, *, open_: bool) -> None:
        """Cut from below."""
        if self.low is None or bound > self.low or (bound == self.low and open_):
            self.low, self.low_open = bound, open_

    def lower_high(self, bound: Exact, *, open_: bool) -> None:
        """Cut from above."""
        if self.high is None or bound < self.high or (bound == self.high and open_):
            self.high, self.high_open = bound, open_

    def steps(self, unit: Exact) -> tuple[int | None, int | None]:
        """The first and the last whole m with m × unit inside."""
        first = last = None
        if self.low is not None:
            first = math.ceil(Fraction(self.low) / unit)
            first += int(self.low_open and first * unit == self.low)
        if self.high is not None:
            last = math.floor(Fraction(self.high) / unit)
            last -= int(self.high_open and last * unit == self.high)
        return first, last

    def empty(self) -> bool:
        """Whether no number at all lies inside."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))


def values(atoms: list[Node], wanted: int, budget: Budget) -> list[Exact]:
    """Up to `wanted` numbers that satisfy all atoms, nearest to zero first; fewer only if there are no more."""
    span, unit, others, barred = _read(atoms)
    if span.empty():
        return []
    if unit is not None:
        if any(not Fraction(unit) % Fraction(other) for other in others):
            return []  # each multiple of the unit is one of `other`, too
        first, last = span.steps(unit)
        candidates: Iterator[Exact] = (_whole(step * unit) for step in outward(first, last))
    elif span.low is not None and span.low == span.high:
        candidates = iter([span.low])
    else:
        candidates = _dense(span, len(barred) + wanted)
    found: list[Exact] = []
    for number in candidates:
        budget.spend()
        if number in barred or any(not Fraction(number) % Fraction(other) for other in others):
            continue
        found.append(number)
        if len(found) >= wanted:
            break
    return found


def _read(atoms: list[Node]) -> tuple[Span, Exact | None, list[Exact], set[Exact]]:
    span, unit = Span(), None
    others: list[Exact] = []
    barred: set[Exact] = set()
    for atom in atoms:
        match atom.op:
            case "ge" | "gt":
                span.raise_low(atom.args[0], open_=atom.op == "gt")
            case "le" | "lt":
                span.lower_high(atom.args[0], open_=atom.op == "lt")
            case "mul":
                unit = atom.args[0] if unit is None else least_common(unit, atom.args[0])
            case "nmul":
                others.append(atom.args[0])
            case _:
                barred.update(atom.values)
    return span, unit, others, barred


def least_common(one: Exact, two: Exact) -> Exact:
    """The least number that both divide."""
    left, right = Fraction(one), Fraction(two)
    return _whole(Fraction(math.lcm(left.numerator, right.numerator), math.gcd(left.denominator, right.denominator)))


def _whole(number: Exact) -> Exact:
    return number.numerator if isinstance(number, Fraction) and number.denominator == 1 else number


def outward(first: int | None, last: int | None) -> Iterator[int]:
    """The whole numbers from first to last, nearest to zero first, without end where a bound is missing."""
    if first is not None and last is not None and first > last:
        return
    start = 0
    if first is not None and first > 0:
        start = first
    elif last is not None and last < 0:
        start = last
    yield start
    away = 1
    while True:
        up, down = start + away, start - away
        above, below = last is None or up <= last, first is None or down >= first
        if above:
            yield up
        if below:
            yield down
        if not above and not below:
            return
        away += 1


def _dense(span: Span, wanted: int) -> Iterator[Exact]:
    """Numbers of an interval that has room: whole ones, then with more and more digits, for ever."""
    for digits in range(MAX_DIGITS):
        unit = _whole(Fraction(1, 10**digits))
        for count, step in enumerate(outward(*span.steps(unit))):
            if count > SPREAD + 2 * wanted:
                break
            if not digits or step % 10:
                yield _whole(step * unit)
    raise Undecidable("an interval that only numbers of very many digits meet")
