"""The vocabulary in which every dialect is read and from which every dialect is written.

Structs are frozen: nobody changes a message in flight. A dialect's reader makes these, a writer spells them. What
another vendor cannot carry is a `Loss` (see `losses.py`), never a silent drop.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct, field

Json = dict[str, Any]

# What ECMAScript's trim() takes away. Python's strip() also takes U+001C-001F and U+0085, and leaves U+FEFF.
_NOT_WHITE_SPACE: Final = re.compile("[^\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]")


def is_blank(text: str) -> bool:
    """Whether ECMAScript's trim() leaves nothing of the text."""
    return _NOT_WHITE_SPACE.search(text) is None


class Part(Struct, frozen=True, kw_only=True, tag_field="part"):
    """One piece of a turn's content. `extra` keeps members of the wire form that we have no word for.

    at: JSON Pointer of the piece in the request as it came, for losses; "" where it came from no request.
    """

    at: str = ""
    extra: Json | None = None


class Text(Part, frozen=True, tag="text"):
    """Plain text, never trimmed and never joined. citations: the sources a vendor named for it, as it spelled them."""

    text: str
    citations: tuple[Json, ...] = ()


class Media(Part, frozen=True, tag="media"):
    """An image, a document or a piece of sound: exactly one of data (base64), url, file_id and text is set.

    mime: for example `image/png`; None where the wire does not say. name: a file name.
    detail: an image's wanted detail.
    """

    kind: Literal["image", "document", "audio"]
    mime: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None
    text: str | None = None
    name: str | None = None
    detail: str | None = None


class ToolCall(Part, frozen=True, tag="tool_call"):
    """A call the model made. arguments: JSON text exactly as the model sent it, never encoded again.

    signature: a vendor's seal of the reasoning before the call, which must travel back unchanged, and only to the
    dialect that made it: origin, which is the ask's own where it is "".
    legacy: the pre-tool `function_call` of chat. kind: `custom` for a call whose input is free text.
    """

    call_id: str
    name: str
    arguments: str
    signature: str | None = None
    origin: str = ""
    legacy: bool = False
    kind: Literal["function", "custom"] = "function"


class ToolResult(Part, frozen=True, tag="tool_result"):
    """What a tool answered. legacy: the pre-tool `function` role of chat, which has a name instead of an id.

    plain: the content was one string. value: the answer as the object that it was, where the wire takes objects.
    """

    call_id: str
    parts: tuple[Part, ...] = ()
    value: Any = None
    plain: bool = False
    name: str | None = None
    is_error: bool = False
    legacy: bool = False


class Thought(Part, frozen=True, tag="thought"):
    """Reasoning. signature: opaque to us, must travel back unchanged. redacted: the text is the vendor's cipher.

    origin: the dialect that signed it; the ask's own where it is "". No other one can use it.
    """

    text: str
    signature: str | None = None
    redacted: bool = False
    origin: str = ""


class Refusal(Part, frozen=True, tag="refusal"):
    """The model's words of refusal."""

    text: str


class Foreign(Part, frozen=True, tag="foreign"):
    """A part we do not know, kept as it came; content if it names a type, nothing if it does not."""

    dialect: str
    raw: Any
    is_content: bool


Role = Literal["system", "developer", "user", "assistant", "tool", "other"]


class Turn(Struct, frozen=True, kw_only=True):
    """One entry of the history. role: `other` holds for every role the dialect does not define, and for none.

    A `tool` turn holds only tool results, at least one; no other turn holds any.
    at: JSON Pointer of the entry in the request as it came; several turns may come from one entry.
    absent: the wire had no content at all (null or missing), which writes back differently from an empty list.
    """

    role: Role
    parts: tuple[Part, ...] = ()
    at: str = ""
    name: str | None = None
    absent: bool = False
    plain: bool = False
    """The content was one string, not a list of parts."""
    extra: Json | None = None


class Tool(Struct, frozen=True, kw_only=True):
    """A function the model may call. parameters: JSON Schema, as given.

    hosted: the vendor runs it, or it is of a type of the vendor's own; then extra is the whole wire form.
    legacy: the pre-tool `functions` of chat.
    """

    name: str
    description: str | None = None
    parameters: Json | None = None
    strict: bool | None = None
    hosted: bool = False
    legacy: bool = False
    at: str = ""
    extra: Json | None = None


class ToolChoice(Struct, frozen=True, kw_only=True):
    """Whether the model must call: `one` names the tool, `any` leaves the choice; names narrow `auto` and `any`."""

    mode: Literal["auto", "any", "one", "none"]
    names: tuple[str, ...] = ()


class ReasoningWish(Struct, frozen=True, kw_only=True):
    """How much to think: in words (effort) or tokens (budget); enabled False asks for none.

    show: the caller wants to see it. summary: how long a summary, in the vendor's word.
    """

    enabled: bool | None = None
    effort: str | None = None
    budget_tokens: int | None = None
    show: bool | None = None
    summary: str | None = None


