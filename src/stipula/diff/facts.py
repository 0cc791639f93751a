"""What differs between two schemas in their plain spelling: one fact a difference, references followed, unjudged."""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import UNSET, UnsetType

from stipula.contract.canonical import canonical
from stipula.contract.model import Json
from stipula.contract.schema import pointer
from stipula.diff import words
from stipula.diff.branches import partners
from stipula.diff.fact import Edit, Fact, Patch, moved_in
from stipula.diff.plain import Plain
from stipula.diff.renames import renames
from stipula.diff.views import View, but, names_in, placed, states, type_edit, view_of
from stipula.diff.words import is_annotation, listed, members

MAX_FACTS: Final = 500
MAX_PAIRS: Final = 20_000
ONE_SCHEMA: Final = frozenset({
    "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems",
    "unevaluatedProperties",
})  # fmt: skip
ITEMS: Final = frozenset({"contains", "items", "unevaluatedItems"})
REST: Final = frozenset({"additionalProperties", "unevaluatedProperties"})
CHOICES: Final = ("anyOf", "oneOf")
CONDITION: Final = frozenset({"if", "then", "else"})
NAMED: Final = frozenset({"dependentRequired", "dependentSchemas", "patternProperties"})


def facts(old: Plain, new: Plain) -> list[Fact]:
    """Every difference, at most MAX_FACTS, in a fixed order. Both schemas are no wholes (`Plain.is_whole`)."""
    walk = _Walk(old, new)
    found: list[Fact] = []
    for fact in walk.pair("", "", ""):
        found.append(fact)
        if len(found) == MAX_FACTS:
            break
    return found


