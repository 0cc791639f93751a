"""What changes about a stream as a whole: the order of its events, the laws between them, how it stays alive."""

from collections.abc import Iterator

from msgspec import UNSET
from msgspec.structs import replace

from stipula.contract.canonical import canonical
from stipula.contract.model import Contract, Json, Stream
from stipula.contract.schema import pointer
from stipula.diff.change import Change
from stipula.diff.finding import Finding
from stipula.diff.grammar_inclusion import Order, stream_beyond
from stipula.diff.rules import RULES
from stipula.diff.telling import tell
from stipula.diff.words import members


def orders(old: Contract, new: Contract, *, is_closed: bool) -> Iterator[Finding]:
    """The findings about orders and laws of the streams on both sides.

    is_closed: whether a reader refuses events that it does not know; an open one lets them pass.
    """
    after = {one.path: one for one in new.streams}
    for stream in old.streams:
        other = after.get(stream.path)
        if other is not None:
            yield from _order(stream, other, set(old.events(stream.path)), set(new.events(stream.path)), is_closed)
            yield from _laws(stream, other)


def _order(old: Stream, new: Stream, before: set[str], after: set[str], is_closed: bool) -> Iterator[Finding]:  # noqa: FBT001 - one caller
    if canonical([old.order, sorted(before)]) == canonical([new.order, sorted(after)]):
        return
    known, shown = Order(old.order, before), Order(new.order, after)
    beyond = stream_beyond(shown, known, ignores=lambda event: event not in before and not is_closed)
    if beyond is not None:
        yield tell(
            "stream-order-broken", old.id, "/order", old=old.order, new=new.order, evidence=beyond.evidence(),
            name=" → ".join(beyond.events) or "no event at all",
        )  # fmt: skip
    elif canonical(old.order) != canonical(new.order) and _is_narrower(known, shown):
        yield tell("stream-order-narrowed", old.id, "/order", old=old.order, new=new.order)


def _is_narrower(old: Order, new: Order) -> bool:
    return stream_beyond(old, new) is not None


def _laws(old: Stream, new: Stream) -> Iterator[Finding]:
    was, now = _by_id(old), _by_id(new)
    for name in sorted(was.keys() | now.keys()):
        before, after = was.get(name, UNSET), now.get(name, UNSET)
        if before is not UNSET and after is not UNSET and canonical(before) == canonical(after):
            continue
        code = "law-added" if before is UNSET else "law-removed" if after is UNSET else "law-changed"
        evidence = UNSET if code == "law-added" else {"law": name}
        yield tell(
            code, old.id, pointer("laws", name), old=before, new=after, name=name, evidence=evidence
        )  # fmt: skip


def _by_id(stream: Stream) -> dict[str, Json]:
    return {str(members(law).get("id", index)): law for index, law in enumerate(stream.laws)}


def stream_findings(change: Change) -> Iterator[Finding]:
    """What a change of a stream means, beyond its order and its laws."""
    if not change.surface.startswith("stream:"):
        return
    if change.pointer.startswith("/more"):
        yield tell(
            "stream-rule-changed",
            change.surface,
            change.pointer,
            old=change.old,
            new=change.new,
            name=change.pointer.removeprefix("/more/"),
        )
        return
    if change.rule in {"order-changed", "laws-changed"}:  # `orders` tells them as wholes
        return
    evidence = {"gone": change.surface} if change.rule == "stream-removed" else UNSET
    yield tell(
        change.rule if change.rule in RULES else "behaviour-changed", change.surface, change.pointer,
        old=change.old, new=change.new, name=change.pointer, layer=change.layer, evidence=evidence,
    )  # fmt: skip


def with_stream(finding: Finding, old: Contract, new: Contract) -> Finding:
    """A break of an event's payload with the shortest stream in which it shows."""
    path, _, event = finding.surface.removeprefix("stream:").partition("#")
    streams = [next((one for one in side.streams if one.path == path), None) for side in (old, new)]
    if finding.level != "breaking" or finding.evidence is not UNSET or None in streams:
        return finding
    known, shown = (
        Order(stream.order if stream else {}, set(side.events(path)))
        for stream, side in zip(streams, (old, new), strict=True)
    )
    beyond = stream_beyond(shown, known, fits=lambda one: one != event)
    return finding if beyond is None else replace(finding, evidence=beyond.evidence())
