"""The process that runs the model: `python -m stipula.gateway.local.child`, started by `supervisor.py` only.

One line of JSON in on standard input (`Order`), one out on standard output (`Ready` or `Unable`), then a server on a
loopback port that nobody can use without the key in the order. It ends when standard input ends, which it does
when the parent ends, however that comes about.
"""

import os
import sys
from importlib import import_module
from typing import Any, Protocol, TextIO, cast

import msgspec
from msgspec import Struct

_PROMPT_CACHE_MIB = 64
"""Prompts kept beside the running ones; the runtime's own bound is 8 GiB."""


class Order(Struct, frozen=True, kw_only=True):
    """What to run. name: what answers call it. slots: answers at once; context: tokens that they share."""

    model: str
    name: str
    key: str
    threads: int
    slots: int
    context: int


class Ready(Struct, frozen=True, tag="ready"):
    """It runs at this address."""

    address: str


class Unable(Struct, frozen=True, tag="unable"):
    """It cannot, and why."""

    why: str


def main() -> None:
    """Run until standard input ends."""
    told = _private_output()
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=Order)
    try:
        server = _server(order)
        answer: Ready | Unable = Ready(server.listening_address)
    except Exception as why:  # noqa: BLE001 - whatever it is, the parent must be told
        answer = Unable(f"{type(why).__name__}: {why}")
    told.write(msgspec.json.encode(answer).decode() + "\n")
    told.flush()
    if isinstance(answer, Ready):
        sys.stdin.buffer.read()
    os._exit(0)  # the runtime's own threads need not be waited for


def _private_output() -> TextIO:
    """Standard output for us alone: the runtime writes to descriptor 1 and 2 as it likes, and nobody reads that."""
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return ours


class _Serving(Protocol):
    """What is used of the runtime's server."""

    listening_address: str


def _server(order: Order) -> _Serving:
    runtime: Any = import_module("xllamacpp")  # it ships no types
    params = runtime.CommonParams()
    params.model.path = order.model
    params.api_keys = [order.key]
    params.n_parallel = order.slots
    params.n_ctx = order.context
    params.kv_unified = True
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.model_alias = {order.name}
    params.ui = False
    params.endpoint_slots = False
    params.cpuparams.n_threads = order.threads
    params.cpuparams_batch.n_threads = order.threads
    params.sampling.temp = 0.0  # a small model at rest is right more often; an ask that says otherwise is heard
    params.verbosity = -1
    params.hostnames = ["127.0.0.1"]
    return cast("_Serving", runtime.Server(params))


if __name__ == "__main__":
    main()