class _Walk:
    def __init__(self, old: Plain, new: Plain) -> None:
        self.old, self.new = old, new
        self.seen: set[tuple[str, str]] = set()

    def pair(self, was: str, now: str, reads: str) -> Iterator[Fact]:
        """The differences of two schemas by their places; a pair of places is told once."""
        old, new = view_of(self.old, was), view_of(self.new, now)
        if (old.place, new.place) in self.seen or len(self.seen) > MAX_PAIRS:
            return
        self.seen.add((old.place, new.place))
        if isinstance(old.schema, bool) or isinstance(new.schema, bool):  # true is {} by now
            if canonical(old.schema) != canonical(new.schema):
                edit: Edit = "narrowed" if new.schema is False else "widened"
                yield self.fact("", edit, old, new, reads, patches=[Patch(old.place, moved_in(new.schema))])
            return
        yield from self._choices(old, new, reads)

    def fact(
        self,
        word: str,
        edit: Edit,
        old: View,
        new: View,
        reads: str,
        *,
        below: tuple[str | int, ...] = (),
        below_new: tuple[str | int, ...] | None = None,
        name: str = "",
        values: tuple[Json | UnsetType, Json | UnsetType] | None = None,
        patches: list[Patch],
    ) -> Fact:
        """One fact at a keyword of a pair, or some steps below it."""
        was = (old.at(word) if word else old.place) + pointer(*below)
        now = (new.at(word) if word else new.place) + pointer(*(below if below_new is None else below_new))
        if values is None:
            values = (old.get(word), new.get(word)) if word else (old.schema, new.schema)
        return Fact(
            word=word, edit=edit, name=name, reads=reads, old=values[0], new=values[1], patches=tuple(patches),
            pointer=self.old.written_at(was) if values[1] is UNSET else self.new.written_at(now),
            old_place=was, new_place=now, is_annotation=bool(word) and is_annotation(word),
        )  # fmt: skip

    # ------------------------------------------------------------ keyword by keyword

    def _choices(self, old: View, new: View, reads: str) -> Iterator[Fact]:
        """A schema that became one of a choice is held against its own branch, and the other way round."""
        for word in CHOICES:
            if word in new.said and not any(one in old.said for one in CHOICES) and states(old):
                yield from self._wrapped(word, old, new, reads)
                return
            if word in old.said and not any(one in new.said for one in CHOICES) and states(new):
                yield from self._unwrapped(word, old, new, reads)
                return
        yield from self._keywords(old, new, reads)

    def _wrapped(self, word: str, old: View, new: View, reads: str) -> Iterator[Fact]:
        branches = listed(new.get(word))
        paired = partners([(old.schema, old.place)], placed(branches, new.at(word)), self._forms())
        rest = [one for one in new.said if one != word and not is_annotation(one)]
        if not paired or rest:
            yield from self._keywords(old, new, reads)
            return
        kept = paired[0][1]
        texts = View(old.place, old.schema, {k: v for k, v in old.said.items() if is_annotation(k)})
        yield from self._keywords(texts, View(new.place, new.schema, but(new, word)), reads)
        own = {key: value for key, value in members(old.schema).items() if key not in words.CORE}
        core = {key: value for key, value in members(old.schema).items() if key in words.CORE}
        for index, branch in enumerate(branches):
            if index != kept:
                whole = core | {word: [own, moved_in(branch)]}
                yield self.fact(
                    word, "value-added", old, new, reads,
                    below=(index,), values=(UNSET, branch), patches=[Patch(old.place, whole)],
                )  # fmt: skip
        inner = view_of(self.new, f"{new.at(word)}/{kept}")
        bare = View(old.place, old.schema, {k: v for k, v in old.said.items() if not is_annotation(k)})
        yield from self._keywords(bare, inner, reads)

    def _unwrapped(self, word: str, old: View, new: View, reads: str) -> Iterator[Fact]:
        branches = listed(old.get(word))
        paired = partners(placed(branches, old.at(word)), [(new.schema, new.place)], self._forms())
        rest = [one for one in old.said if one != word and not is_annotation(one)]
        if not paired or rest:
            yield from self._keywords(old, new, reads)
            return
        kept = paired[0][0]
        texts = View(new.place, new.schema, {k: v for k, v in new.said.items() if is_annotation(k)})
        yield from self._keywords(View(old.place, old.schema, but(old, word)), texts, reads)
        for index, branch in enumerate(branches):
            if index != kept:
                left = [one for at_, one in enumerate(branches) if at_ != index]
                yield self.fact(
                    word, "value-removed", old, new, reads,
                    below=(index,), values=(branch, UNSET), patches=[Patch(old.at(word), left)],
                )  # fmt: skip
        inner = view_of(self.old, f"{old.at(word)}/{kept}")
        bare = View(new.place, new.schema, {k: v for k, v in new.said.items() if not is_annotation(k)})
        yield from self._keywords(inner, bare, reads)

    def _forms(self) -> Callable[[Json, str, bool], View]:
        return lambda _schema, place, is_old: view_of(self.old if is_old else self.new, place)

    def _keywords(self, old: View, new: View, reads: str) -> Iterator[Fact]:
        done: set[str] = set()
        for word in sorted(old.said.keys() | new.said.keys(), key=lambda one: (one != "if", one)):
            if word in done:
                continue
            was, now = old.get(word), new.get(word)
            if word == "if" and (was is UNSET) != (now is UNSET):
                done |= CONDITION
                yield self._condition(old, new, reads)
                continue
            if word in {"properties", "required"}:
                done |= {"properties", "required"}
                yield from self._fields(old, new, reads)
            elif word in NAMED:
                yield from self._map(word, old, new, reads)
            elif word in {"allOf", "anyOf", "oneOf"} and was is not UNSET and now is not UNSET:
                yield from self._branches(word, old, new, reads)
            elif word == "prefixItems":
                yield from self._positions(old, new, reads)
            elif word in ONE_SCHEMA:
                yield from self._one_schema(word, old, new, reads)
            elif was is UNSET or now is UNSET or canonical(was) != canonical(now):
                yield from self._value(word, old, new, reads)

    def _condition(self, old: View, new: View, reads: str) -> Fact:
        """A condition that came or went, with what hangs on it."""
        here = new if "if" in new.said else old
        whole = {word: here.get(word) for word in sorted(CONDITION & here.said.keys())}
        is_come = here is new
        patches = [Patch(old.at(word), moved_in(value) if is_come else UNSET) for word, value in whole.items()]
        values = (UNSET, whole) if is_come else (whole, UNSET)
        return self.fact("if", "added" if is_come else "removed", old, new, reads, values=values, patches=patches)

    def _value(self, word: str, old: View, new: View, reads: str) -> Iterator[Fact]:
        was, now = old.get(word), new.get(word)
        patch = [Patch(old.at(word), UNSET if now is UNSET else moved_in(now))]
        if word == "enum" and isinstance(was, list) and isinstance(now, list):
            yield from self._values(old, new, reads)
        elif was is UNSET or now is UNSET:
            yield self.fact(word, "added" if was is UNSET else "removed", old, new, reads, patches=patch)
        elif word == "type":
            if edit := type_edit(was, now):
                yield self.fact(word, edit, old, new, reads, patches=patch)
        elif word in words.NUMBER_WORDS:
            edit = "increased" if now > was else "decreased"
            yield self.fact(word, edit, old, new, reads, patches=patch)
        else:
            yield self.fact(word, "changed", old, new, reads, patches=patch)

    def _values(self, old: View, new: View, reads: str) -> Iterator[Fact]:
        before = {canonical(one): one for one in listed(old.get("enum"))}
        after = {canonical(one): one for one in listed(new.get("enum"))}
        if len(before) == len(after) == 1 and before.keys() != after.keys():
            patch = [Patch(old.at("enum"), list(after.values()))]
            values = next(iter(before.values())), next(iter(after.values()))
            yield self.fact("enum", "changed", old, new, reads, values=values, patches=patch)
            return
        for key in sorted(before.keys() - after.keys()):
            left = [one for name, one in before.items() if name != key] or list(after.values())
            patch = [Patch(old.at("enum"), left)]
            yield self.fact(
                "enum", "value-removed", old, new, reads,
                name=key.decode(), values=(before[key], UNSET), patches=patch,
            )  # fmt: skip
        for key in sorted(after.keys() - before.keys()):
            patch = [Patch(old.at("enum"), [*before.values(), after[key]])]
            yield self.fact(
                "enum", "value-added", old, new, reads, name=key.decode(), values=(UNSET, after[key]), patches=patch
            )

    # ------------------------------------------------------------ fields

    def _fields(self, old: View, new: View, reads: str) -> Iterator[Fact]:
        was, now = members(old.get("properties")), members(new.get("properties"))
        gone = {name: canonical(was[name]) for name in was.keys() - now.keys()}
        come = {name: canonical(now[name]) for name in now.keys() - was.keys()}
        renamed = renames(gone, come)
        needed, needed_now = names_in(old.get("required")), names_in(new.get("required"))
        told: set[str] = set()
        for name in sorted(was):
            here = f"{reads}{pointer(name)}"
            if name in renamed:
                told |= {name, renamed[name]}
                yield self._renamed(name, renamed[name], old, new, here)
            elif name in now:
                places = old.at("properties") + pointer(name), new.at("properties") + pointer(name)
                yield from self.pair(*places, here)
            else:
                told.add(name)
                yield self._removed(name, old, new, here)
        for name in sorted(now.keys() - was.keys() - set(renamed.values())):
            told.add(name)
            yield self._added(name, old, new, f"{reads}{pointer(name)}")
        for name in sorted((needed - needed_now) - told):
            yield self._requirement(name, "value-removed", old, new, reads)
        for name in sorted((needed_now - needed) - told):
            yield self._requirement(name, "value-added", old, new, reads)

    def _required_without(self, old: View, gone: set[str], come: set[str]) -> Patch:
        names = sorted((names_in(old.get("required")) - gone) | come)
        return Patch(old.at("required"), names or UNSET)

    def _requirement(self, name: str, edit: Edit, old: View, new: View, reads: str) -> Fact:
        is_gone = edit == "value-removed"
        patch = self._required_without(old, {name} if is_gone else set(), set() if is_gone else {name})
        return self.fact(
            "required", edit, old, new, f"{reads}{pointer(name)}",
            name=name, values=(name, UNSET) if is_gone else (UNSET, name), patches=[patch],
        )  # fmt: skip

    def _renamed(self, name: str, other: str, old: View, new: View, reads: str) -> Fact:
        needed, needed_now = names_in(old.get("required")), names_in(new.get("required"))
        patches = [
            Patch(old.at("properties") + pointer(name)),
            Patch(old.at("properties") + pointer(other), moved_in(members(new.get("properties"))[other])),
        ]
        if name in needed or other in needed_now:
            patches.append(self._required_without(old, {name}, {other} if other in needed_now else set()))
        return self.fact(
            "properties",
            "renamed",
            old,
            new,
            reads,
            below=(name,),
            below_new=(other,),
            name=name,
            values=(name, other),
            patches=patches,
        )

    def _removed(self, name: str, old: View, new: View, reads: str) -> Fact:
        patches = [Patch(old.at("properties") + pointer(name))]
        if name in names_in(old.get("required")) - names_in(new.get("required")):
            patches.append(self._required_without(old, {name}, set()))
        values = members(old.get("properties"))[name], UNSET
        return self.fact(
            "properties", "removed", old, new, reads, below=(name,), name=name, values=values, patches=patches
        )

    def _added(self, name: str, old: View, new: View, reads: str) -> Fact:
        schema = members(new.get("properties"))[name]
        patches = [Patch(old.at("properties") + pointer(name), moved_in(schema))]
        is_needed = name in names_in(new.get("required")) - names_in(old.get("required"))
        if is_needed:
            patches.append(self._required_without(old, set(), {name}))
        edit: Edit = "added-required" if is_needed else "added"
        return self.fact(
            "properties", edit, old, new, reads, below=(name,), name=name, values=(UNSET, schema), patches=patches
        )

    # ------------------------------------------------------------ schemas below keywords

    def _map(self, word: str, old: View, new: View, reads: str) -> Iterator[Fact]:
        was, now = members(old.get(word)), members(new.get(word))
        for name in sorted(was.keys() | now.keys()):
            values = was.get(name, UNSET), now.get(name, UNSET)
            if UNSET not in values and word != "dependentRequired":
                inner = f"{reads}/*" if word == "patternProperties" else reads
                yield from self.pair(old.at(word) + pointer(name), new.at(word) + pointer(name), inner)
                continue
            if word == "dependentRequired" and names_in(values[0]) == names_in(values[1]):
                continue
            edit: Edit = "added" if values[0] is UNSET else "removed" if values[1] is UNSET else "changed"
            patch = Patch(old.at(word) + pointer(name), UNSET if values[1] is UNSET else moved_in(values[1]))
            yield self.fact(word, edit, old, new, reads, below=(name,), name=name, values=values, patches=[patch])

    def _one_schema(self, word: str, old: View, new: View, reads: str) -> Iterator[Fact]:
        was, now = old.get(word), new.get(word)
        inner = f"{reads}/*" if word in ITEMS | REST else reads
        if isinstance(was, dict) and isinstance(now, dict):
            yield from self.pair(old.at(word), new.at(word), inner)
        elif was is UNSET or now is UNSET or was != now:
            patch = Patch(old.at(word), UNSET if now is UNSET else moved_in(now))
            edit: Edit = "added" if was is UNSET else "removed" if now is UNSET else "changed"
            yield self.fact(word, edit, old, new, inner, patches=[patch])

    def _positions(self, old: View, new: View, reads: str) -> Iterator[Fact]:
        was, now = listed(old.get("prefixItems")), listed(new.get("prefixItems"))
        for index in range(min(len(was), len(now))):
            places = f"{old.at('prefixItems')}/{index}", f"{new.at('prefixItems')}/{index}"
            yield from self.pair(*places, f"{reads}/{index}")
        for index in range(len(now), len(was)):
            kept = was[:index] or UNSET
            yield self.fact(
                "prefixItems", "removed", old, new, f"{reads}/{index}",
                below=(index,), name=str(index), values=(was[index], UNSET),
                patches=[Patch(old.at("prefixItems"), kept)],
            )  # fmt: skip
        for index in range(len(was), len(now)):
            longer = [*was, *(moved_in(one) for one in now[len(was) : index + 1])]
            yield self.fact(
                "prefixItems", "added", old, new, f"{reads}/{index}", below=(index,), name=str(index),
                values=(UNSET, now[index]), patches=[Patch(old.at("prefixItems"), longer)],
            )  # fmt: skip

    def _branches(self, word: str, old: View, new: View, reads: str) -> Iterator[Fact]:
        was, now = listed(old.get(word)), listed(new.get(word))
        paired = partners(placed(was, old.at(word)), placed(now, new.at(word)), self._forms())
        if not paired:
            patch = Patch(old.at(word), [moved_in(one) for one in now])
            yield self.fact(word, "changed", old, new, reads, patches=[patch])
            return
        for before, after in paired:
            yield from self.pair(f"{old.at(word)}/{before}", f"{new.at(word)}/{after}", reads)
        for index in sorted(set(range(len(was))) - {before for before, _ in paired}):
            left = [one for at_, one in enumerate(was) if at_ != index]
            yield self.fact(
                word, "value-removed", old, new, reads,
                below=(index,), values=(was[index], UNSET), patches=[Patch(old.at(word), left)],
            )  # fmt: skip
        for index in sorted(set(range(len(now))) - {after for _, after in paired}):
            more = [*was, moved_in(now[index])]
            yield self.fact(
                word, "value-added", old, new, reads,
                below=(index,), values=(UNSET, now[index]), patches=[Patch(old.at(word), more)],
            )  # fmt: skip
