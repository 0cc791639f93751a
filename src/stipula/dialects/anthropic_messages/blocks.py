"""Content blocks, read and written: text, pictures, documents, thinking, calls and their results."""

import re
from typing import Any, Final

import msgspec
from msgspec import Raw

from stipula.dialects.anthropic_messages.facts import NAME
from stipula.dialects.ir import Foreign, Json, Media, Part, Refusal, Text, Thought, ToolCall, ToolResult
from stipula.dialects.losses import Loss, Losses, tell_extra
from stipula.dialects.seals import marked, sealed, unmarked, unsealed
from stipula.dialects.strict_json import as_array, as_object, as_text, is_array, is_object

_NOT_IN_AN_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")
_SOURCES: Final = {"base64": "data", "url": "url", "file": "file_id", "text": "text"}
_MEMBER_OF: Final = {"base64": "data", "url": "url", "file": "file_id", "text": "data"}


def read_block(raw: Any, at: str, *, is_assistant: bool) -> Part:  # noqa: ANN401 - a block may be anything
    """One block, whatever it is; what is of no known form is kept as it came."""
    members = as_object(raw)
    kind = members.get("type")
    part = None
    match kind:
        case "text":
            part = _read_text(members, at)
        case "image" | "document":
            part = _read_media(members, at, is_image=kind == "image")
        case "thinking" | "redacted_thinking":
            part = _read_thought(members, at)
        case "tool_use" if is_assistant:
            part = _read_call(members, at)
        case "tool_result":
            part = _read_result(members, at)
        case _:
            pass
    # a type that we do not know counts as content, and stays in its own dialect; what names no type is nothing
    return part or Foreign(dialect=NAME, raw=raw, is_content=isinstance(kind, str), at=at)


def _others(members: Json, *known: str) -> Json | None:
    return {name: value for name, value in members.items() if name not in known} or None


def _read_text(members: Json, at: str) -> Text | None:
    text, citations = members.get("text", ""), members.get("citations")
    if not isinstance(text, str) or not (citations is None or is_array(citations)):
        return None
    told = tuple(as_object(citation) for citation in as_array(citations))
    return Text(text=text, citations=told, at=at, extra=_others(members, "type", "text", "citations"))


def _read_media(members: Json, at: str, *, is_image: bool) -> Media | None:
    source = as_object(members.get("source"))
    kind, mime, name = as_text(source.get("type")) or "", source.get("media_type"), members.get("title")
    value = as_text(source.get(_MEMBER_OF.get(kind, "")))
    is_known = not source.keys() - {"type", "media_type", "data", "url", "file_id"}
    is_right = value is not None and all(text is None or isinstance(text, str) for text in (mime, name))
    if not is_right or not is_known or (is_image and kind == "text"):
        return None
    return Media(
        kind="image" if is_image else "document",
        mime=as_text(mime),
        name=as_text(name),
        at=at,
        extra=_others(members, "type", "source", "title"),
        **{_SOURCES[kind]: value},
    )


def _read_thought(members: Json, at: str) -> Thought | None:
    match members:
        case {"type": "thinking", "thinking": str(text), **rest} if not rest.keys() - {"signature"}:
            signature, origin = unmarked(as_text(rest.get("signature")) or "")
            return Thought(text=text, signature=signature or None, origin=origin, at=at)
        case {"type": "redacted_thinking", "data": str(data), **rest} if not rest:
            cipher, origin = unmarked(data)
            return Thought(text=cipher, redacted=True, origin=origin, at=at)
        case {"type": "thinking" | "redacted_thinking"}:
            return Thought(text="", at=at, extra={"raw": members})
        case _:
            return None


def _read_call(members: Json, at: str) -> ToolCall | None:
    link, name, given = members.get("id"), members.get("name"), members.get("input", {})
    if not isinstance(link, str) or not isinstance(name, str) or not is_object(given):
        return None
    call_id, seal = unsealed(link)
    signature, origin = (None, "") if seal is None else unmarked(seal)
    return ToolCall(
        call_id=call_id,
        name=name,
        arguments=msgspec.json.encode(given).decode(),
        signature=signature,
        origin=origin,
        at=at,
        extra=_others(members, "type", "id", "name", "input"),
    )


def _read_result(members: Json, at: str) -> ToolResult:
    content, link = members.get("content"), members.get("tool_use_id")
    plain = isinstance(content, str)
    blocks = as_array(content)
    known = ["type", "content"] + ["tool_use_id"] * isinstance(link, str)
    known += ["is_error"] * isinstance(members.get("is_error"), bool)
    parts = tuple(read_block(raw, f"{at}/content/{i}", is_assistant=False) for i, raw in enumerate(blocks))
    if content is not None and not plain and not is_array(content):
        parts = (Foreign(dialect=NAME, raw=content, is_content=False, at=f"{at}/content"),)
    return ToolResult(
        call_id=unsealed(link)[0] if isinstance(link, str) else "",
        parts=(Text(text=content, at=f"{at}/content"),) if isinstance(content, str) else parts,
        plain=plain,
        is_error=members.get("is_error") is True,
        at=at,
        extra=_others(members, *known),
    )


