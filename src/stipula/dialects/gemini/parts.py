"""Parts of a content, read and written: text, thoughts with their signatures, media, calls and their results."""

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec
from msgspec import Raw

from stipula.dialects.gemini.facts import NAME, camel
from stipula.dialects.ir import Foreign, Json, Media, Part, Refusal, Text, Thought, ToolCall, ToolResult
from stipula.dialects.losses import Loss, Losses, tell_extra
from stipula.dialects.seals import marked, unmarked, unsealed
from stipula.dialects.strict_json import as_array, as_object, as_text, is_object

_MINTED: Final = "gemini-"
"""Begins the id of a call that came without one; such an id is ours and never goes back to the vendor."""
_REDACTED: Final = "redacted:"
_ABOUT_A_PART: Final = frozenset({"thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"})
_DEFAULT_MIME: Final = {"image": "image/png", "document": "application/pdf", "audio": "audio/wav"}
_REFERABLE: Final = (
    "gs://",
    "https://generativelanguage.googleapis.com/",
    "https://www.youtube.com/",
    "https://youtu.be/",
)


class Ids:
    """Ids for calls that have none: a result takes the oldest open one of its name, so parallel calls pair in order."""

    def __init__(self, scope: str = "") -> None:
        self._scope = scope
        self._open: dict[str, list[str]] = {}
        self._made = 0

    def for_call(self, name: str, given: str | None) -> str:
        """The id of a call."""
        link = given or self._mint(name)
        self._open.setdefault(name, []).append(link)
        return link

    def for_result(self, name: str, given: str | None) -> str:
        """The id of the call that a result answers."""
        waiting = self._open.get(name, [])
        if given is not None:
            if given in waiting:
                waiting.remove(given)
            return given
        return waiting.pop(0) if waiting else self._mint(name)

    def _mint(self, name: str) -> str:
        self._made += 1
        return f"{_MINTED}{name}-{self._made}{self._scope}"


def read_parts(raw: Any, at: str, ids: Ids) -> Iterator[Part]:  # noqa: ANN401 - a part may be anything
    """What one part holds; nothing for null and for what is only about a part. A signature stands after its text."""
    members = camel(as_object(raw))
    text, signature, call, answer = (
        members.get(n) for n in ("text", "thoughtSignature", "functionCall", "functionResponse")
    )
    seal = read_seal(as_text(signature))
    if isinstance(text, str):
        if members.get("thought") is True:
            yield _thought(text, seal, at)
            return
        if text or seal is None:
            yield Text(text=text, at=at)
        if seal is not None:
            yield _thought("", seal, at)
    elif is_object(call) and isinstance(call.get("name"), str):
        yield _read_call(camel(call), seal, at, ids)
    elif is_object(answer) and isinstance(answer.get("name"), str):
        yield _read_result(camel(answer), at, ids)
    elif members.keys() - _ABOUT_A_PART:
        yield _read_media(members, at) or Foreign(dialect=NAME, raw=raw, is_content=True, at=at)
    elif seal is not None:
        yield _thought("", seal, at)
    elif raw is not None and not is_object(raw):
        yield Foreign(dialect=NAME, raw=raw, is_content=False, at=at)


def _thought(text: str, seal: tuple[str, str] | None, at: str) -> Thought:
    signature, origin = (None, "") if seal is None else seal
    if origin and signature is not None and signature.startswith(_REDACTED):
        return Thought(text=signature.removeprefix(_REDACTED), redacted=True, origin=origin, at=at)
    return Thought(text=text, signature=signature, origin=origin, at=at)


def _read_call(call: Json, seal: tuple[str, str] | None, at: str, ids: Ids) -> ToolCall:
    link, signed = unsealed(as_text(call.get("id")) or "")
    signature, origin = seal or ((None, "") if signed is None else unmarked(signed))
    args = call.get("args")
    return ToolCall(
        call_id=ids.for_call(call["name"], link or None),
        name=call["name"],
        arguments=msgspec.json.encode({} if args is None else args).decode(),
        signature=signature,
        origin=origin,
        at=at,
        extra={name: value for name, value in call.items() if name not in ("id", "name", "args")} or None,
    )


