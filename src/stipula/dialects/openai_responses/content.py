"""The pieces of a Responses item: text, pictures, files, sound, refusals, reasoning, and what we do not know."""

import re
from collections.abc import Iterator
from typing import Any, Final

from stipula.dialects.ir import Foreign, Json, Media, Part, Refusal, Text, Thought, is_blank
from stipula.dialects.losses import Loss, Losses, tell_extra
from stipula.dialects.openai_responses.facts import NAME
from stipula.dialects.seals import marked, unmarked
from stipula.dialects.strict_json import as_array, as_object, as_text

_DATA_URL: Final = re.compile(r"data:([^;,]+);base64,", re.IGNORECASE)
_REDACTED: Final = "redacted:"
_TEXTS: Final = frozenset({"input_text", "output_text", "text", None})


def read_part(raw: Any, at: str) -> Part | None:  # noqa: ANN401 - a part may be anything
    """One part of a content array; None for null. Bare strings and untyped text are text here, unlike in chat."""
    if raw is None:
        return None
    if isinstance(raw, str):
        return Text(text=raw, at=at)
    members = as_object(raw)
    kind, text = members.get("type"), members.get("text")
    part = None
    if isinstance(text, str) and kind in _TEXTS:
        citations = tuple(as_object(note) for note in as_array(members.get("annotations")))
        part = Text(text=text, citations=citations, at=at)
    elif kind == "refusal" and isinstance(members.get("refusal"), str):
        part = Refusal(text=members["refusal"], at=at)
    elif kind == "input_image":
        part = _read_image(members, at)
    elif kind == "input_file":
        part = _read_file(members, at)
    elif kind == "input_audio":
        part = _read_audio(as_object(members.get("input_audio")), at)
    counts = not is_blank(text) if isinstance(text, str) else isinstance(kind, str) and kind not in _TEXTS
    return part or Foreign(dialect=NAME, raw=raw, is_content=counts, at=at)


def _read_image(members: Json, at: str) -> Media | None:
    image = members.get("image_url")
    url = image if isinstance(image, str) else as_text(as_object(image).get("url"))
    file_id, detail = as_text(members.get("file_id")), as_text(members.get("detail"))
    if url is not None:
        mime, data = _split_data_url(url)
        return Media(kind="image", mime=mime, data=data, url=None if data is not None else url, detail=detail, at=at)
    return None if file_id is None else Media(kind="image", file_id=file_id, detail=detail, at=at)


def _read_file(members: Json, at: str) -> Media | None:
    name = as_text(members.get("filename"))
    match members:
        case {"file_data": str(text)}:
            mime, data = _split_data_url(text)
            return Media(kind="document", mime=mime, data=text if data is None else data, name=name, at=at)
        case {"file_url": str(url)}:
            return Media(kind="document", url=url, name=name, at=at)
        case {"file_id": str(file_id)}:
            return Media(kind="document", file_id=file_id, name=name, at=at)
        case _:
            return None


def _read_audio(audio: Json, at: str) -> Media | None:
    data, form = audio.get("data"), audio.get("format")
    if not isinstance(data, str) or not isinstance(form, str):
        return None
    return Media(kind="audio", mime=f"audio/{form}", data=data, at=at)


def _split_data_url(url: str) -> tuple[str | None, str | None]:
    match = _DATA_URL.match(url)
    return (None, None) if match is None else (match[1], url[match.end() :])


def write_part(part: Part, losses: Losses, *, text_type: str, is_own: bool) -> Any:  # noqa: ANN401 - a foreign part may be anything
    """One part of a content array; None, and a loss, where this dialect has no such part."""
    written: Json | None = None
    match part:
        case Foreign(dialect=dialect, raw=raw) if dialect == NAME:
            return raw
        case Text():
            written = {"type": text_type, "text": part.text}
            if part.citations and is_own:
                written["annotations"] = list(part.citations)
            elif part.citations:
                losses.append(Loss(at=part.at, what="citations", to=NAME))
        case Refusal():
            written = {"type": "refusal", "refusal": part.text}
        case Media(text=str(text)):
            written = {"type": text_type, "text": text}
            losses.append(Loss(at=part.at, what="document as plain text", to=NAME))
        case Media():
            written = _write_media(part)
        case _:
            pass
    if written is None:
        what = part.kind if isinstance(part, Media) else "part"
        losses.append(Loss(at=part.at, what=what, to=NAME))
    else:
        tell_extra(losses, part.extra, part.at, NAME)
    return written


def _write_media(media: Media) -> Json | None:
    if media.kind == "audio":
        if media.data is None:
            return None
        form = (media.mime or "audio/wav").removeprefix("audio/").split(";")[0]
        return {"type": "input_audio", "input_audio": {"data": media.data, "format": form}}
    if media.kind == "image":
        url = media.url if media.data is None else f"data:{media.mime or 'image/png'};base64,{media.data}"
        stated = {"image_url": url, "file_id": media.file_id, "detail": media.detail}
        return {"type": "input_image"} | {name: value for name, value in stated.items() if value is not None}
    data = f"data:{media.mime};base64,{media.data}" if media.mime and media.data is not None else media.data
    stated = {"file_data": data, "file_url": media.url, "file_id": media.file_id, "filename": media.name}
    return {"type": "input_file"} | {name: value for name, value in stated.items() if value is not None}


# ---------------------------------------------------------------- reasoning


def read_reasoning(item: Json, at: str) -> Iterator[Thought]:
    """The thoughts of a reasoning item, the seal with the last: `id.cipher` of this vendor, or a marked foreign one."""
    texts = [
        as_text(as_object(raw).get("text")) for raw in as_array(item.get("content")) or as_array(item.get("summary"))
    ]
    cipher, item_id = as_text(item.get("encrypted_content")), as_text(item.get("id")) or ""
    seal, origin = unmarked(cipher or "")
    if origin and seal.startswith(_REDACTED):
        yield Thought(text=seal.removeprefix(_REDACTED), redacted=True, origin=origin, at=at)
        return
    signature = seal if origin else f"{item_id}.{cipher or ''}" if item_id or cipher else None
    *first, last = [text for text in texts if text is not None] or [""]
    yield from (Thought(text=text, at=at) for text in first)
    yield Thought(text=last, signature=signature, origin=origin, at=at)


def write_reasoning(thoughts: list[Thought], item_id: str, origin: str) -> Json:
    """The reasoning item of some thoughts of one source. origin: who signed them, "" for this vendor."""
    summary = [{"type": "summary_text", "text": one.text} for one in thoughts if one.text and not one.redacted]
    item: Json = {"id": item_id, "type": "reasoning", "summary": summary}
    last = thoughts[-1]
    signer = last.origin or origin
    if last.redacted:
        item["encrypted_content"] = marked(f"{_REDACTED}{last.text}", signer)
    elif last.signature is not None and signer not in ("", NAME):
        item["encrypted_content"] = marked(last.signature, signer)
    elif last.signature is not None:
        own_id, _, cipher = last.signature.partition(".")
        item["id"] = own_id or item_id
        if cipher:
            item["encrypted_content"] = cipher
    return item
