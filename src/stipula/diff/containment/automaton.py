"""A pattern as a deterministic automaton, made state by state while it is walked.

A thread of the machine is a place in the pattern together with the look-aheads it still owes: sub-automata that run
beside it and must (or must not) accept what is left of the text. Look-behinds are automata that run from the start of
the text, their verdicts are part of the state. A search is a machine that begins anew at every place.
"""

import bisect
from typing import Any, Final, TypeAlias

from stipula.diff.containment import charsets
from stipula.diff.containment.budget import Budget, Undecidable
from stipula.diff.containment.charsets import Charset
from stipula.diff.containment.regex_tree import Border, Chars, Choice, Look, Repeat, Sequence, Tree

MAX_PLACES: Final = 20_000
START, AFTER_OTHER, AFTER_WORD = 0, 1, 2

Owed: TypeAlias = tuple[int, int]
"""A look-ahead that runs: which machine, in which of its states."""
Assertion: TypeAlias = tuple[str, int, bool]
"""A border or a look: its sort, which machine, and whether that is wanted to accept."""
Thread: TypeAlias = tuple[int, tuple[Owed, ...]]
State: TypeAlias = tuple[Any, ...]
"""(threads, what came before, states of the look-behind machines)"""


class Alphabet:
    """The characters of one pattern, cut into classes that the pattern cannot tell apart."""

    def __init__(self, tree: Tree) -> None:
        sets = [charsets.WORD, *_charsets(tree)]
        cuts = {0, 0xD800, 0xE000}
        for one in sets:
            for low, high in one:
                cuts.update((low, high + 1))
        self.starts = sorted(cut for cut in cuts if cut <= charsets.TOP)
        self.of_range: list[int] = []
        self.members: list[list[bool]] = []
        known: dict[tuple[bool, ...], int] = {}
        for start in self.starts:
            signature = tuple(charsets_has(one, start) for one in sets)
            if signature not in known:
                known[signature] = len(self.members)
                self.members.append(list(signature))
            self.of_range.append(known[signature])
        self.index = {one: at for at, one in enumerate(sets)}

    def letter(self, character: str) -> int:
        """The class of a character."""
        return self.of_range[bisect.bisect_right(self.starts, ord(character)) - 1]

    def holds(self, one: Charset, letter: int) -> bool:
        """Whether the characters of a class are in a set of the pattern."""
        return self.members[letter][self.index[one]]


def charsets_has(one: Charset, code: int) -> bool:
    """Membership, by bisection."""
    at = bisect.bisect_right(one, (code, charsets.TOP + 1)) - 1
    return at >= 0 and one[at][0] <= code <= one[at][1]


def _charsets(tree: Tree) -> list[Charset]:
    match tree:
        case Chars(allowed):
            return [allowed]
        case Sequence(parts) | Choice(parts):
            return [one for part in parts for one in _charsets(part)]
        case Repeat(part) | Look(part):
            return _charsets(part)
        case Border():
            return []


