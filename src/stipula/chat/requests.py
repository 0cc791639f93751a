"""What a client may send: bodies read strictly, and refused in words that name the field."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from stipula.chat.thinking import DEFAULT, KNOWN, Mode, mode_of
from stipula.errors import Problem

T = TypeVar("T")
ID_FORM: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
LANGUAGE_FORM: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_TRUE: Final = frozenset({"true", "1", "yes", "on"})
_FALSE: Final = frozenset({"false", "0", "no", "off", ""})
_NUMBERS: Final[dict[str, type[int] | type[float]]] = {
    "temperature": float,
    "temperature_deep": float,
    "top_p": float,
    "max_tokens_deep": int,
}


class RequestBroken(Problem):
    """A request that cannot be read or asks for what there is not."""

    code, status = "CHT001", 400
    hint = "{why}"


class HistoryLine(Struct, frozen=True):
    """One earlier message, where the client keeps the conversation itself."""

    role: Literal["user", "assistant", "system"]
    content: str


class ChatRequest(Struct, frozen=True, kw_only=True):
    """The body of POST /chat/stream and POST /chat.

    Fields that are not named here are ignored, so that clients of later versions are understood.
    message_id: the client's own name for the question; the same one again is the same question.
    history: looked at only where nothing is stored. deep_thinking: counts where no mode is named.
    """

    message: str
    model: str = ""
    context: Annotated[str, Meta(max_length=64)] = "casual"
    thinking_mode: str | None = None
    deep_thinking: bool | str = False
    history: Annotated[list[HistoryLine], Meta(max_length=1000)] | None = None
    language: str | None = None
    custom_prompt: str | None = None
    conversation_id: str | None = None
    message_id: str | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    temperature_deep: Annotated[float, Meta(ge=0, le=2)] | None = None
    max_tokens_deep: Annotated[int, Meta(ge=1, le=131072)] | None = None
    top_p: Annotated[float, Meta(ge=0, le=1)] | None = None

    @property
    def mode(self) -> Mode:
        """The mode that runs."""
        name = self.thinking_mode or ("think" if is_true(self.deep_thinking, "deep_thinking") else DEFAULT)
        mode = mode_of(name)
        if mode is None:
            raise RequestBroken(why=f"`thinking_mode` is {name[:40]!r}; wanted one of {', '.join(KNOWN)}")
        return mode

    @property
    def locale(self) -> str:
        """The language of the words we add, as its first two or three letters."""
        return (self.language or "en").partition("-")[0].lower()


class NewConversation(Struct, frozen=True, kw_only=True):
    """The body of POST /conversations/new."""

    model: Annotated[str, Meta(max_length=200)] = ""
    title: Annotated[str, Meta(max_length=500)] = ""
    system_prompt: Annotated[str, Meta(max_length=20_000)] | None = None


class Rename(Struct, frozen=True, kw_only=True):
    """The body of PATCH /conversations/{id}."""

    title: Annotated[str, Meta(min_length=1, max_length=500)]


def read(body: bytes, kind: type[T]) -> T:
    """The body as this kind; RequestBroken names the field that is wrong. An empty body is an empty object."""
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except msgspec.ValidationError as why:
        raise RequestBroken(why=_words(str(why))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise RequestBroken(why="the body is not JSON; wanted: a JSON object in UTF-8") from None


def read_query(query: Mapping[str, str]) -> ChatRequest:
    """The chat request in the query of a GET; words that name numbers are read as such."""
    fields: dict[str, Any] = {}
    for name, text in query.items():
        number = _NUMBERS.get(name)
        try:
            fields[name] = number(text) if number else text
        except ValueError:
            raise RequestBroken(why=f"`{name}` is {text[:40]!r}; wanted: a number") from None
    fields.pop("history", None)  # a list; only a body carries one
    try:
        return msgspec.convert(fields, ChatRequest)
    except msgspec.ValidationError as why:
        raise RequestBroken(why=_words(str(why))) from None


def checked(request: ChatRequest, *, max_message_chars: int) -> ChatRequest:
    """The request, if nothing in it is refused."""
    if not request.message.strip():
        raise RequestBroken(why="`message` is empty; wanted: something to answer")
    if len(request.message) > max_message_chars:
        raise RequestBroken(why=f"`message` has {len(request.message)} characters; wanted: at most {max_message_chars}")
    for name, value in (("conversation_id", request.conversation_id), ("message_id", request.message_id)):
        if value and not ID_FORM.fullmatch(value):
            raise RequestBroken(why=f"`{name}` is no id; wanted: 1 to 64 letters, digits, - or _")
    if request.language and not LANGUAGE_FORM.fullmatch(request.language[:64]):
        raise RequestBroken(why="`language` is no language tag; wanted: for example en or pt-BR")
    _ = request.mode
    return request


def is_true(value: bool | str, name: str) -> bool:  # noqa: FBT001 - what the wire gives
    """A truth value, also as older clients write it: in words."""
    if isinstance(value, bool):
        return value
    if value.lower() in _TRUE:
        return True
    if value.lower() in _FALSE:
        return False
    raise RequestBroken(why=f"`{name}` is {value[:40]!r}; wanted: true or false")


_PLACE: Final = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<path>[^`]*)`)?$", re.DOTALL)


def _words(message: str) -> str:
    """A converter's message in our form: the field first."""
    found = _PLACE.match(message)
    if found is None or not found["path"]:
        return message
    return f"`{found['path']}`: {found['what'][:1].lower()}{found['what'][1:]}"
