"""Conversations as they are kept: a tree of messages under each, every turn stored as what was typed and answered.

A turn is written before the model is asked (question, and an answer that is `streaming`) and again at its end. So a
process that is killed leaves each turn whole, or `streaming`, which the next start turns into `interrupted`.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from stipula.chat import shapes
from stipula.chat.asking import Line
from stipula.chat.clock import Clock, iso
from stipula.errors import Problem
from stipula.storage.ports import Key, Records, Row, Under

CONVERSATION: Final = "conversation"
MESSAGE: Final = "message"
ARCHIVED: Final = "archived"
SINGLE_USER: Final = "local"
UNTITLED: Final = "New Chat"
MAX_LISTED: Final = 50
_MAX_MESSAGES: Final = 10_000
_TITLE_CHARS: Final = 60

State = Literal["streaming", "whole", "interrupted", "failed"]


class ConversationUnknown(Problem):
    """No conversation has this id."""

    code, status = "CHT101", 404
    hint = "no conversation {id!r}; it may have been deleted"


class ConversationsOff(Problem):
    """The deployment keeps no conversations."""

    code, status = "CHT102", 503
    hint = "conversations are not enabled here ([storage] conversations = false)"


class QuestionTaken(Problem):
    """A message id names another question already."""

    code, status = "CHT103", 400
    hint = "`message_id` {id!r} names another question already; wanted: a fresh id"


class Opened(Struct, frozen=True, kw_only=True):
    """A turn that was written down and may begin.

    running: the request id of a turn that answers this very question now; then nothing was written.
    """

    conversation: str
    system: str | None
    lines: tuple[Line, ...]
    answer: Row | None = None
    running: str = ""


class Conversations:
    """The conversations of one person. new_id: fresh ids; the order of time is the clock's, and never stands still."""

    def __init__(self, records: Records, clock: Clock, new_id: Callable[[], UUID], *, owner: str = SINGLE_USER) -> None:
        self._records = records
        self._clock = clock
        self._new_id = new_id
        self._owner = owner
        self._changing = asyncio.Lock()  # a conversation's row is read, changed and written
        self._last_at = 0

    async def check(self) -> None:
        """Raise where the store does not work."""
        await self._records.check()

    # ------------------------------------------------------------ for the routes

    async def newest(self) -> list[shapes.Conversation]:
        """The newest conversations that are not archived."""
        rows = await self._records.find(
            CONVERSATION, owner=self._owner, state="", is_newest_first=True, limit=MAX_LISTED
        )
        return [_conversation(row) for row in rows]

    async def search(self, words: str) -> list[shapes.Conversation]:
        """The conversations in whose title or messages these words begin words, newest first."""
        titles = await self._records.search(CONVERSATION, words, owner=self._owner, limit=MAX_LISTED)
        messages = await self._records.search(MESSAGE, words, owner=self._owner, limit=4 * MAX_LISTED)
        found = {row.id: row for row in titles}
        for parent in dict.fromkeys(row.parent for row in messages):
            if parent not in found and (row := await self._records.get(CONVERSATION, parent)) is not None:
                found[parent] = row
        newest = sorted(found.values(), key=lambda row: (row.at, row.id), reverse=True)
        return [_conversation(row) for row in newest if row.state != ARCHIVED][:MAX_LISTED]

    async def whole(self, conversation_id: str) -> shapes.WholeConversation:
        """A conversation with its messages."""
        row = await self._row(conversation_id)
        messages = [_message(one) for one in _in_turns(await self._messages(conversation_id))]
        return shapes.WholeConversation(**msgspec.structs.asdict(_conversation(row)), messages=messages)

    async def new(self, *, model: str = "", title: str = "", system: str | None = None) -> shapes.Conversation:
        """A fresh conversation."""
        now = iso(self._clock.now())
        row = Row(
            kind=CONVERSATION,
            id=self._new_id().hex,
            owner=self._owner,
            at=self._at(),
            text=title.strip()[:500] or UNTITLED,
            body={"model": model, "system": system, "created_at": now, "updated_at": now, "head": None},
        )
        await self._records.write([row])
        return _conversation(row)

    async def rename(self, conversation_id: str, title: str) -> shapes.Conversation:
        """Give it another title; its place in the list stays."""
        return await self._change(conversation_id, lambda row: replace(row, text=title.strip() or UNTITLED))

    async def archive(self, conversation_id: str) -> None:
        """Take it out of the list."""
        await self._change(conversation_id, lambda row: replace(row, state=ARCHIVED))

    async def delete(self, conversation_id: str) -> None:
        """Delete it with all its messages."""
        async with self._changing:
            row = await self._row(conversation_id)
            await self._records.write(deletes=[row.key, Under(MESSAGE, conversation_id)])

    # ------------------------------------------------------------ for the turns

    async def open_turn(
        self,
        conversation_id: str,
        question: str,
        *,
        message_id: str,
        request_id: str,
        facts: dict[str, Any],
        is_running: Callable[[str], bool],
    ) -> Opened:
        """Write a question down with an answer that streams; the same question again gets one more answer.

        facts: of the answer, known before it begins (model, mode). is_running: whether a request's turn still runs.
        """
        async with self._changing:
            row = await self._row(conversation_id)
            messages = {one.id: one for one in await self._messages(conversation_id)}
            asked = await self._question(row, question, message_id, messages)
            running = _running(asked, messages, is_running)
            lines = _path(asked.body["parent_id"], messages)
            system = row.body["system"]
            if running:
                return Opened(conversation=row.id, system=system, lines=lines, running=running)
            answer = self._answer(asked, request_id, facts)
            changed = _after_question(row, question, answer, asked_is_new=asked.id not in messages)
            puts = [changed, asked, answer] if asked.id not in messages else [changed, answer]
            await self._records.write(puts, given=row.key)
        return Opened(conversation=row.id, system=system, lines=lines, answer=answer)

    async def save_turn(self, answer: Row, state: State, text: str, facts: dict[str, Any]) -> None:
        """Write the answer as it stands. A conversation that was deleted meanwhile stays deleted."""
        body = {**answer.body, **facts}
        conversation = Key(CONVERSATION, answer.parent)
        await self._records.write([replace(answer, state=state, text=text, body=body)], given=conversation)
        if state == "streaming":
            return
        async with self._changing:
            row = await self._records.get(CONVERSATION, answer.parent)
            if row is not None:
                tokens = row.body.get("total_tokens", 0) + facts.get("tokens", 0)
                body = {**row.body, "total_tokens": tokens, "updated_at": iso(self._clock.now())}
                await self._records.write([replace(row, body=body)], given=row.key)

    async def recover(self) -> list[str]:
        """Mark the answers that a killed process left behind; the request ids of their turns."""
        left = await self._records.find(MESSAGE, state="streaming", limit=_MAX_MESSAGES)
        await self._records.write([replace(row, state="interrupted") for row in left])
        return [row.body["request_id"] for row in left]

    # ------------------------------------------------------------ rows

    async def _row(self, conversation_id: str) -> Row:
        row = await self._records.get(CONVERSATION, conversation_id)
        if row is None or row.owner != self._owner:
            raise ConversationUnknown(id=conversation_id[:64])
        return row

    async def _messages(self, conversation_id: str) -> list[Row]:
        return await self._records.find(MESSAGE, parent=conversation_id, limit=_MAX_MESSAGES)

    async def _change(self, conversation_id: str, change: Callable[[Row], Row]) -> shapes.Conversation:
        async with self._changing:
            row = change(await self._row(conversation_id))
            await self._records.write([row])
        return _conversation(row)

    async def _question(self, row: Row, question: str, message_id: str, messages: dict[str, Row]) -> Row:
        """The question's row: the one that has this id, or a new one at the end of the conversation."""
        known = await self._records.get(MESSAGE, message_id) if message_id else None
        if known is not None:
            if known.parent != row.id or known.body["role"] != "user" or known.text != question:
                raise QuestionTaken(id=message_id)
            return known
        head = row.body["head"]
        return Row(
            kind=MESSAGE,
            id=message_id or self._new_id().hex,
            owner=self._owner,
            parent=row.id,
            state="whole",
            at=self._at(),
            text=question,
            body={"role": "user", "parent_id": head if head in messages else None, "created_at": self._now()},
        )

    def _answer(self, asked: Row, request_id: str, facts: dict[str, Any]) -> Row:
        body = {"role": "assistant", "parent_id": asked.id, "created_at": self._now(), "request_id": request_id}
        return Row(
            kind=MESSAGE,
            id=self._new_id().hex,
            owner=self._owner,
            parent=asked.parent,
            state="streaming",
            at=self._at(),
            body=body | facts,
        )

    def _now(self) -> str:
        return iso(self._clock.now())

    def _at(self) -> int:
        """Microseconds since 1970, each greater than the one before."""
        self._last_at = max(self._last_at + 1, int(self._clock.now().timestamp() * 1e6))
        return self._last_at


