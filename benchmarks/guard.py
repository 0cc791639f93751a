"""The guard on a stream that we send: what one event costs to read, to check against chat v2, and to write."""

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

import stipula
from stipula.enforce.policy import Policy
from stipula.enforce.stream import StreamGuard, shapes_of
from stipula.wire.grammar import Grammar
from stipula.wire.sse import Frame, FrameReader, encode

CHUNKS = 34
"""With metadata and complete, the 36 frames of the stream budget."""
STREAMS = 200
ROUNDS = 7
BUDGET_US = 10


def events() -> list[tuple[str, dict[str, Any]]]:
    """A whole instant answer."""
    common = {"model": "SmolLM2-135M-Instruct", "context": "casual", "deep_thinking": False, "thinking_mode": "instant"}
    known = {"timestamp": "2026-11-30T10:00:00.000000Z", "request_id": "0123456789ab"}
    served = {"stream_backend": "starlette", "stream_contract_version": "v2", "web_search": False, "streaming": True}
    words = [f" word{number}" for number in range(CHUNKS)]
    chunks = [
        ("chunk", {"content": word, "chunk_index": number, "request_id": known["request_id"]})
        for number, word in enumerate(words, 1)
    ]
    thought = {"thinking_summary": "", "thinking_steps": [], "thinking_duration_ms": 0}
    spent = {"elapsed_time": 1.25, "tokens": 34, "max_tokens": 2000, "time_to_first_chunk": 0.2}
    whole = {"response": "".join(words), "total_chunks": CHUNKS, **common, **thought, **spent, **known}
    return [("metadata", {**common, **served, **known}), *chunks, ("complete", whole)]


def report(name: str, once: Callable[[], object]) -> float:
    """Print the median of what one event costs, in µs of CPU."""
    once()
    costs: list[float] = []
    for _ in range(ROUNDS):
        started = time.process_time()
        for _ in range(STREAMS):
            once()
        costs.append((time.process_time() - started) / STREAMS / (CHUNKS + 2) * 1e6)
    print(f"{name:<52} {statistics.median(costs):6.2f} µs an event   (least {min(costs):.2f}, median of {ROUNDS})")
    return statistics.median(costs)


def main() -> None:
    """Run it."""
    path = Path(stipula.__path__[0]) / "chat" / "contract" / "chat_v2.json"
    grammar = Grammar.from_document(json.loads(path.read_text(encoding="utf-8")), side="producer")
    shapes = shapes_of(grammar)
    told = events()
    chunks = [encode(Frame(event=event, data=json.dumps(payload))) for event, payload in told]
    read = msgspec.json.decode

    def guarded(policy: Policy) -> StreamGuard:
        return StreamGuard(
            grammar,
            shapes,
            policy,
            fail,
            surface="stream:/chat/stream",
            refusal=lambda _: ("error", {"error": "broken"}),
        )

    def check(policy: Policy) -> None:
        guard = guarded(policy)
        for event, payload in told:
            guard.check(event, payload)
        guard.close()

    def decode() -> list[object]:
        reader = FrameReader()
        return [read(frame.data) for chunk in chunks for frame in reader.feed(chunk)]

    def write() -> list[bytes]:
        return [encode(Frame(event=event, data=msgspec.json.encode(payload).decode())) for event, payload in told]

    def decode_and_check() -> None:
        reader, guard = FrameReader(), guarded(Policy(mode="enforce"))
        for chunk in chunks:
            for frame in reader.feed(chunk):
                guard.check(frame.event, read(frame.data))
        guard.close()

    report("read frames and JSON, one chunk a frame", decode)
    report("write JSON and frames", write)
    report("guard, off", lambda: check(Policy(mode="off")))
    guard_us = report("guard, enforce: shape, keys, order, 12 laws", lambda: check(Policy(mode="enforce")))
    report("read and guard", decode_and_check)
    print(f"guard per event: {guard_us:.2f} µs; budget {BUDGET_US} µs: {'kept' if guard_us <= BUDGET_US else 'BROKEN'}")


def fail(surface: str, violation: object, _action: str) -> None:
    """The stream of this benchmark is whole; a break would measure something else."""
    raise AssertionError(surface, violation)


if __name__ == "__main__":
    main()
