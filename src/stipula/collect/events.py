"""A stream from its events document: one surface an event, and the order and laws of the whole."""

from pathlib import Path
from typing import Any, Final, cast

from msgspec import json

from stipula.collect.document import read_file
from stipula.collect.project import CollectEntry
from stipula.contract import schema
from stipula.contract.model import Contract, Stream, Surface
from stipula.errors import EXIT_UNAVAILABLE, Problem
from stipula.wire.document import GrammarBroken, any_order, read_document

MORE: Final = ("forms", "producer", "unknown_events", "unknown_keys")
"""What a document may say beside its events, their order, laws and keepalive, and is frozen with them."""


class BadEvents(Problem):
    """A file that should hold the events of a stream does not."""

    code, exit_code = "COL210", EXIT_UNAVAILABLE
    hint = "{file}: {why}"


def collect(entry: CollectEntry, root: Path) -> Contract:
    """The stream of an events document. Without `path` it is called after the file: chat.json is /chat."""
    document = read_file(root / entry.file, entry.file)
    if not isinstance(document, dict):
        raise BadEvents(file=entry.file, why='not an object; wanted {"events", "order", "laws", "keepalive"}')
    return stream_contract(cast("dict[str, Any]", document), entry.path or f"/{Path(entry.file).stem}", entry.file)


def stream_contract(document: dict[str, Any], path: str, file: str) -> Contract:
    """The contract of one stream. file: how messages name the document."""
    try:
        told = read_document(document)
    except GrammarBroken as why:
        raise BadEvents(file=file, why=why) from None
    for name, shape in told.events.items():
        schema.check(shape, where=f"{file}: event {name}")
    surfaces = tuple(
        Surface(id=f"stream:{path}#{name}", kind="stream", shapes={"success": shape})
        for name, shape in told.events.items()
    )
    whole = Stream(
        path=path,
        order=document.get("order") or json.decode(json.encode(any_order(told.events))),
        laws=tuple(document.get("laws", ())),
        keepalive=told.keepalive,
        more={name: document[name] for name in MORE if name in document},
    )
    return Contract(surfaces=surfaces, streams=(whole,))
