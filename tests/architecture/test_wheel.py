"""What is installed from the package index is what stands in the checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("stipula/")}
    standing = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src/stipula").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == standing


def test_the_wheel_names_its_licence_and_its_command(tmp_path: Path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        told = {
            name.partition(".dist-info/")[2]: archive.read(name).decode()
            for name in archive.namelist()
            if "dist-info" in name
        }
    assert "License-Expression: Apache-2.0" in told["METADATA"]
    assert "licenses/LICENSE" in told
    assert "stipula = stipula.__main__:main" in told["entry_points.txt"]
