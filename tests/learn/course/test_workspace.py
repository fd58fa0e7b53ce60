"""A copy of the course: whole, its links lead somewhere, and no change of a reader's is ever lost."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from neonsim import BadArgument
from neonsim.learn.course.classroom import workspace
from neonsim.learn.course.classroom.workspace import RECORD, copy_course

ROOT = Path(__file__).parents[3]
PAGE, NOTEBOOK = "notebooks/README.md", "notebooks/10_cycles.ipynb"


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_whole_course_and_links_that_lead_somewhere(tmp_path: Path) -> None:
    done = copy_course(tmp_path / "a" / "b")
    there = files(done.folder)
    assert set(done.new_files) == set(there) - {RECORD} and not done.unchanged_files and not done.preserved_files
    patterns = ("notebooks/*.ipynb", "notebooks/pictures/*", "notebooks/README.md", "docs/*.md")
    own = {path.relative_to(ROOT).as_posix(): path.read_bytes() for pattern in patterns for path in ROOT.glob(pattern)}
    assert set(own) == set(done.new_files)
    assert all(there[name] == content for name, content in own.items() if not name.endswith(".md"))
    for name in done.new_files:
        if name.endswith((".md", ".ipynb")):
            for link in re.findall(r"\]\((\.\.?/[^)\s#\\]*|[\w/-]+\.(?:md|ipynb|png|svg))", there[name].decode()):
                assert ((done.folder / name).parent / link).exists(), (name, link)
    assert "strangers: SECURITY.md says" in there["docs/board.md"].decode()


def test_changed_files_stay_and_untouched_ones_follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_course(tmp_path)
    (tmp_path / NOTEBOOK).write_text("my work")
    (tmp_path / "docs" / "board.md").unlink()
    now = {PAGE: b"newer", NOTEBOOK: b"newer", "docs/board.md": b"newer", "notebooks/29_new.ipynb": b"newer"}
    monkeypatch.setattr(workspace, "course_files", lambda: now)
    done = copy_course(tmp_path)
    assert done.preserved_files == (NOTEBOOK,) and set(done.new_files) == set(now) - {NOTEBOOK}
    assert (tmp_path / NOTEBOOK).read_text() == "my work" and (tmp_path / PAGE).read_text() == "newer"
    again = copy_course(tmp_path)
    assert again.preserved_files == (NOTEBOOK,) and not again.new_files


@pytest.mark.parametrize("record", [None, "", "[1]", "{", "[" * 99, '{"notebooks/README.md": 3}'])
def test_without_a_record_everything_else_than_ours_is_kept(record: str | None, tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / PAGE).write_text("not ours")
    if record is not None:
        (tmp_path / RECORD).write_text(record)
    assert copy_course(tmp_path).preserved_files == (PAGE,)
    assert (tmp_path / PAGE).read_text() == "not ours" and PAGE not in json.loads((tmp_path / RECORD).read_text())


def test_links_and_folders_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "mine").write_text("mine")
    (tmp_path / PAGE).symlink_to(tmp_path / "mine")
    (tmp_path / NOTEBOOK).mkdir()
    assert set(copy_course(tmp_path).preserved_files) == {PAGE, NOTEBOOK}
    assert (tmp_path / "mine").read_text() == "mine"
    with pytest.raises(BadArgument, match="cannot be created: a file has this name"):
        copy_course(tmp_path / "mine")


def test_only_notebooks_that_nobody_changed_are_signed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust is for what the package holds: what stands in a changed notebook may be anybody's."""
    signed: list[int] = []
    notary = SimpleNamespace(sign=lambda notebook: signed.append(notebook["nbformat"]))
    monkeypatch.setitem(sys.modules, "nbformat.sign", SimpleNamespace(NotebookNotary=lambda: notary))
    monkeypatch.setitem(sys.modules, "nbformat.v4", SimpleNamespace(reads=json.loads))
    first = copy_course(tmp_path)
    workspace.sign(first)
    notebooks = [name for name in first.new_files if name.endswith(".ipynb")]
    assert len(signed) == len(notebooks) > 30
    (tmp_path / NOTEBOOK).write_text("{}")
    signed.clear()
    workspace.sign(copy_course(tmp_path))
    assert len(signed) == len(notebooks) - 1


@pytest.mark.nightly
def test_jupyter_trusts_the_signature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat: pip install 'neonsim[lab]'")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    workspace.sign(copy_course(tmp_path / "course"))
    from nbformat.sign import NotebookNotary

    notebook = nbformat.read(tmp_path / "course" / NOTEBOOK, as_version=4)
    assert NotebookNotary().check_signature(notebook)
    notebook.cells[0].source += " changed"
    assert not NotebookNotary().check_signature(notebook)
