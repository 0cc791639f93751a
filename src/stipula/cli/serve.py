"""`stipula serve`: the whole product in one process."""

import gc
import logging
import os
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from stipula.cli.main import tell
from stipula.cli.model import bar
from stipula.errors import EXIT_UNAVAILABLE, EXIT_USAGE, Problem
from stipula.redact import redact

if TYPE_CHECKING:
    from uvicorn import Server

    from stipula.gateway.front import App
    from stipula.settings import Settings

DRAIN_S: Final = 20
"""How long answers that are under way may take when the server is told to stop."""
BACKLOG: Final = 2048


class PortTaken(Problem):
    """The address is somebody else's already, or is none of this machine's."""

    code, exit_code = "CLI010", EXIT_UNAVAILABLE
    hint = "cannot listen on {address}: {why}; another --listen HOST:PORT may be free"


@click.command(epilog="Example:\n\n  stipula serve --listen 127.0.0.1:8400")
@click.option("--config", "config", type=click.Path(path_type=Path), help="Configuration file (TOML).")
@click.option("--listen", metavar="HOST:PORT", help="Where to listen, in place of what the file says.")
@click.option("--open", "is_opened", is_flag=True, help="Open the page in a browser.")
def serve(config: Path | None, listen: str | None, is_opened: bool) -> int:  # noqa: FBT001 - click passes it by name
    """Serve the chat page, and the gateway at /v1, on this machine."""
    from stipula.assembly import application  # noqa: PLC0415 - loaded when it is called
    from stipula.settings import Misconfigured, load, with_listen  # noqa: PLC0415

    try:
        settings = load(config, os.environ)
        settings = settings if listen is None else with_listen(settings, listen)
    except Misconfigured as why:
        for line in why.lines:
            tell(line)
        return EXIT_USAGE
    with listening(settings.server.host, settings.server.port) as door, bar("fetching the model") as progress:
        url = _url(settings.server.host, door.getsockname()[1])
        _announce(settings)
        server = _server(application(settings, progress), url, is_opened=is_opened)
        _log_to_stderr()
        gc.collect()
        gc.freeze()  # what is loaded stays; looking through it again and again costs a few per cent
        server.run(sockets=[door])
    return 0 if server.started else EXIT_UNAVAILABLE


class _Redacting(logging.Formatter):
    """Lines of a log without secrets, wherever in a traceback they stand."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def _log_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_Redacting("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; `PortTaken` where it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    door = socket.socket(family, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((host, port))
        door.listen(BACKLOG)
    except OSError as why:
        door.close()
        raise PortTaken(address=f"{host}:{port}", why=(why.strerror or type(why).__name__).lower()) from None
    return door


def _announce(settings: "Settings") -> None:
    """Name the upstreams that keys in the environment have added."""
    for upstream in settings.gateway.upstreams:
        if upstream.name in settings.vendors:
            tell(f"stipula: its key is in the environment, so {', '.join(upstream.models)} go to {upstream.name}")


def _url(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{shown}:{port}"


def _server(application: "App", url: str, *, is_opened: bool) -> "Server":
    import uvicorn  # noqa: PLC0415 - loaded when it is called

    class Announcing(uvicorn.Server):
        """A server that says once where it is, when it is ready."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                print(f"Stipula is ready: {url}", flush=True)
                if is_opened:
                    click.launch(url)

        def handle_exit(self, sig: int, frame: object) -> None:
            """The first signal drains, the second one ends at once."""
            self.force_exit = self.should_exit and sig == signal.SIGINT
            self.should_exit = True
            del frame

    config = uvicorn.Config(
        application,
        loop="uvloop",
        http="httptools",
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=True,
        lifespan="on",
        timeout_graceful_shutdown=DRAIN_S,
        backlog=BACKLOG,
    )
    return Announcing(config)
