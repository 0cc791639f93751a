"""The words of an automaton, the shortest first; among equally long ones in the order of their letters."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from typing import Final, TypeVar

Node = TypeVar("Node")
Letter = TypeVar("Letter")

MAX_NODES: Final = 20_000
MAX_WAITING: Final = 50_000


class TooManyStates(Exception):  # noqa: N818 - not a fault of anybody's: the search says `undecided`
    """The automaton, or the words that wait to be finished, are more than a search may keep."""


def accepted_words(
    start: Node, steps: Callable[[Node], Iterable[tuple[Letter, Node]]], is_goal: Callable[[Node], bool]
) -> Iterator[tuple[Letter, ...]]:
    """Every word that leads from the start to a goal, lazily; there may be no end of them.

    Letters must have an order. Raises TooManyStates. No word at all proves that no goal is reached.
    """
    edges = _explored(start, steps)
    left = _distances(edges, is_goal)
    waiting: list[tuple[int, tuple[Letter, ...], int, Node]] = []
    if start in left:
        waiting.append((left[start], (), 0, start))
    order = 0  # nodes are never compared: equal words are told apart by when they came
    while waiting:
        _, word, _, node = heappop(waiting)
        if is_goal(node):
            yield word
        for letter, following in edges[node]:
            if following in left:
                order += 1
                longer = (*word, letter)
                heappush(waiting, (len(longer) + left[following], longer, order, following))
        if len(waiting) > MAX_WAITING:
            raise TooManyStates


def _explored(
    start: Node, steps: Callable[[Node], Iterable[tuple[Letter, Node]]]
) -> dict[Node, list[tuple[Letter, Node]]]:
    edges: dict[Node, list[tuple[Letter, Node]]] = {}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        if node in edges:
            continue
        if len(edges) >= MAX_NODES:
            raise TooManyStates
        edges[node] = list(steps(node))
        waiting.extend(following for _, following in edges[node])
    return edges


def _distances(edges: dict[Node, list[tuple[Letter, Node]]], is_goal: Callable[[Node], bool]) -> dict[Node, int]:
    """How many letters are left from each node to the nearest goal; nodes that reach none are not in it."""
    before: dict[Node, list[Node]] = {}
    for node, out in edges.items():
        for _, following in out:
            before.setdefault(following, []).append(node)
    left = {node: 0 for node in edges if is_goal(node)}
    waiting = deque(left)
    while waiting:
        node = waiting.popleft()
        for earlier in before.get(node, ()):
            if earlier not in left:
                left[earlier] = left[node] + 1
                waiting.append(earlier)
    return left
