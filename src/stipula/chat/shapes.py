"""The bodies that the routes answer with; the contract of the routes is derived from them."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

Count = Annotated[int, Meta(ge=0)]
Yes = Annotated[bool, Meta(extra_json_schema={"const": True})]


class Fault(Struct, frozen=True, kw_only=True):
    """What went wrong, in one sentence."""

    error: str


class Done(Struct, frozen=True, kw_only=True):
    """What was done, in one sentence."""

    message: str


class Message(Struct, frozen=True, kw_only=True):
    """One message of a conversation.

    metadata of an answer: status (whole, streaming, interrupted, failed), request_id, model, thinking_mode,
    thinking_summary, thinking_steps, thinking_duration_ms, elapsed_time, tokens, max_tokens, and error where it failed.
    is_stopped: a person stopped it.
    """

    id: str = field(name="_id")
    conversation_id: str
    role: Literal["user", "assistant", "system"]
    content: str
    images: list[dict[str, Any]]
    files: list[dict[str, Any]]
    metadata: dict[str, Any]
    version: Annotated[int, Meta(ge=1)]
    parent_message_id: str | None
    is_edited: bool
    is_stopped: bool
    created_at: str


class Conversation(Struct, frozen=True, kw_only=True):
    """A conversation without its messages. Times are ISO 8601, UTC."""

    id: str = field(name="_id")
    user_id: str
    model: str
    title: str
    system_prompt: str | None
    total_messages: Count
    total_tokens: Count
    is_archived: bool
    metadata: dict[str, Any]
    created_at: str
    updated_at: str


class WholeConversation(Conversation, frozen=True, kw_only=True):
    """A conversation with its messages: each question, then its answers, oldest first."""

    messages: list[Message]


class ConversationList(Struct, frozen=True, kw_only=True):
    """Conversations, the one that was used last first."""

    conversations: list[Conversation]
    count: Count


class FoundConversations(Struct, frozen=True, kw_only=True):
    """Conversations in whose title or messages the words stand."""

    success: Yes
    conversations: list[Conversation]
    count: Count


class Renamed(Struct, frozen=True, kw_only=True):
    """A conversation under its new title."""

    success: Yes
    conversation: Conversation


class Switched(Struct, frozen=True, kw_only=True):
    """The conversation that is open now."""

    message: str
    conversation: WholeConversation


class Answer(Struct, frozen=True, kw_only=True):
    """The whole answer of POST /chat. thinking_process: the reasoning, "" for none."""

    success: Yes
    response: str
    model: str
    context: str
    deep_thinking: bool
    thinking_process: str
    tools: list[str]
    timestamp: str


class Stopped(Struct, frozen=True, kw_only=True):
    """stopped: whether the turn was running; one that had ended is left as it is."""

    success: Yes
    request_id: str
    stopped: bool


class StoreHealth(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whether one store can be read and written. error: why not."""

    ok: bool
    error: str = ""


class DatabaseHealth(Struct, frozen=True, kw_only=True):
    """Whether all stores work."""

    ok: bool
    timestamp: str
    conversations: StoreHealth


class ListedModel(Struct, frozen=True, kw_only=True):
    """One model a person may choose. note: what is missing and what to do, or what goes on; "" for nothing."""

    id: str
    name: str
    provider: str
    model_id: str
    configured: bool
    available: bool
    supports_streaming: Yes
    description: str
    note: str
    tier: Literal["free", "economy", "standard", "premium"]


class ModelList(Struct, frozen=True, kw_only=True):
    """Every model, those of this machine told apart by their tier."""

    models: list[ListedModel]
    total: Count
    available_count: Count
    tiers: list[str]


class GuardCount(Struct, frozen=True, kw_only=True):
    """How often a rule of the stream's contract was broken, and what was done."""

    surface: str
    rule: str
    action: str
    count: Count


class Metrics(Struct, frozen=True, kw_only=True):
    """What the streams of this process did since its start."""

    success: Yes
    started_at: str
    snapshot_at: str
    totals: dict[str, int]
    rates: dict[str, float]
    by_backend: dict[str, int]
    recent_completions: list[dict[str, Any]]
    recent_errors: list[dict[str, Any]]
    running: Count
    guard: list[GuardCount]
