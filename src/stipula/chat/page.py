"""The page and its files: read from the package, typed by our own table, under a policy that allows nothing foreign."""

import os
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER: Final = Path(__file__).parent / "web"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
TYPES: Final = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""The system's own table of types differs from machine to machine."""
_HEADERS: Final = {
    "cache-control": "no-cache",  # asked for anew each time, answered 304 by the ETag
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
}
ICON: Final = "mark.svg"


class _Files(StaticFiles):
    """Static files with our types and headers."""

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """The file, or 304 where the browser has it."""
        answer = super().file_response(full_path, stat_result, scope, status_code)
        kind = TYPES.get(Path(full_path).suffix.lower(), "application/octet-stream")
        if "content-type" in answer.headers:
            answer.headers["content-type"] = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
        answer.headers.update(_HEADERS)
        return answer


def page_routes(folder: Path = FOLDER) -> list[Route | Mount]:
    """`/`, `/favicon.ico` and everything below `/static`."""
    files = _Files(directory=folder, check_dir=False)

    async def index(request: Request) -> Response:
        return await files.get_response("index.html", request.scope)

    async def icon(request: Request) -> Response:
        return await files.get_response(ICON, request.scope)

    return [
        Route("/", index, methods=["GET"]),
        Route("/favicon.ico", icon, methods=["GET"]),
        Mount("/static", files),
    ]