class Machine:
    """The automaton of a tree. States are small numbers; 0 is the state before the text of a search."""

    def __init__(self, tree: Tree, alphabet: Alphabet, budget: Budget, *, search: bool, exact: bool = False) -> None:
        self.alphabet = alphabet
        self.exact = exact  # the match has to end where the text ends
        self.budget = budget
        self.search = search
        self.free: list[list[tuple[Assertion | None, int]]] = []
        self.reading: list[list[tuple[Charset, int]]] = []
        self.ahead: list[Machine] = []
        self.ahead_wanted: list[bool] = []
        self.behind: list[Machine] = []
        self.final = self._place()
        self.first = self._build(tree, self.final)
        self.states: list[State] = []
        self.known: dict[State, int] = {}
        self.moves: dict[tuple[int, int], int] = {}
        self.ends: dict[int, bool] = {}
        behind = tuple(machine.begin(START) for machine in self.behind)
        self.starts = {before: self._state({(self.first, ()): None}, before, behind) for before in (START,)}

    # ------------------------------------------------------------ construction

    def _place(self) -> int:
        if len(self.free) >= MAX_PLACES:
            raise Undecidable("a pattern that repeats too much")
        self.free.append([])
        self.reading.append([])
        return len(self.free) - 1

    def _build(self, tree: Tree, then: int) -> int:
        """The place from which `tree` is read and `then` is reached."""
        self.budget.spend()
        match tree:
            case Chars(allowed):
                place = self._place()
                self.reading[place].append((allowed, then))
                return place
            case Sequence(parts):
                for part in reversed(parts):
                    then = self._build(part, then)
                return then
            case Choice(parts):
                place = self._place()
                self.free[place] = [(None, self._build(part, then)) for part in parts]
                return place
            case Repeat(part, low, high):
                return self._repeated(part, low, high, then)
            case Border() | Look():
                place = self._place()
                self.free[place].append((self._assertion(tree), then))
                return place

    def _repeated(self, part: Tree, low: int, high: int | None, then: int) -> int:
        if high is None:
            loop = self._place()
            self.free[loop] = [(None, self._build(part, loop)), (None, then)]
            then = loop
        else:
            exit_ = then
            for _ in range(high - low):
                place = self._place()
                self.free[place] = [(None, self._build(part, then)), (None, exit_)]
                then = place
        for _ in range(low):
            then = self._build(part, then)
        return then

    def _assertion(self, tree: Border | Look) -> Assertion:
        if isinstance(tree, Border):
            return tree.sort, 0, True
        machine = Machine(tree.part, self.alphabet, self.budget, search=not tree.ahead, exact=not tree.ahead)
        if tree.ahead:
            self.ahead.append(machine)
            self.ahead_wanted.append(tree.wanted)
            return "ahead", len(self.ahead) - 1, tree.wanted
        if machine.ahead or machine.behind or _mentions_end(tree.part):
            raise Undecidable("a look-behind that looks elsewhere, too")
        self.behind.append(machine)
        return "behind", len(self.behind) - 1, tree.wanted

    # ------------------------------------------------------------ walking

    def begin(self, before: int) -> int:
        """The state at a place where `before` has been read (`START` where nothing has)."""
        if before not in self.starts:
            if self.behind:
                raise Undecidable("a look-behind inside a look-ahead")
            self.starts[before] = self._state({(self.first, ()): None}, before, ())
        return self.starts[before]

    def step(self, state: int, letter: int) -> int:
        """The state after one more character; -1 where nothing can be accepted any more."""
        if state < 0:
            return -1
        found = self.moves.get((state, letter))
        if found is None:
            self.budget.spend()
            found = self._moved(state, letter)
            self.moves[state, letter] = found
        return found

    def accepts(self, state: int) -> bool:
        """Whether the text may end here."""
        if state < 0:
            return False
        if state not in self.ends:
            threads = self._closed(state, None)
            self.ends[state] = any(
                place == self.final and all(self._settled(owed) for owed in debts) for place, debts in threads
            )
        return self.ends[state]

    def _settled(self, owed: Owed) -> bool:
        machine, state = owed
        return self.ahead[machine].accepts(state) == self.ahead_wanted[machine]

    def certain(self, state: int) -> bool:
        """Whether whatever follows is accepted: the match is complete and owes nothing."""
        return state >= 0 and self.states[state][0] == ((self.final, ()),) and not self.exact

    def _state(self, threads: dict[Thread, None], before: int, behind: tuple[int, ...]) -> int:
        if (self.final, ()) in threads and not self.exact:
            name: State = (((self.final, ()),), AFTER_OTHER, ())
        else:
            name = (tuple(sorted(threads)), before, behind)
        if name not in self.known:
            self.known[name] = len(self.states)
            self.states.append(name)
        return self.known[name]

    def _moved(self, state: int, letter: int) -> int:
        _, _, behind = self.states[state]
        if self.certain(state):
            return state
        moved: dict[Thread, None] = {}
        for place, debts in self._closed(state, letter):
            after = self._paid(debts, letter)
            if after is None:
                continue
            if place == self.final and not self.exact:
                moved[place, after] = None
                continue
            for allowed, target in self.reading[place]:
                if self.alphabet.holds(allowed, letter):
                    moved[target, after] = None
        before = AFTER_WORD if self.alphabet.holds(charsets.WORD, letter) else AFTER_OTHER
        if self.search:
            moved[self.first, ()] = None
        if not moved:
            return -1
        behind = tuple(self.behind[at].step(was, letter) for at, was in enumerate(behind))
        return self._state(moved, before, behind)

    def _paid(self, debts: tuple[Owed, ...], letter: int) -> tuple[Owed, ...] | None:
        """The look-aheads one character later: settled ones are gone, None if one is broken."""
        left: dict[Owed, None] = {}
        for machine, state in debts:
            sub, wanted = self.ahead[machine], self.ahead_wanted[machine]
            after = sub.step(state, letter)
            if after < 0 or sub.certain(after):
                if (after >= 0) != wanted:
                    return None
                continue
            left[machine, after] = None
        return tuple(sorted(left))

    def _closed(self, state: int, letter: int | None) -> list[Thread]:
        """All threads that are reached without reading, the next character (None: the end) being known."""
        threads, before, behind = self.states[state]
        open_: list[Thread] = list(threads)
        seen = dict.fromkeys(open_)
        while open_:
            self.budget.spend()
            place, debts = open_.pop()
            for assertion, target in self.free[place]:
                after = debts if assertion is None else self._asserted(assertion, debts, before, behind, letter)
                if after is not None and (target, after) not in seen:
                    seen[target, after] = None
                    open_.append((target, after))
        return list(seen)

    def _asserted(
        self,
        assertion: Assertion,
        debts: tuple[Owed, ...],
        before: int,
        behind: tuple[int, ...],
        letter: int | None,
    ) -> tuple[Owed, ...] | None:
        sort, machine, wanted = assertion
        match sort:
            case "^":
                holds = before == START
            case "$":
                holds = letter is None
            case "b" | "B":
                next_is_word = letter is not None and self.alphabet.holds(charsets.WORD, letter)
                holds = ((before == AFTER_WORD) != next_is_word) == (sort == "b")
            case "behind":
                holds = self.behind[machine].accepts(behind[machine]) == wanted
            case _:
                begun = self.ahead[machine].begin(before)
                if self.ahead[machine].certain(begun):
                    return debts if wanted else None
                return tuple(sorted({*debts, (machine, begun)}))
        return debts if holds else None


def _mentions_end(tree: Tree) -> bool:
    match tree:
        case Border(sort):
            return sort != "^"
        case Sequence(parts) | Choice(parts):
            return any(_mentions_end(part) for part in parts)
        case Repeat(part) | Look(part):
            return _mentions_end(part)
        case Chars():
            return False
