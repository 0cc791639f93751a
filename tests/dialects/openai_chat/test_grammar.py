import pytest

from stipula import dialects
from stipula.dialects.ir import Ask, Closed, Failed, Opened, Stopped, TextDelta, Usage, UsageDelta
from stipula.dialects.openai_chat.grammar import DOCUMENT, event_of
from stipula.wire.grammar import Grammar

CHAT = dialects.by_name("openai_chat")
GRAMMAR = Grammar.from_document(DOCUMENT)
START, TEXT, STOP = Opened(reply_id="r", model="m", created=1), TextDelta(text="x"), Stopped(stop="end")
BILL = UsageDelta(usage=Usage(tokens_in=1))


def events_of(deltas, *, include_usage):
    writer = CHAT.writer(Ask(model="m", turns=(), stream=True, include_usage=include_usage))
    return [event_of(frame)[0] for delta in deltas for frame in writer(delta)]


@pytest.mark.parametrize("include_usage", [False, True])
@pytest.mark.parametrize(
    "deltas",
    [
        [START, TEXT, TEXT, STOP, BILL, Closed()],
        [START, BILL, STOP, Closed()],
        [START, TEXT, Failed(message="f")],
        [START, TEXT, STOP, Failed(message="f")],
        [START, TEXT, Closed()],
        [TEXT, STOP, Closed()],
    ],
)
def test_what_the_writer_sends_is_a_stream_of_the_grammar(deltas, include_usage):
    assert GRAMMAR.accepts(events_of(deltas, include_usage=include_usage))


def test_a_failure_before_anything_is_a_stream_too():
    assert events_of([Failed(message="f")], include_usage=False) == ["error", "done"]
    assert GRAMMAR.accepts(["error", "done"])


@pytest.mark.parametrize(
    "word",
    [["opening", "delta"], ["delta", "done"], ["opening", "finish", "delta", "done"], ["opening", "done", "done"]],
)
def test_a_wrong_order_is_no_stream(word):
    assert not GRAMMAR.accepts(word)