# ---------------------------------------------------------------- writing


def write_block(part: Part, losses: Losses, *, is_own: bool) -> Any:  # noqa: ANN401 - a foreign block may be anything
    """One block; None, and a loss, where this dialect has no such part."""
    written: Json | None = None
    match part:
        case Foreign(dialect=dialect, raw=raw) if dialect == NAME:
            return raw
        case Text() | Refusal():
            written = _write_text(part, losses, is_own=is_own)
        case Media():
            written = _write_media(part)
        case Thought():
            return _write_thought(part, losses, is_own=is_own)
        case ToolCall():
            written = write_call(part, losses, origin="")
        case ToolResult():
            written = _write_result(part, losses, is_own=is_own)
        case _:
            pass
    if written is None:
        losses.append(Loss(at=part.at, what=_what(part), to=NAME))
        return None
    if is_own:
        return written | (part.extra or {})
    extra = dict(part.extra or {})
    marks = {"cache_control": extra.pop("cache_control")} if "cache_control" in extra else {}
    tell_extra(losses, extra, part.at, NAME)
    return written | marks


def _what(part: Part) -> str:
    return (
        part.kind if isinstance(part, Media) else "part" if isinstance(part, Foreign) else type(part).__name__.lower()
    )


def _write_text(part: Text | Refusal, losses: Losses, *, is_own: bool) -> Json:
    written: Json = {"type": "text", "text": part.text}
    if isinstance(part, Text) and part.citations:
        if is_own:
            return written | {"citations": list(part.citations)}
        losses.append(Loss(at=part.at, what="citations", to=NAME))
    return written


def _write_media(media: Media) -> Json | None:
    source: Json
    if media.kind == "audio":
        return None
    if media.data is not None:
        mime = media.mime or ("image/png" if media.kind == "image" else "application/pdf")
        source = {"type": "base64", "media_type": mime, "data": media.data}
    elif media.url is not None:
        source = {"type": "url", "url": media.url}
    elif media.file_id is not None:
        source = {"type": "file", "file_id": media.file_id}
    else:
        source = {"type": "text", "media_type": media.mime or "text/plain", "data": media.text}
    return {"type": media.kind, "source": source} | ({} if media.name is None else {"title": media.name})


def _write_thought(part: Thought, losses: Losses, *, is_own: bool) -> Json | None:
    """Only what this vendor signed itself is of use to it, and it refuses everything else."""
    is_ours = part.origin == NAME or (is_own and not part.origin)
    if part.extra and is_own:
        return part.extra["raw"]
    if is_ours and part.redacted:
        return {"type": "redacted_thinking", "data": part.text}
    if is_ours and part.signature is not None:
        return {"type": "thinking", "thinking": part.text, "signature": part.signature}
    if is_own and not part.redacted and not part.origin:
        return {"type": "thinking", "thinking": part.text}
    losses.append(Loss(at=part.at, what="reasoning", to=NAME))
    return None


def write_id(call_id: str, name: str | None = None) -> str:
    """The id with letters, digits, `_` and `-` only; a call of the time before ids is known by its name."""
    return _NOT_IN_AN_ID.sub("_", call_id or f"call_{name or ''}")


def write_call(call: ToolCall, losses: Losses, *, origin: str) -> Json:
    """A tool_use block. origin: "" towards an upstream; for a caller, who signed, so that the signature comes back."""
    link = write_id(call.call_id, call.name)
    if call.signature is not None:
        if origin:
            link = sealed(link, marked(call.signature, call.origin or origin))
        else:
            losses.append(Loss(at=call.at, what="signature", to=NAME))
    return {"type": "tool_use", "id": link, "name": call.name, "input": _input(call, losses)}


def _input(call: ToolCall, losses: Losses) -> Any:  # noqa: ANN401 - the arguments' own bytes, or an object around them
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


def _write_result(result: ToolResult, losses: Losses, *, is_own: bool) -> Json:
    written: Json = {"type": "tool_result", "tool_use_id": write_id(result.call_id, result.name)}
    if result.is_error:
        written["is_error"] = True
    content = _result_content(result, losses, is_own=is_own)
    return written if content is None else written | {"content": content}


def _result_content(result: ToolResult, losses: Losses, *, is_own: bool) -> Any:  # noqa: ANN401 - see `Foreign`
    if result.value is not None and not result.parts:
        return msgspec.json.encode(result.value).decode()
    match result.parts:
        case ():
            return [] if is_own and not result.plain else None
        case (Foreign(raw=raw, at=at),) if is_own and at == f"{result.at}/content":
            return raw
        case (Text(text=text, extra=None),) if result.plain or not is_own:
            return text
        case _:
            blocks = [write_block(part, losses, is_own=is_own) for part in result.parts]
            return [block for block in blocks if block is not None]
