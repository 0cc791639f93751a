"""Server-sent events as bytes and frames: the layer below events. No input or output here.

Source: WHATWG HTML, section 9.2 (parsing and interpreting an event stream). Line ends are looked for in bytes, which
is safe in UTF-8; so a character cut by the network is whole again before anything is decoded.
"""

from typing import Final

from msgspec import Struct

from stipula.errors import Problem

KEEPALIVE: Final = b": keepalive\n\n"
MAX_FRAME_BYTES: Final = 8 * 1024 * 1024
"""The bound where none is given: room for an answer that carries an image in base64."""

_MARK: Final = b"\xef\xbb\xbf"
_MAX_RETRY_DIGITS: Final = 15


class LineTooLong(Problem):
    """One line of an event stream is longer than the reader may keep."""

    code = "STR001"
    status = 502
    hint = "a line of the event stream is longer than {max_bytes} bytes; the sender must cut it, or the bound be raised"


class FrameTooLarge(Problem):
    """The data lines of one frame are together longer than the reader may keep."""

    code = "STR002"
    status = 502
    hint = "a frame of the event stream holds more than {max_bytes} bytes of data; wanted: a blank line before that"


class NotUtf8(Problem):
    """A line of an event stream is no UTF-8, and the reader was not told to be lenient."""

    code = "STR003"
    status = 502
    hint = "line {line} of the event stream is not UTF-8 ({reason} at byte {byte} of the line); wanted: UTF-8"


class FrameUnwritable(Problem):
    """A frame holds what no event stream can carry."""

    code = "STR004"
    status = 500
    hint = "the frame's {field} cannot be written as an event stream: {reason}"


class Frame(Struct, frozen=True, kw_only=True):
    """One dispatched event, or one comment. data: lines joined by LF. event "": the wire named none.

    id and retry_ms: what the wire said since the last event, None where it said nothing.
    comment: set, and everything else empty, for a comment line.
    """

    data: str = ""
    event: str = ""
    id: str | None = None
    retry_ms: int | None = None
    comment: str | None = None


