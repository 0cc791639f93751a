"""The chat's own contract, declared: the stream from its Structs, the routes from their bodies.

`CONTRACT` is what the collector `declared` reads. Order, laws and keepalive of the stream are those of `chat_v2.json`.
"""

from collections.abc import Iterable
from typing import Final

from stipula.chat import shapes
from stipula.chat.events import RESERVED, SENT, Payload
from stipula.chat.guard import document
from stipula.chat.requests import ChatRequest, NewConversation, Rename
from stipula.contract.declare import Contract

PATH: Final = "/chat/stream"


def stream_of(kinds: Iterable[type[Payload]]) -> Contract:
    """The contract of the stream whose events are these."""
    told = document()
    return Contract().stream(
        PATH,
        {kind.event: kind for kind in kinds},
        order=told["order"],
        laws=told["laws"],
        keepalive=told["keepalive"],
    )


def _declare(contract: Contract) -> Contract:
    fault = shapes.Fault
    one = "/conversations/{id}"
    contract.route(
        "POST",
        "/chat",
        {200: shapes.Answer, 400: fault, 404: fault, 429: fault, 500: fault, 503: fault},
        takes=ChatRequest,
    )
    contract.route("POST", PATH, {}, takes=ChatRequest)
    contract.route("DELETE", f"{PATH}/{{request_id}}", {200: shapes.Stopped, 404: fault})
    contract.route("GET", f"{PATH}/metrics", {200: shapes.Metrics})
    contract.route("GET", "/conversations", {200: shapes.ConversationList, 500: fault, 503: fault})
    contract.route("GET", "/conversations/search", {200: shapes.FoundConversations, 500: fault, 503: fault})
    contract.route(
        "POST",
        "/conversations/new",
        {200: shapes.Conversation, 400: fault, 500: fault, 503: fault},
        takes=NewConversation,
    )
    contract.route("GET", one, {200: shapes.WholeConversation, 404: fault, 500: fault, 503: fault})
    contract.route("DELETE", one, {200: shapes.Done, 404: fault, 500: fault, 503: fault})
    contract.route("PATCH", one, {200: shapes.Renamed, 400: fault, 404: fault, 500: fault, 503: fault}, takes=Rename)
    contract.route("POST", f"{one}/archive", {200: shapes.Done, 404: fault, 500: fault, 503: fault})
    contract.route("POST", f"{one}/switch", {200: shapes.Switched, 404: fault, 500: fault, 503: fault})
    contract.route("GET", "/api/models", {200: shapes.ModelList})
    contract.route("GET", "/api/health/databases", {200: shapes.DatabaseHealth, 503: shapes.DatabaseHealth})
    return contract


CONTRACT: Final = _declare(stream_of((*SENT, *RESERVED)))
