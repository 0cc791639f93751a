"""Different values for different places: a matching in the graph of places and values (Kuhn's algorithm)."""

from typing import Any

from stipula.diff.containment.values import Key, Value, key


def matched(choices: list[list[Value]]) -> list[Value] | None:
    """One value of each choice, no two equal; None if that cannot be."""
    by_key: dict[Key, Value] = {}
    options: list[list[Key]] = []
    for choice in choices:
        keys = [key(value) for value in choice]
        by_key.update(zip(keys, choice, strict=True))
        options.append(keys)
    taken: dict[Key, int] = {}
    for place in range(len(options)):
        if not _placed(place, options, taken):
            return None
    chosen: list[Any] = [None] * len(options)
    for name, place in taken.items():
        chosen[place] = by_key[name]
    return chosen


def _placed(place: int, options: list[list[Key]], taken: dict[Key, int]) -> bool:
    """Find a value for one more place, moving others along a path where needed (breadth first)."""
    came: dict[Key, tuple[int, Key | None]] = {}
    open_: list[tuple[int, Key | None]] = [(place, None)]
    for here, through in open_:
        for name in options[here]:
            if name in came:
                continue
            came[name] = (here, through)
            if name not in taken:
                step: Key | None = name
                while step is not None:
                    holder, step_before = came[step]
                    taken[step] = holder
                    step = step_before
                return True
            open_.append((taken[name], name))
    return False
