"""Contracts that nobody thought of: the strategies of this room's laws."""

import string
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from stipula.contract.model import Contract, Stream, Surface

Strategy = st.SearchStrategy[Any]
NAMES = st.text(st.characters(codec="utf-8"), max_size=8)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**53, max_value=10**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8"), max_size=12),
)


def _json(leaves: Strategy = SCALARS) -> Strategy:
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
    )


def _schemas() -> Strategy:
    texts = {"title": NAMES, "description": NAMES}
    plain = st.one_of(
        st.booleans(),
        st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "null", "boolean"])}, optional=texts),
        st.fixed_dictionaries({"enum": st.lists(SCALARS, min_size=1, max_size=3)}, optional=texts),
        st.fixed_dictionaries({"const": _json()}),
    )

    def bigger(inner: Strategy) -> Strategy:
        properties = st.dictionaries(st.sampled_from(["required", "title", "a", "b", "ä/~"]), inner, max_size=3)
        required = st.lists(st.sampled_from(["a", "b", "c", "title"]), unique=True)
        return st.one_of(
            st.fixed_dictionaries(
                {"type": st.just("object"), "properties": properties, "required": required},
                optional={"additionalProperties": inner, "description": NAMES, "$defs": properties},
            ),
            st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
            st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        )

    return st.recursive(plain, bigger, max_leaves=6)


def _surfaces() -> Strategy:
    word = st.text(string.ascii_lowercase, min_size=1, max_size=4)
    outcomes = st.sampled_from(["input", "success", "partial", "failure"])
    ids = st.one_of(
        st.builds("tool:{}".format, word),
        st.builds("route:GET /{}#{}".format, word, st.sampled_from(["200", "4XX", "default"])),
        st.builds("stream:/{}#{}".format, word, word),
        st.builds("request:{}".format, word),
    )
    return ids.flatmap(
        lambda name: st.builds(
            Surface,
            id=st.just(name),
            kind=st.just(name.partition(":")[0]),
            shapes=st.dictionaries(outcomes, _schemas(), max_size=2),
            annotations=st.dictionaries(NAMES, SCALARS, max_size=2),
            texts=st.dictionaries(NAMES, NAMES, max_size=2),
            definition=st.none() | _json(),
        )
    )


def _contracts() -> Strategy:
    streams = st.builds(
        Stream,
        path=st.builds("/{}".format, st.text(string.ascii_lowercase, min_size=1, max_size=3)),
        order=st.dictionaries(NAMES, _json(), max_size=2),
        laws=st.lists(_json(), max_size=2).map(tuple),
        keepalive=_json(),
    )
    return st.builds(
        Contract,
        surfaces=st.lists(_surfaces(), max_size=4, unique_by=lambda one: one.id).map(tuple),
        streams=st.lists(streams, max_size=2, unique_by=lambda one: one.id).map(tuple),
    )


@pytest.fixture(scope="session")
def json_values() -> Strategy:
    """Any JSON value."""
    return _json()


@pytest.fixture(scope="session")
def schemas() -> Strategy:
    """JSON Schemas, with properties that are called like keywords."""
    return _schemas()


@pytest.fixture(scope="session")
def surfaces() -> Strategy:
    return _surfaces()


@pytest.fixture(scope="session")
def contracts() -> Strategy:
    return _contracts()


@pytest.fixture(scope="session")
def shuffled() -> Callable[[Any, Any], Any]:
    """A copy with other key order at every level; drawn from hypothesis data."""

    def shuffle(value: Any, data: Any) -> Any:
        if isinstance(value, dict):
            return {key: shuffle(value[key], data) for key in data.draw(st.permutations(list(value)))}
        return [shuffle(item, data) for item in value] if isinstance(value, list) else value

    return shuffle
