"""The page of commands: all that there are, each with its options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.website import commands
from neonsim.cli import main


def test_every_command_has_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands.write(tmp_path)
    text = (tmp_path / "commands.md").read_text("utf-8")
    with pytest.raises(SystemExit):
        main(["--help"])
    listed = re.findall(r"^    (\w+)(?: {2,}|$)", capsys.readouterr().out, re.M)
    assert len(listed) > 15
    assert re.findall(r"^## neonsim (\w+)$", text, re.M) == listed
    assert "### neonsim explain packing\n" in text
    part = text[text.index("## neonsim sweep\n"):text.index("## neonsim course\n")]
    assert {"--core", "--shape", "--output-dir", "--scheduler"} <= set(re.findall(r"--[a-z][\w-]*", part))
    assert "\nneonsim sweep " in part  # its example