class FrameReader:
    """Bytes in, frames out, however the bytes are cut; comments come out as frames of their own.

    max_frame_bytes bounds the data of one frame, max_line_bytes one line (the same where it is not given). With
    is_lenient, bytes that are no UTF-8 become U+FFFD as in a browser; else they break the stream (`NotUtf8`).
    A break is raised by the call that finds it; where that call already has frames, it returns them, and the next
    `feed` or `close` raises. So the frames before a break are the same under every cut.
    last_event_id: the id in force, "" before the first. retry_ms: the last valid reconnection time.
    """

    def __init__(
        self, *, max_frame_bytes: int = MAX_FRAME_BYTES, max_line_bytes: int | None = None, is_lenient: bool = False
    ) -> None:
        self.last_event_id = ""
        self.retry_ms: int | None = None
        self._max_frame_bytes = max_frame_bytes
        self._max_line_bytes = max_frame_bytes if max_line_bytes is None else max_line_bytes
        self._errors = "replace" if is_lenient else "strict"
        self._is_at_start = True
        self._is_after_cr = False
        self._rest = bytearray()  # the line that has not ended yet
        self._lines_read = 0
        self._data: list[str] = []
        self._data_bytes = 0
        self._event = ""
        self._id: str | None = None
        self._retry_ms: int | None = None
        self._break: Problem | None = None

    @property
    def is_between_frames(self) -> bool:
        """Whether nothing waits for more bytes: False at the end of a stream means that it was cut off."""
        return not self._data and not self._rest and not self._event

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that these bytes complete. No bytes change nothing and are not the end."""
        if self._break is not None:
            raise self._break
        frames: list[Frame] = []
        try:
            self._read(self._lines(chunk), frames)
        except Problem as why:
            self._break = why
            if not frames:
                raise
        return frames

    def close(self) -> list[Frame]:
        """The end of the stream: an unfinished frame is discarded, as the standard says; an untold break raises."""
        if self._break is not None:
            raise self._break
        return []

    def _lines(self, chunk: bytes) -> list[bytes]:
        """The lines that these bytes complete, without their ends; the unfinished one is kept."""
        if self._is_at_start:
            chunk = self._without_mark(chunk)
        if self._is_after_cr and chunk:
            self._is_after_cr = False
            chunk = chunk[chunk.startswith(b"\n") :]  # the second half of a CRLF that the network cut in two
        if b"\r" in chunk:
            self._is_after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        if self._rest or len(lines) == 1:
            self._rest += lines[0]
            if len(lines) == 1:
                return []
            lines[0] = bytes(self._rest)
        self._rest = bytearray(lines.pop())
        return lines

    def _without_mark(self, chunk: bytes) -> bytes:
        """The first bytes without their byte order mark, once there are enough of them to tell."""
        head = bytes(self._rest) + chunk
        self._rest.clear()
        if len(head) < len(_MARK) and _MARK.startswith(head):
            self._rest += head
            return b""
        self._is_at_start = False
        return head.removeprefix(_MARK)

    def _read(self, lines: list[bytes], frames: list[Frame]) -> None:
        max_line_bytes = self._max_line_bytes
        for raw in lines:
            self._lines_read += 1
            if not raw:
                self._dispatch(frames)
                continue
            if len(raw) > max_line_bytes:
                raise LineTooLong(max_bytes=max_line_bytes)
            line = self._text(raw)
            if line.startswith("data: "):
                self._add_data(line[6:], len(raw))
            else:
                self._field(line, len(raw), frames)
        if len(self._rest) > max_line_bytes:
            raise LineTooLong(max_bytes=max_line_bytes)

    def _text(self, raw: bytes) -> str:
        try:
            return str(raw, "utf-8", self._errors)
        except UnicodeDecodeError as why:
            raise NotUtf8(line=self._lines_read, reason=why.reason, byte=why.start) from None

    def _add_data(self, value: str, raw_bytes: int) -> None:
        self._data_bytes += raw_bytes
        if self._data_bytes > self._max_frame_bytes:
            raise FrameTooLarge(max_bytes=self._max_frame_bytes)
        self._data.append(value)

    def _field(self, line: str, raw_bytes: int, frames: list[Frame]) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "data":
                self._add_data(value, raw_bytes)
            case "event":
                self._event = value
            case "id" if "\0" not in value:
                self._id = value
            case "retry" if value.isascii() and value.isdigit() and len(value) <= _MAX_RETRY_DIGITS:
                self.retry_ms = self._retry_ms = int(value)
            case "":
                frames.append(Frame(comment=value))
            case _:
                pass  # unknown fields are ignored, so that the format can grow

    def _dispatch(self, frames: list[Frame]) -> None:
        """A blank line ends a block. One without data is no event; its id and its retry time hold all the same."""
        if self._id is not None:
            self.last_event_id = self._id
        if self._data:
            data = self._data[0] if len(self._data) == 1 else "\n".join(self._data)
            frames.append(Frame(data=data, event=self._event, id=self._id, retry_ms=self._retry_ms))
            self._data.clear()
            self._data_bytes = 0
            self._id = self._retry_ms = None
        self._event = ""


def encode(frame: Frame) -> bytes:
    """The bytes of one frame; reading them gives the frame again. What cannot be carried raises `FrameUnwritable`.

    Fields in the order id, event, retry, data; the data has one line for each of its lines.
    """
    if frame.comment is not None:
        return _bytes(_comment_lines(frame, frame.comment))
    head = ""
    if frame.id is not None:
        head = f"id: {_one_line('id', frame.id)}\n"
        if "\0" in frame.id:
            raise FrameUnwritable(field="id", reason="it holds NUL, and readers ignore such an id")
    if frame.event:
        head += f"event: {_one_line('event', frame.event)}\n"
    if frame.retry_ms is not None:
        if not 0 <= frame.retry_ms < 10**_MAX_RETRY_DIGITS:
            raise FrameUnwritable(field="retry_ms", reason="it is negative or too large")
        head += f"retry: {frame.retry_ms}\n"
    data = frame.data
    if "\r" in data:
        raise FrameUnwritable(field="data", reason="it holds a carriage return, which would end the line")
    if "\n" in data:
        data = data.replace("\n", "\ndata: ")
    return _bytes(f"{head}data: {data}\n\n")


def _comment_lines(frame: Frame, comment: str) -> str:
    if frame != Frame(comment=comment):
        raise FrameUnwritable(field="comment", reason="a comment stands alone, and other fields are set beside it")
    return f": {_one_line('comment', comment)}\n\n"


def _one_line(field: str, value: str) -> str:
    if "\n" in value or "\r" in value:
        raise FrameUnwritable(field=field, reason="it holds a line end")
    return value


def _bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise FrameUnwritable(field="text", reason="it holds half of a surrogate pair, which is no character") from None
