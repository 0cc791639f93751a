"""What the containment tests share: an answer as a word, and a second look at each witness."""

from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pytest

from stipula.diff.containment import Contained, Containment, NotContained, contains

DRAFTS = {
    None: jsonschema_rs.Draft202012Validator,
    "2020-12": jsonschema_rs.Draft202012Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "draft-07": jsonschema_rs.Draft7Validator,
    "draft-06": jsonschema_rs.Draft6Validator,
    "draft-04": jsonschema_rs.Draft4Validator,
}


def word(answer: Containment) -> str:
    match answer:
        case Contained():
            return "contained"
        case NotContained():
            return "not contained"
        case _:
            return "undecided"


@pytest.fixture(scope="session")
def decide() -> Callable[..., str]:
    """The answer as a word; where it is a refusal, its witness has been accepted and refused as claimed."""

    def ask(lhs: Any, rhs: Any, *, lhs_draft: str | None = None, rhs_draft: str | None = None, **more: Any) -> str:
        answer = contains(lhs, rhs, lhs_draft=lhs_draft, rhs_draft=rhs_draft, **more)
        if isinstance(answer, NotContained) and {lhs_draft, rhs_draft} <= DRAFTS.keys():
            assert DRAFTS[lhs_draft](lhs, offline=True, validate_formats=False).is_valid(answer.witness)
            assert not DRAFTS[rhs_draft](rhs, offline=True, validate_formats=False).is_valid(answer.witness)
        return word(answer)

    return ask
