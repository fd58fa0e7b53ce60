"""`neonsim lab`: a copy of the course in a folder of your own, opened with JupyterLab."""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from neonsim.common.extras import install
from neonsim.errors import MissingPackage
from neonsim.learn.course.classroom.workspace import Copied, copy_course, sign

from .options import add_output, print_json, top_command

__all__ = ["add_commands"]

LABEXTENSIONS = Path(__file__).parents[1] / "learn" / "notebook" / "labextensions"


def add_commands(commands: Any) -> None:
    made = top_command(commands, "lab", "neonsim lab my-course",
                       "The notebooks are copied into the folder and opened there. A file that was changed is never "
                       "overwritten:\ncall it again after an update, and it brings what is new. In a checkout, `make "
                       "lab` does this with build/course.")
    add_output(made, "folder", help="Folder of the copy (neonsim-course).", folder=True, nargs="?",
               default="neonsim-course")
    made.add_argument("--copy-only", action="store_true", help="Copy, and open nothing.")
    made.add_argument("--no-browser", action="store_true", help="Start JupyterLab and print its address.")
    made.add_argument("--port", type=int, help="Port of JupyterLab, on this machine only (8888).")
    made.set_defaults(run=_lab)


def _lab(options: argparse.Namespace) -> int:
    copied = copy_course(options.folder)
    if options.json:
        print_json({"folder": copied.folder, "written": copied.new_files, "same": copied.unchanged_files,
                    "kept": copied.preserved_files})
    else:
        print(_said(copied))
    sys.stdout.flush()
    if options.copy_only:
        _sign(copied)
        return 0
    if importlib.util.find_spec("jupyterlab") is None:
        raise MissingPackage(f"opening the course needs JupyterLab: {install('neonsim[lab]')}. You can also open "
                             f"{copied.folder / 'notebooks'} with another program for notebooks.")
    # What JupyterLab prints is no part of an answer in JSON.
    lab = subprocess.Popen(_jupyter(options), stdout=sys.stderr if options.json else None)
    _sign(copied)       # which is done before the first page is there
    while True:
        try:
            return lab.wait()
        except KeyboardInterrupt:       # it has got Ctrl-C as well, and asks whether it is meant
            continue


def _sign(copied: Copied) -> None:
    """Let Jupyter show all that is stored in the copies; without its package no signature is needed."""
    if importlib.util.find_spec("nbformat") is not None:
        sign(copied)


def _jupyter(options: argparse.Namespace) -> list[str]:
    """JupyterLab of this Python (-P: never a file of that name here), on this machine only, on the copy."""
    words = [sys.executable, "-P", "-m", "jupyterlab", options.folder, "--ServerApp.default_url=/lab/tree/notebooks"]
    # Cells of assembly in colours; an installed neonsim has them among Jupyter's own files as well.
    words.append(f"--LabApp.extra_labextensions_path={LABEXTENSIONS}")
    words += ["--no-browser"] if options.no_browser else []
    words += [f"--port={options.port}"] if options.port is not None else []
    # It refuses to run as root, the usual user of a container, unless told so.
    return words + (["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])


def _said(copied: Copied) -> str:
    counted = [f"{len(names)} {word}" for names, word in
               ((copied.new_files, "written"), (copied.unchanged_files, "up to date"),
                (copied.preserved_files, "of your own changes kept"))
               if names]
    kept = [f"kept as you changed it: {name}" for name in copied.preserved_files]
    return "\n".join([*kept, f"the course is in {copied.folder}: files {', '.join(counted)}"])
