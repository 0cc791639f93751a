from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from stipula.diff.grammar_inclusion import Order, stream_beyond

EVENTS = "ab"
STATES = ("p", "q", "r")
ORDERS = st.builds(
    lambda rows, final, anywhere: {
        "initial": "p", "final": sorted(final), "states": dict(zip(STATES, rows, strict=True)), "anywhere": anywhere
    },
    st.lists(st.dictionaries(st.sampled_from(EVENTS), st.sampled_from(STATES)), min_size=3, max_size=3),
    st.sets(st.sampled_from(STATES), min_size=1),
    st.lists(st.just("c"), max_size=1),
)  # fmt: skip


def accepts(document, word):
    order = Order(document, set())
    state = order.initial
    for event in word:
        state = order.steps(state).get(event)
        if state is None:
            return False
    return state in order.final


@given(ORDERS, ORDERS)
@settings(max_examples=300, deadline=None)
def test_the_stream_that_is_shown_is_a_shortest_that_only_the_new_order_allows(new, old):
    shown = stream_beyond(Order(new, set()), Order(old, set()))
    words = ("".join(word) for size in range(6) for word in product("abc", repeat=size))
    first = next((word for word in words if accepts(new, word) and not accepts(old, word)), None)
    if shown is None:
        assert first is None
    else:
        assert accepts(new, shown.events)
        assert not accepts(old, shown.events)
        assert first is None or len(first) == len(shown.events)


@given(ORDERS)
def test_an_order_lies_within_itself(order):
    assert stream_beyond(Order(order, set()), Order(order, set())) is None


def test_what_a_reader_ignores_is_let_pass_and_what_it_waits_for_is_not():
    old = {"initial": "a", "final": ["b"], "states": {"a": {"chunk": "a", "end": "b"}, "b": {}}}
    new = {"initial": "a", "final": ["b"], "states": {"a": {"chunk": "a", "ping": "a", "end": "b"}, "b": {}}}
    instead = {"initial": "a", "final": ["b"], "states": {"a": {"chunk": "a", "ping": "b"}, "b": {}}}
    orders = [Order(one, set()) for one in (old, new, instead)]
    beyond = stream_beyond(orders[1], orders[0])
    assert beyond is not None
    assert beyond.evidence() == {
        "stream": ["ping", "end"], "at": 0, "seen": "ping", "wanted": ["chunk", "end"]
    }  # fmt: skip
    assert stream_beyond(orders[1], orders[0], ignores=lambda event: event == "ping") is None
    shown = stream_beyond(orders[2], orders[0], ignores=lambda event: event == "ping")
    assert shown is not None
    assert (shown.events, shown.at, shown.wanted) == (("ping",), 1, ("chunk", "end"))