def _running(asked: Row, messages: dict[str, Row], is_running: Callable[[str], bool]) -> str:
    """The request that answers this question now, "" for none."""
    answers = (one for one in messages.values() if one.body["parent_id"] == asked.id and one.state == "streaming")
    return next((name for one in answers if is_running(name := str(one.body["request_id"]))), "")


def _after_question(row: Row, question: str, answer: Row, *, asked_is_new: bool) -> Row:
    """The conversation's row once a turn has begun: its end, its place in the list, its title if it had none."""
    added = 2 if asked_is_new else 1
    total = row.body.get("total_messages", 0) + added
    body = {**row.body, "head": answer.id, "total_messages": total, "updated_at": answer.body["created_at"]}
    title = title_of(question) if row.text == UNTITLED else row.text
    return replace(row, at=answer.at, text=title, body=body, state="")


def _path(head: str | None, messages: dict[str, Row]) -> tuple[Line, ...]:
    """The messages from the first one down to this one, along the branch it stands on."""
    lines: list[Line] = []
    while head is not None and (row := messages.get(head)) is not None and len(lines) < _MAX_MESSAGES:
        lines.append(Line(row.body["role"], row.text))
        head = row.body["parent_id"]
    return tuple(reversed(lines))


def _in_turns(messages: Sequence[Row]) -> list[Row]:
    """Each question followed by its answers, the questions in the order of time."""
    asked_at = {row.id: row.at for row in messages if not _is_answer(row)}

    def place(row: Row) -> tuple[int, int]:
        return asked_at.get(row.body["parent_id"], row.at) if _is_answer(row) else row.at, row.at

    return sorted(messages, key=place)