def _read_result(answer: Json, at: str, ids: Ids) -> ToolResult:
    response, name = answer.get("response"), answer["name"]
    link = unsealed(as_text(answer.get("id")) or "")[0]
    media = tuple(
        part
        for i, raw in enumerate(as_array(answer.get("parts")))
        for part in read_parts(raw, f"{at}/parts/{i}", Ids())
    )
    told = as_object(response)
    key = next(iter(told), "") if len(told) == 1 else ""
    words = told.get(key) if key in ("output", "error") else None
    plain = isinstance(words, str)
    return ToolResult(
        call_id=ids.for_result(name, link or None),
        name=name,
        parts=((Text(text=words, at=at), *media) if isinstance(words, str) else media),
        value=None if plain else response,
        plain=plain,
        is_error=plain and key == "error",
        at=at,
        extra={key: value for key, value in answer.items() if key not in ("id", "name", "response", "parts")} or None,
    )


def _read_media(members: Json, at: str) -> Media | None:
    inline, file = camel(as_object(members.get("inlineData"))), camel(as_object(members.get("fileData")))
    extra = {name: value for name, value in members.items() if name not in ("inlineData", "fileData")} or None
    mime, name = as_text((inline or file).get("mimeType")), as_text((inline or file).get("displayName"))
    data, url = as_text(inline.get("data")), as_text(file.get("fileUri"))
    if data is None and url is None:
        return None
    return Media(kind=_kind_of(mime), mime=mime, data=data, url=None if data else url, name=name, at=at, extra=extra)


def _kind_of(mime: str | None) -> Literal["image", "audio", "document"]:
    family = (mime or "").partition("/")[0]
    return "image" if family == "image" else "audio" if family == "audio" else "document"


# ---------------------------------------------------------------- signatures


def read_seal(text: str | None) -> tuple[str, str] | None:
    """A part's signature and its origin. Foreign ones travel marked, in the base64 that clients here expect."""
    if not text:
        return None
    try:
        signature, origin = unmarked(b64decode(text, validate=True).decode())
    except (NotBase64, ValueError):
        return text, ""
    return (signature, origin) if origin else (text, "")


def write_seal(signature: str, origin: str) -> str:
    """The signature as this dialect's clients keep it."""
    return b64encode(marked(signature, origin).encode()).decode() if origin not in ("", NAME) else signature


def write_redacted(cipher: str, origin: str) -> Json:
    """A thought that only its vendor can read, as a part that carries nothing but the seal."""
    return {"text": "", "thought": True, "thoughtSignature": write_seal(f"{_REDACTED}{cipher}", origin)}


# ---------------------------------------------------------------- writing


def write_part(part: Part, losses: Losses, *, is_own: bool) -> Any:  # noqa: ANN401 - a foreign part may be anything
    """One part towards an upstream; None, and a loss, where this dialect has none such."""
    written: Json | None = None
    match part:
        case Foreign(dialect=dialect, raw=raw) if dialect == NAME:
            return raw
        case Text() | Refusal():
            written = {"text": part.text}
            losses += (Loss(at=part.at, what="citations", to=NAME) for _ in _citations(part))
        case Media():
            written = _write_media(part, is_own=is_own)
        case Thought():
            written = _write_own_thought(part, is_own=is_own)
        case _:
            pass
    if written is None:
        losses.append(Loss(at=part.at, what=_what(part), to=NAME))
        return None
    if is_own:
        return written | (part.extra or {})
    tell_extra(losses, part.extra, part.at, NAME)
    return written


def _citations(part: Text | Refusal) -> tuple[Json, ...]:
    return part.citations[:1] if isinstance(part, Text) else ()


