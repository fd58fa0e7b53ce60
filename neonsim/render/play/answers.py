"""What the page asks its worker, and what it is told, as JSON. Whatever goes wrong is a sentence.

    {"ask": "open", "text", "isa", "words", "expected", "title", "entry"}
        -> {header, columns: name -> base64, script, expected: [{name, kind, data: base64}]}
    {"ask": "call", "words", "expected"}   of the text opened last, with other arguments
        -> {buffers, regions, columns, expected}
    {"ask": "price", "core", "pc", "executed", "accesses", "buffers"}   of the text opened last -> {timing, columns}
    {"ask": "judge", "budget", "outputs", and the same}   of the text opened last -> {kept, missed}
    {"ask": "returned", "isa", "changed": [register, ...]}   -> {"problem"}: of what the callee must keep
    {"ask": "cores", "isa"}   -> {cores: [[name, sentence]]}

Each may be {"problem", "mistakes"} instead.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neonsim.arm.machine.arch.abi import violation_text
from neonsim.arm.timing import load_cores
from neonsim.arm.timing.counts import Budget
from neonsim.common.fileio import load_json
from neonsim.errors import BadArgument, NeonsimError
from neonsim.render.play.judged import judge
from neonsim.render.play.opened import (
    OpenedProgram,
    TextMistakes,
    checked_words,
    expected_bytes,
    open_text,
    rerun_opened,
)
from neonsim.render.play.priced import price

__all__ = ["answer"]

_opened: list[OpenedProgram] = []  # the text opened last


def answer(question: str, include: Sequence[str | Path] = ()) -> str:
    """One question, one answer; `include`: folders that #include looks in."""
    try:
        said = _answer(load_json(question), include)
    except TextMistakes as problem:
        said = {"problem": str(problem), "mistakes": problem.mistakes}
    except NeonsimError as problem:
        said = {"problem": str(problem), "mistakes": []}
    return json.dumps(said, separators=(",", ":"))


def _answer(asked: dict[str, Any], include: Sequence[str | Path]) -> dict[str, Any]:
    what = asked.get("ask")
    if what == "open":
        opened = open_text(str(asked["text"]), str(asked["isa"]), checked_words(asked.get("words", [])),
                           str(asked.get("title", "")), include=include,
                           entry=str(asked.get("entry", "")))
        said = {"header": opened.header, "script": opened.script, **_data(opened, asked)}
        _opened[:] = [opened]
        return said
    if what in ("call", "price", "judge") and not _opened:
        raise BadArgument("no program has run yet")
    if what == "call":
        opened = rerun_opened(_opened[0], checked_words(asked.get("words", [])))
        return {"buffers": opened.header["buffers"], "regions": opened.header["live"]["regions"],
                **_data(opened, asked)}
    if what == "price":
        opened = _opened[0]
        timing, columns = price(opened.program, str(asked["core"]), asked["pc"], asked["executed"],
                                asked["accesses"], asked["buffers"])
        return {"timing": timing, "columns": columns}
    if what == "judge":
        opened = _opened[0]
        kept, missed = judge(opened.program, Budget(**asked["budget"]), asked["outputs"], asked["pc"],
                             asked["executed"], asked["accesses"], asked["buffers"])
        return {"kept": kept, "missed": missed}
    if what == "returned":
        raise BadArgument(violation_text(str(asked["isa"]), asked["changed"]))
    if what == "cores":
        return {"cores": [[one.name, one.title] for one in load_cores() if asked["isa"] in one.isas]}
    raise BadArgument(f"the page sent the unknown request {what!r}")


def _data(opened: OpenedProgram, asked: dict[str, Any]) -> dict[str, Any]:
    expected = expected_bytes(checked_words(asked.get("expected", [])), opened)
    return {"columns": {name: _packed(data) for name, data in opened.columns.items()},
            "expected": [{"name": name, "kind": kind, "data": _packed(data)} for name, kind, data in expected]}


def _packed(data: bytes) -> str:
    return b64encode(data).decode("ascii")