class OutputShape(Struct, frozen=True, kw_only=True):
    """Structured output: `json` any object, `schema` this JSON Schema."""

    kind: Literal["text", "json", "schema"]
    name: str | None = None
    description: str | None = None
    schema: Json | None = None
    strict: bool | None = None


class Sampling(Struct, frozen=True, kw_only=True):
    """Every field None where the caller did not say: nothing is filled in."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None
    candidates: int | None = None
    logit_bias: Json | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None


class Ask(Struct, frozen=True, kw_only=True):
    """One request to a model.

    dialect: the one it came in; "" for an ask that was made in process, which every dialect writes as its own.
    body: the bytes it came as; where source and target dialect are the same, they are what goes out.
    dropped: JSON Pointers of entries of the history that the reading left out because they carry nothing.
    extra: members we have no word for, by their path without the first slash.
    at: where the source dialect spells a word of this struct: field name to JSON Pointer, for losses.
    """

    model: str
    turns: tuple[Turn, ...]
    dropped: tuple[str, ...] = ()
    stream: bool = False
    include_usage: bool = False
    """The caller of a chat stream asked for the usage frame."""
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice | None = None
    parallel_tool_calls: bool | None = None
    sampling: Sampling = field(default_factory=Sampling)
    reasoning: ReasoningWish | None = None
    output: OutputShape | None = None
    metadata: Json | None = None
    user: str | None = None
    service_tier: str | None = None
    verbosity: str | None = None
    cache_key: str | None = None
    safety_id: str | None = None
    store: bool | None = None
    previous_reply_id: str | None = None
    """Answers that the gateway keeps (`store`, `previous_response_id`); never forwarded, see DESIGN §2."""
    dialect: str = ""
    body: bytes = b""
    extra: Json | None = None
    at: Mapping[str, str] = field(default_factory=dict[str, str])


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens as billed. tokens_in includes cached and cache writes; tokens_out includes reasoning."""

    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0


Stop = Literal["end", "stop_string", "length", "tool_call", "refusal", "error", "pause", "other"]
"""Why the model ended: its natural end, a stop string, the token limit, a tool call, a policy, a fault, a pause."""


class Candidate(Struct, frozen=True, kw_only=True):
    """One of several answers to the same ask, after the first, which is the reply itself."""

    parts: tuple[Part, ...]
    stop: Stop | None = None
    stop_raw: str | None = None
    extra: Json | None = None


class Reply(Struct, frozen=True, kw_only=True):
    """One whole answer. stop None: the upstream named none. stop_raw: its own word. body: the bytes it came as."""

    reply_id: str
    model: str
    created: int
    """Seconds since 1970, as the upstream said or the clock that was handed in."""
    parts: tuple[Part, ...]
    stop: Stop | None = None
    stop_raw: str | None = None
    stop_string: str | None = None
    usage: Usage | None = None
    others: tuple[Candidate, ...] = ()
    dialect: str = ""
    body: bytes = b""
    extra: Json | None = None


# ---------------------------------------------------------------- the pieces of a streamed answer


class Delta(Struct, frozen=True, kw_only=True, tag_field="delta"):
    """One piece of a streamed answer, in the order it came. candidate: which answer, where several were asked for."""

    candidate: int = 0


class Opened(Delta, frozen=True, tag="opened"):
    """The answer begins; sent once, first. created: 0 where the wire has no time; dialect: who speaks."""

    reply_id: str
    model: str
    created: int
    dialect: str = ""
    usage: Usage | None = None


class TextDelta(Delta, frozen=True, tag="text"):
    """More of the answer's text."""

    text: str


class ThoughtDelta(Delta, frozen=True, tag="thought"):
    """More reasoning; a signature comes with, or after, the last of its text."""

    text: str = ""
    signature: str | None = None
    redacted: bool = False


class RefusalDelta(Delta, frozen=True, tag="refusal"):
    """More of a refusal's words."""

    text: str


class ToolCallDelta(Delta, frozen=True, tag="tool_call"):
    """More of the call number `index` (from 0): id and name once, with the first piece; arguments in pieces."""

    index: int
    call_id: str | None = None
    name: str | None = None
    arguments: str = ""
    signature: str | None = None


class ForeignDelta(Delta, frozen=True, tag="foreign"):
    """Something in a stream that we have no word for, in the vendor's form; other dialects tell it as a loss."""

    dialect: str
    what: str
    raw: Any


class Stopped(Delta, frozen=True, tag="stopped"):
    """The model ended, and why."""

    stop: Stop
    stop_raw: str | None = None
    stop_string: str | None = None


class UsageDelta(Delta, frozen=True, tag="usage"):
    """The bill so far; the last one counts."""

    usage: Usage


class Closed(Delta, frozen=True, tag="closed"):
    """The upstream's terminal mark was seen; nothing follows. A stream without it was cut."""


class Failed(Delta, frozen=True, tag="failed"):
    """The upstream reported a fault, or ended without its terminal mark; nothing follows. kind: see `dialect.Kind`."""

    message: str
    kind: str = "api_error"
    code: str | None = None
    status: int = 502
    param: str | None = None