def _what(part: Part) -> str:
    if isinstance(part, Media):
        return f"{part.kind} by {'file_id' if part.file_id is not None else 'url'}"
    return "reasoning" if isinstance(part, Thought) else "part"


def _write_media(media: Media, *, is_own: bool) -> Json | None:
    mime = media.mime or _DEFAULT_MIME[media.kind]
    if media.text is not None:
        data = b64encode(media.text.encode()).decode()
        return {"inlineData": {"mimeType": media.mime or "text/plain", "data": data}}
    if media.data is not None:
        named = {} if media.name is None or not is_own else {"displayName": media.name}
        return {"inlineData": {"mimeType": mime, "data": media.data} | named}
    if media.url is not None and (is_own or media.url.startswith(_REFERABLE)):
        return {"fileData": ({} if media.mime is None else {"mimeType": media.mime}) | {"fileUri": media.url}}
    return None  # the vendor fetches nothing from elsewhere


def _write_own_thought(part: Thought, *, is_own: bool) -> Json | None:
    """Only what this vendor signed itself is of use to it."""
    is_ours = part.origin == NAME or (is_own and not part.origin)
    if not is_ours or part.redacted or (part.signature is None and not is_own):
        return None
    signed = {} if part.signature is None else {"thoughtSignature": part.signature}
    return {"text": part.text} | ({"thought": True} if part.text else {}) | signed


def write_call(call: ToolCall, losses: Losses, *, is_own: bool) -> Json:
    """A functionCall part towards an upstream, with the signature that it gave the call."""
    is_ours = call.origin == NAME or (is_own and not call.origin)
    if call.signature is not None and not is_ours:
        losses.append(Loss(at=call.at, what="signature", to=NAME))
    signed = {"thoughtSignature": call.signature} if call.signature is not None and is_ours else {}
    extra = (call.extra or {}) if is_own else {}
    if not is_own:
        tell_extra(losses, call.extra, call.at, NAME)
    return {"functionCall": _id(call.call_id) | {"name": call.name, "args": args_of(call, losses)} | extra} | signed


def _id(call_id: str) -> Json:
    return {} if not call_id or call_id.startswith(_MINTED) else {"id": call_id}


def args_of(call: ToolCall, losses: Losses) -> Any:  # noqa: ANN401 - the arguments' own bytes, or an object around them
    """The arguments as an object: their own text where it is one, else wrapped, for this dialect takes nothing else."""
    if call.kind == "custom":
        return {"input": call.arguments}
    text = call.arguments.strip() or "{}"
    try:
        if is_object(msgspec.json.decode(text)):
            return Raw(text.encode())
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    losses.append(Loss(at=call.at, what="arguments that are no object, wrapped", to=NAME))
    return {"arguments": call.arguments}


def write_result(result: ToolResult, name: str | None, losses: Losses, *, is_own: bool) -> Json:
    """A functionResponse part. name: of the function called, as the history tells; the vendor needs it."""
    if name is None:
        losses.append(Loss(at=result.at, what="name of the function", to=NAME))
    media = [part for part in result.parts if not isinstance(part, Text | Refusal)]
    written = [write_part(part, losses, is_own=is_own) for part in media]
    kept = [part for part in written if part is not None]
    answer = _id(result.call_id) | {"name": name or result.call_id or "unknown", "response": _response(result)}
    if not is_own:
        tell_extra(losses, result.extra, result.at, NAME)
    extra = (result.extra or {}) if is_own else {}
    return {"functionResponse": answer | ({"parts": kept} if kept else {}) | extra}


def _response(result: ToolResult) -> Any:  # noqa: ANN401 - JSON
    if result.value is not None:
        return result.value
    text = "".join(part.text for part in result.parts if isinstance(part, Text | Refusal))
    if result.is_error:
        return {"error": text}
    try:
        told = msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return {"output": text}
    return Raw(text.encode()) if is_object(told) else {"output": text}
