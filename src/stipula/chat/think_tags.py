"""Reasoning that a model writes into its answer between think tags, parted from the answer while both stream.

A tag counts only where reasoning can stand: at the start of the output, or right after another block of reasoning.
After the first word of the answer a tag is text, and so is a tag inside code: an answer about think tags stays whole.
No character is lost or changed: the pieces joined are the output, however it was cut.
"""

import re
from typing import Final, Literal

from msgspec import Struct

OPENING: Final = ("<think>", "<thinking>")
_MAX_BLANK: Final = 256
"""More white space than this before a tag is an answer that begins with white space."""
_CODE_INDENT: Final = re.compile(r"(?: {4}|\t)[ \t]*\Z")
_MARK: Final = re.compile(r"<|```|~~~")
_FENCES: Final = ("```", "~~~")

Kind = Literal["text", "thought", "tag"]


class Piece(Struct, frozen=True):
    """A piece of the output. tag: a think tag, with the white space before it."""

    kind: Kind
    text: str


class ThinkTags:
    """Text in, pieces out; fresh for each answer."""

    def __init__(self) -> None:
        self._state: Literal["between", "thought", "text"] = "between"
        self._held = ""
        self._tag = OPENING[0]
        self._before = "\n"  # the character before what is held
        self._is_line_blank = True
        self._fence = ""
        self._depth = 0  # opening tags without their closing one inside a fence

    def feed(self, text: str) -> list[Piece]:
        """The pieces that are certain now."""
        return self._read(text, is_end=False)

    def close(self) -> list[Piece]:
        """The pieces that were held back, at the end of the output."""
        return self._read("", is_end=True)

    def _read(self, text: str, *, is_end: bool) -> list[Piece]:
        self._held += text
        found: list[Piece] = []
        while self._held:
            before = len(self._held)
            if self._state == "text":
                self._give(found, "text", len(self._held))
            elif self._state == "between":
                self._look_for_opening(found, is_end=is_end)
            else:
                self._look_for_closing(found, is_end=is_end)
            if len(self._held) == before:
                break
        return found

    def _give(self, found: list[Piece], kind: Kind, size: int) -> None:
        if size:
            found.append(Piece(kind, self._held[:size]))
            self._held = self._held[size:]

    # ------------------------------------------------------------ between the blocks

    def _look_for_opening(self, found: list[Piece], *, is_end: bool) -> None:
        word = self._held.lstrip()
        blank = len(self._held) - len(word)
        tag = next((tag for tag in OPENING if word[: len(tag)].lower() == tag), None)
        could_be = not is_end and any(tag.startswith(word.lower()) for tag in OPENING)
        is_code = bool(word) and _CODE_INDENT.search(self._held[:blank]) is not None  # more white space may yet come
        if is_code or blank > _MAX_BLANK or not (tag or could_be):
            self._state = "text"
            self._give(found, "text", len(self._held))
        elif tag:
            self._give(found, "tag", blank + len(tag))
            self._state, self._tag = "thought", tag
            self._before, self._is_line_blank, self._fence, self._depth = "\n", True, "", 0

    # ------------------------------------------------------------ inside a block

    def _look_for_closing(self, found: list[Piece], *, is_end: bool) -> None:
        """Go from mark to mark; hold what may still become one, give the rest."""
        at = 0
        while (mark := _MARK.search(self._held, at)) is not None:
            start = mark.start()
            self._pass(self._held[at:start])
            at = start
            if mark[0] == "<":
                size = self._tag_size(start, is_end=is_end)
                if size is None:
                    break
                if size < 0:
                    self._give(found, "thought", start)
                    self._give(found, "tag", -size)
                    self._state = "between"
                    return
            else:
                self._meet_fence(mark[0])
                size = len(mark[0])
            self._pass(self._held[at : at + size])
            at += size
        else:
            tail = 0 if is_end else len(self._held) - len(self._held.rstrip("`~"))
            end = len(self._held) - min(tail, 2)  # one or two marks may become the three of a fence
            self._pass(self._held[at:end])
            at = max(at, end)
        self._give(found, "thought", at)

    def _tag_size(self, start: int, *, is_end: bool) -> int | None:
        """How many characters from `<` on are thought; negative: a closing tag of that size; None: more is needed."""
        closing = "</" + self._tag[1:]
        rest = self._held[start : start + len(closing) + 1]
        if rest[: len(self._tag)].lower() == self._tag:
            self._depth += bool(self._fence)
            return len(self._tag)
        if rest[: len(closing)].lower() != closing:
            could_be = any(tag.startswith(rest.lower()) for tag in (self._tag, closing))
            return None if could_be and not is_end else 1
        if self._fence and self._depth:
            self._depth -= 1
            return len(closing)
        if self._before != "`":
            return -len(closing)
        if len(rest) == len(closing):
            return -len(closing) if is_end else None
        return len(closing) if rest[-1] == "`" else -len(closing)

    def _meet_fence(self, mark: str) -> None:
        if not self._is_line_blank:
            return
        if not self._fence:
            self._fence, self._depth = mark, 0
        elif self._fence == mark:
            self._fence = ""

    def _pass(self, text: str) -> None:
        """Go over characters that are thought."""
        if not text:
            return
        self._before = text[-1]
        line = text.rpartition("\n")
        is_blank = not line[2].strip(" ")
        self._is_line_blank = is_blank and (bool(line[1]) or self._is_line_blank)