def _is_answer(row: Row) -> bool:
    return row.body["role"] == "assistant"


def title_of(question: str) -> str:
    """A title made of a question's first words."""
    words = " ".join(question.split())
    if len(words) <= _TITLE_CHARS:
        return words or UNTITLED
    short = words[:_TITLE_CHARS].rpartition(" ")[0] or words[:_TITLE_CHARS]
    return f"{short}…"


# ---------------------------------------------------------------- from rows to bodies


def _conversation(row: Row) -> shapes.Conversation:
    body = row.body
    return shapes.Conversation(
        id=row.id,
        user_id=row.owner,
        model=body["model"],
        title=row.text,
        system_prompt=body["system"],
        total_messages=body.get("total_messages", 0),
        total_tokens=body.get("total_tokens", 0),
        is_archived=row.state == ARCHIVED,
        metadata={},
        created_at=body["created_at"],
        updated_at=body["updated_at"],
    )


_TOLD: Final = (
    "request_id", "model", "thinking_mode", "thinking_summary", "thinking_steps", "thinking_duration_ms",
    "elapsed_time", "tokens", "max_tokens", "error",
)  # fmt: skip


def _message(row: Row) -> shapes.Message:
    body = row.body
    facts = {name: body[name] for name in _TOLD if body.get(name) is not None}
    return shapes.Message(
        id=row.id,
        conversation_id=row.parent,
        role=body["role"],
        content=row.text,
        images=[],
        files=[],
        metadata=facts | {"status": row.state} if _is_answer(row) else {},
        version=1,
        parent_message_id=body["parent_id"],
        is_edited=False,
        is_stopped=bool(body.get("is_stopped")),
        created_at=body["created_at"],
    )
