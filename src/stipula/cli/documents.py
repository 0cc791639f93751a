"""Two documents of one kind, made comparable: which kind they are, and what is compared then."""

from collections.abc import Mapping
from typing import Any, Final, Literal, cast

import msgspec
from msgspec import Struct

from stipula.contract.model import Json
from stipula.diff.finding import Finding
from stipula.diff.judge_schemas import Way, diff_schemas
from stipula.diff.policy import Content, Tier
from stipula.errors import EXIT_USAGE, Problem

Kind = Literal["schema", "openapi", "mcp", "lock", "events"]
KINDS: Final[tuple[Kind, ...]] = ("schema", "openapi", "mcp", "lock", "events")


class BadChoice(Problem):
    """A line of a batch names a kind, direction, policy or tier that there is not."""

    code, exit_code = "CLI203", EXIT_USAGE
    hint = "{why}"


class Options(Struct, frozen=True, kw_only=True):
    """How two documents are compared. kind None: as they look."""

    kind: Kind | None = None
    direction: Way = "both"
    content: Content = "lenient"
    tier: Tier = "wire"
    budget: float = 2.0
    old_draft: str | None = None
    new_draft: str | None = None

    def of_line(self, question: Mapping[str, Any]) -> "Options":
        """These options with what a line of a batch says. Raises BadChoice."""
        own = ("kind", "direction", "content", "tier", "old_draft", "new_draft")
        said = {name: question[name] for name in own if question.get(name) is not None}
        try:
            return msgspec.convert(msgspec.to_builtins(self) | said, Options)
        except msgspec.ValidationError as why:
            raise BadChoice(why=why) from None


def kind_of(value: Json) -> Kind:
    """What a document looks like; whatever has no other mark is a schema."""
    if isinstance(value, list):
        return "mcp"
    told = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if "openapi" in told or "swagger" in told:
        return "openapi"
    if "surfaces" in told and "format" in told:
        return "lock"
    if isinstance(told.get("tools"), list) or "inputSchema" in told:
        return "mcp"
    return "events" if isinstance(told.get("events"), dict) and "type" not in told else "schema"


def compared(old: Json, new: Json, options: Options) -> list[Finding]:
    """The findings between two documents."""
    return diff_schemas(
        old, new, options.direction, content=options.content, tier=options.tier,
        old_draft=options.old_draft, new_draft=options.new_draft, budget_s=options.budget,
    )  # fmt: skip
