"""The pieces of a chat message: text, pictures, files, sound, refusals, and what we do not know."""

import re
from typing import Any, Final

from stipula.dialects.ir import Foreign, Json, Media, Part, Refusal, Text, is_blank
from stipula.dialects.losses import Loss, Losses
from stipula.dialects.openai_chat.facts import NAME
from stipula.dialects.strict_json import as_object, as_text

_DATA_URL: Final = re.compile(r"data:([^;,]+);base64,", re.IGNORECASE)
_FALSE_IN_JAVASCRIPT: Final = (None, False, 0, "")


def read_part(raw: Any, at: str) -> Part:  # noqa: ANN401 - a part may be anything
    """One part of a content array, whatever it is."""
    members = as_object(raw)
    match members.get("type"):
        case "text" if isinstance(members.get("text"), str):
            return Text(text=members["text"], at=at, extra=_others(members, "type", "text"))
        case "image_url":
            return _read_image(members, at) or _foreign(raw, at, is_content=True)
        case "file":
            return _read_file(members, at) or _foreign(raw, at, is_content=True)
        case "input_audio":
            return _read_audio(members, at) or _foreign(raw, at, is_content=True)
        case "refusal" if isinstance(members.get("refusal"), str):
            return Refusal(text=members["refusal"], at=at, extra=_others(members, "type", "refusal"))
        case _:
            return _foreign(raw, at, is_content=_counts(members))


def write_part(part: Part, losses: Losses, *, is_own: bool) -> Json | None:
    """One part of a content array; None, and a loss, where this dialect has no such part."""
    match part:
        case Foreign(dialect=dialect, raw=raw) if dialect == NAME:
            return raw
        case Text():
            written = {"type": "text", "text": part.text}
        case Refusal():
            written = {"type": "refusal", "refusal": part.text}
        case Media(text=str(text)):
            written = {"type": "text", "text": text}
            losses.append(Loss(at=part.at, what="document as plain text", to=NAME))
        case Media():
            written = _write_media(part)
        case _:
            written = None
    if written is None:
        losses.append(Loss(at=part.at, what=_what(part), to=NAME))
        return None
    if part.extra and is_own:
        return written | part.extra
    losses += (Loss(at=f"{part.at}/{name}", what=name, to=NAME) for name in part.extra or ())
    return written


def _what(part: Part) -> str:
    if isinstance(part, Media):
        place = "file_id" if part.file_id is not None else "url" if part.url is not None else "data"
        return f"{part.kind} by {place}"
    return "part" if isinstance(part, Foreign) else type(part).__name__.lower()


def _counts(members: Json) -> bool:
    """Whether an unknown part is content: by its text if it has one, else by whether it names a type."""
    text = members.get("text")
    if isinstance(text, str):
        return not is_blank(text)
    kind = members.get("type")
    return kind != "text" and kind not in _FALSE_IN_JAVASCRIPT


def _foreign(raw: object, at: str, *, is_content: bool) -> Foreign:
    return Foreign(dialect=NAME, raw=raw, is_content=is_content, at=at)


def _others(members: Json, *known: str) -> Json | None:
    if len(members) == len(known):
        return None
    return {name: value for name, value in members.items() if name not in known} or None


def _read_image(members: Json, at: str) -> Media | None:
    image = as_object(members.get("image_url"))
    url = as_text(image.get("url"))
    if url is None or len(members) != len(("type", "image_url")) or image.keys() - {"url", "detail"}:
        return None
    detail = image.get("detail")
    if detail is not None and not isinstance(detail, str):
        return None
    mime, data = _split_data_url(url)
    return Media(kind="image", mime=mime, data=data, url=None if data is not None else url, detail=detail, at=at)


def _read_file(members: Json, at: str) -> Media | None:
    file = as_object(members.get("file"))
    if len(members) != len(("type", "file")) or not all(isinstance(value, str) for value in file.values()):
        return None
    match file:
        case {"file_id": file_id, **rest} if not rest.keys() - {"filename"}:
            return Media(kind="document", file_id=file_id, name=file.get("filename"), at=at)
        case {"file_data": text, **rest} if not rest.keys() - {"filename"}:
            mime, data = _split_data_url(text)
            return Media(
                kind="document", mime=mime, data=text if data is None else data, name=file.get("filename"), at=at
            )
        case _:
            return None


def _read_audio(members: Json, at: str) -> Media | None:
    match members:
        case {"type": _, "input_audio": {"data": str(data), "format": str(form), **rest}, **more} if (
            not rest and not more
        ):
            return Media(kind="audio", mime=f"audio/{form}", data=data, at=at)
        case _:
            return None


def _write_media(media: Media) -> Json | None:
    match media.kind:
        case "image":
            url = media.url if media.data is None else f"data:{media.mime or 'image/png'};base64,{media.data}"
            if url is None:
                return None
            return {"type": "image_url", "image_url": _stated(url=url, detail=media.detail)}
        case "document":
            if media.url is not None:
                return None
            data = f"data:{media.mime};base64,{media.data}" if media.mime and media.data is not None else media.data
            return {"type": "file", "file": _stated(file_id=media.file_id, file_data=data, filename=media.name)}
        case "audio":
            if media.data is None:
                return None
            form = (media.mime or "audio/wav").removeprefix("audio/").split(";")[0]
            return {"type": "input_audio", "input_audio": {"data": media.data, "format": form}}


def _split_data_url(url: str) -> tuple[str | None, str | None]:
    match = _DATA_URL.match(url)
    return (None, None) if match is None else (match[1], url[match.end() :])


def _stated(**members: str | None) -> Json:
    return {name: value for name, value in members.items() if value is not None}
