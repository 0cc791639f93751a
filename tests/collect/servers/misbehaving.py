"""An MCP server that does one thing wrong: the argument says which."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from honest import STAMP, TOOL, Offer, send, serve

HONEST = Offer({})


def before(method, act):
    """Serve honestly until method is asked; then act, and answer as act says."""

    def answer(asked, params):
        return act(asked, params) if asked == method else HONEST.answer(asked, params)

    serve(answer)


def say(line):
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def dies():
    print("starting", file=sys.stderr)
    print(f"RuntimeError: no database at {os.environ.get('DSN', 'nowhere')}", file=sys.stderr)
    sys.exit(3)


def dies_by_signal():
    os.kill(os.getpid(), signal.SIGKILL)


def dies_listing():
    before("tools/list", lambda *_: sys.exit("cannot list"))


def dies_at_discover():
    before("server/discover", lambda *_: sys.exit("first message was no initialize"))


def ends_well():
    sys.stdin.readline()


def hangs():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("connecting to the warehouse", file=sys.stderr, flush=True)
    time.sleep(600)


def hangs_listing():
    before("tools/list", lambda *_: time.sleep(600))


def noise():
    say(b"Server ready \x1b[32mon\x1b[0m port 1234 with key sk-abcdef1234567890\n")
    serve(HONEST.answer)


def noise_without_newline():
    say(b"usage: server [options]")


def noise_between():
    before("tools/list", lambda *_: say(b"DEBUG listing\n") or HONEST.answer("tools/list", {}))


def a_number():
    say(b"42\n")
    serve(HONEST.answer)


def not_utf8():
    say(b"caf\xe9 ouvert\n")
    serve(HONEST.answer)


def half_a_pair():
    say(b'{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800"}}\n')
    serve(HONEST.answer)


def no_jsonrpc():
    say(b'{"id": 1, "result": {}}\n')
    serve(HONEST.answer)


def a_batch():
    say(b'[{"jsonrpc":"2.0","method":"a"}]\n')
    serve(HONEST.answer)


def deep_json():
    say(b"[" * 100_000 + b"\n")
    serve(HONEST.answer)


def endless_pages():
    before("tools/list", lambda _, params: {"tools": [], "nextCursor": str(int(params.get("cursor") or 0) + 1)})


def same_cursor():
    before("tools/list", lambda *_: {"tools": [], "nextCursor": "again"})


def many_tools():
    tools = [TOOL | {"name": f"t{number}"} for number in range(6_000)]
    before("tools/list", lambda *_: {"tools": tools})


def one_long_line():
    while True:
        say(b"x" * 1_000_000)


def floods_stdout():
    line = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"d": "x" * 500_000}}).encode()
    while True:
        say(line + b"\n")


def floods_stderr():
    for _ in range(2_000):
        sys.stderr.write("x" * 10_000 + "\n")
    serve(HONEST.answer)


def tool_twice():
    before("tools/list", lambda *_: {"tools": [TOOL, TOOL]})


def tool_without_schema():
    before("tools/list", lambda *_: {"tools": [{"name": "bare"}]})


def tool_without_name():
    before("tools/list", lambda *_: {"tools": [TOOL | {"name": 7}]})


def schema_is_text():
    before("tools/list", lambda *_: {"tools": [TOOL | {"inputSchema": "object"}]})


def old_revision():
    hello = {"protocolVersion": "1999-01-01", "capabilities": {}, "serverInfo": STAMP}
    before("initialize", lambda *_: hello)


def hello_is_empty():
    before("initialize", lambda *_: {"nothing": 1})


def refuses_listing():
    error = {"code": -32603, "message": "the token ghp_abcdefghijklmnop has expired\nsecond line"}
    before("tools/list", lambda *_: {"error": error})


def declines_both():
    serve(lambda *_: {"error": {"code": -32000, "message": "closed on Sundays"}})


def asks_back():
    send({"jsonrpc": "2.0", "id": "theirs", "method": "sampling/createMessage", "params": {"messages": []}})
    send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "hello"}})
    say(b"\n\r\n")  # empty lines harm nobody
    serve(HONEST.answer)


def leaves_children():
    """A child that keeps all pipes open and outlives its parent."""
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", code])
    Path(sys.argv[2]).write_text(f"{os.getpid()} {child.pid}")
    serve(HONEST.answer)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
