"""Strings: length × patterns × excluded texts, decided on the product of the patterns' automata."""

from collections import deque
from collections.abc import Iterator
from typing import Final, TypeAlias

from stipula.diff.containment import charsets
from stipula.diff.containment.automaton import Alphabet, Machine
from stipula.diff.containment.budget import Budget, Undecidable
from stipula.diff.containment.charsets import Charset
from stipula.diff.containment.forms import INF, Node
from stipula.diff.containment.regex_parser import parse

Letters: TypeAlias = list[tuple[Charset, tuple[int, ...]]]
States: TypeAlias = tuple[int, ...]
MAX_TEXT: Final = 100_000
"""A witness longer than this is not written down."""


class Patterns:
    """The automata of one question, each made once."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.machines: dict[str, Machine | str] = {}

    def machine(self, text: str) -> Machine:
        """The automaton that searches a pattern; `Undecidable` if there is none."""
        if text not in self.machines:
            try:
                tree = parse(text)
                self.machines[text] = Machine(tree, Alphabet(tree), self.budget, search=True)
            except (Undecidable, RecursionError) as why:
                if type(why) is not Undecidable and not isinstance(why, RecursionError):
                    raise
                self.machines[text] = str(why)
        found = self.machines[text]
        if isinstance(found, str):
            raise Undecidable(found)
        return found

    def found(self, text: str, value: str) -> bool:
        """Whether the pattern is found in the value."""
        machine = self.machine(text)
        state = machine.begin(0)
        for character in value:
            state = machine.step(state, machine.alphabet.letter(character))
        return machine.accepts(state)


class Product:
    """Several automata at once, each wanted to accept or to refuse."""

    def __init__(self, parts: list[tuple[Machine, bool]], budget: Budget) -> None:
        self.parts = parts
        self.budget = budget
        self.letters = _letters([machine.alphabet for machine, _ in parts])
        self.moves: dict[States, list[tuple[Charset, States]]] = {}
        self.start: States = tuple(machine.begin(0) for machine, _ in parts)

    def accepts(self, states: States) -> bool:
        """Whether a text that ends here is accepted by those that want it and by no other."""
        return all(
            machine.accepts(state) == wanted for (machine, wanted), state in zip(self.parts, states, strict=True)
        )

    def after(self, states: States) -> list[tuple[Charset, States]]:
        """What can be read next without losing all hope, the readable first."""
        if states not in self.moves:
            found: dict[States, list[Charset]] = {}
            for allowed, letter in self.letters:
                self.budget.spend()
                target = tuple(
                    machine.step(state, at) for (machine, _), state, at in zip(self.parts, states, letter, strict=True)
                )
                if self._hopeful(target):
                    found.setdefault(target, []).append(allowed)
            moves = [(charsets.joined(*sets), target) for target, sets in found.items()]
            self.moves[states] = sorted(moves, key=_readable)
        return self.moves[states]

    def _hopeful(self, states: States) -> bool:
        return all(
            state >= 0 if wanted else not machine.certain(state)
            for (machine, wanted), state in zip(self.parts, states, strict=True)
        )

    # ------------------------------------------------------------ the shortest text

    def shortest(self, low: int, high: float) -> str | None:
        """The shortest accepted text of low to high characters, by breadth."""
        begin: tuple[States, int] = (self.start, 0)
        came: dict[tuple[States, int], tuple[tuple[States, int], str] | None] = {begin: None}
        open_ = deque[tuple[tuple[States, int], int]]([(begin, 0)])
        while open_:
            node, length = open_.popleft()
            self.budget.spend()
            if node[1] == low and self.accepts(node[0]):
                return _spelled(came, node)
            if length >= high:
                continue
            for allowed, target in self.after(node[0]):
                reached = (target, min(low, node[1] + 1))
                if reached not in came:
                    came[reached] = (node, charsets.samples(allowed, 1)[0])
                    open_.append((reached, length + 1))
        return None

    # ------------------------------------------------------------ all texts, shortest first

    def texts(self, low: int, high: float, wanted: int) -> Iterator[str]:
        """Accepted texts, shortest first; classes of characters are sampled, never below `wanted` texts in all."""
        reachable = self._reachable()
        can: list[set[States]] = [{states for states in reachable if self.accepts(states)}]
        length, barren = 0, 0
        while length <= high and barren <= len(reachable):
            if length >= low:
                hit = self.start in can[length]
                if hit:
                    yield from self._of_length(length, can, wanted)
                barren = 0 if hit or length < len(reachable) else barren + 1
            nearer = can[length]
            can.append({states for states in reachable if any(target in nearer for _, target in self.after(states))})
            for _ in reachable:
                self.budget.spend()
            length += 1

    def _reachable(self) -> list[States]:
        seen = {self.start: None}
        open_ = [self.start]
        while open_:
            for _, target in self.after(open_.pop()):
                if target not in seen:
                    seen[target] = None
                    open_.append(target)
        return list(seen)

    def _of_length(self, length: int, can: list[set[States]], wanted: int) -> Iterator[str]:
        stack: list[Iterator[tuple[str, States]]] = [iter([("", self.start)])]
        spelled: list[str] = []
        while stack:
            self.budget.spend()
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
                if spelled:
                    spelled.pop()
                continue
            left = length - len(stack) + 1
            if left == 0:
                yield "".join([*spelled, step[0]])
                continue
            spelled.append(step[0])
            stack.append(self._onward(step[1], can[left - 1], wanted))

    def _onward(self, states: States, good: set[States], wanted: int) -> Iterator[tuple[str, States]]:
        for allowed, target in self.after(states):
            if target in good:
                for character in charsets.samples(allowed, wanted):
                    yield character, target


def _spelled(came: dict[tuple[States, int], tuple[tuple[States, int], str] | None], node: tuple[States, int]) -> str:
    letters: list[str] = []
    step = came[node]
    while step is not None:
        node, letter = step
        letters.append(letter)
        step = came[node]
    return "".join(reversed(letters))


def _readable(move: tuple[Charset, States]) -> tuple[int, int]:
    sample = ord(charsets.samples(move[0], 1)[0])
    for rank, (first, last) in enumerate(charsets.PREFERRED):
        if ord(first) <= sample <= ord(last):
            return rank, sample
    return len(charsets.PREFERRED), sample


def _letters(alphabets: list[Alphabet]) -> Letters:
    cuts = sorted({0, 0xD800, 0xE000, *(start for alphabet in alphabets for start in alphabet.starts)})
    classes: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for at, low in enumerate(cuts):
        high = cuts[at + 1] - 1 if at + 1 < len(cuts) else charsets.TOP
        if low == charsets.SURROGATES[0]:
            continue
        classes.setdefault(tuple(alphabet.letter(chr(low)) for alphabet in alphabets), []).append((low, high))
    return [(charsets.joined(tuple(ranges)), letter) for letter, ranges in classes.items()]


class Strings:
    """Conjunctions of string atoms."""

    def __init__(self, patterns: Patterns) -> None:
        self.patterns = patterns
        self.products: dict[tuple[tuple[str, bool], ...], Product] = {}

    def values(self, atoms: list[Node], wanted: int) -> list[str]:
        """Up to `wanted` strings that satisfy all atoms, fewer only if there are no more."""
        low, high = 0, INF
        texts: dict[tuple[str, bool], None] = {}
        barred: dict[str, None] = {}
        for atom in atoms:
            match atom.op:
                case "slen":
                    low, high = max(low, atom.args[0]), min(high, atom.args[1])
                case "notin":
                    barred.update(dict.fromkeys(atom.values))
                case _:
                    texts[atom.args[0], atom.op == "pat"] = None
        if low > high or any((text, not sign) in texts for text, sign in texts):
            return []
        product, unclear = self._product(tuple(sorted(texts)))
        if low > MAX_TEXT:
            raise Undecidable(f"strings of {low} characters or more")
        found = self._searched(product, low, high, wanted, barred)
        if found and unclear:
            raise Undecidable(unclear)
        return found

    def _searched(self, product: Product, low: int, high: float, wanted: int, barred: dict[str, None]) -> list[str]:
        first = product.shortest(low, high)
        if first is None:
            return []
        if wanted == 1 and first not in barred:
            return [first]
        found: dict[str, None] = {}
        for text in product.texts(low, high, wanted + len(barred)):
            if text not in barred:
                found[text] = None
                if len(found) >= wanted:
                    break
        return list(found)

    def _product(self, texts: tuple[tuple[str, bool], ...]) -> tuple[Product, str]:
        machines: list[tuple[Machine, bool]] = []
        unclear = ""
        for text, wanted in texts:
            try:
                machines.append((self.patterns.machine(text), wanted))
            except Undecidable as why:
                if type(why) is not Undecidable:
                    raise
                unclear = str(why)
        if texts not in self.products:
            self.products[texts] = Product(machines, self.patterns.budget)
        return self.products[texts], unclear
