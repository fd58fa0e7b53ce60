"""What strangers write cannot steer a terminal: errors and every command write it out, and progress still may."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import neonsim as ns
from neonsim.arm.asm.assembler import assemble_named
from neonsim.cli import main
from neonsim.common.terminal import EscapedStream, bare, escape_text

SOURCE = "f: ldr q0, [x0]\n add v0.4s, v0.4s, v0.4s\n str q0, [x1]\n ret\n"
CALL = ("--isa", "aarch64", "u32:1,2,3,4", "c=out:16")
BAD = ("a\x1b[31mb", "a\rb", "a\x07\x08b", "a\x7fb", "a\x9b2Jb", "a\u202eb", "a\u2028b", "a\udcffb", "a\ud800b", "a\0b")


@pytest.mark.parametrize("text", BAD, ids=ascii)
def test_plain(text: str) -> None:
    found = escape_text(text)
    assert found.isascii() and found.isprintable() and found.startswith("a\\") and found.endswith("b")
    assert escape_text(found) == found
    assert str(ns.BadArgument(text)) == found
    assert escape_text("µ → \t…\n") == "µ → \t…\n" and escape_text("a\tb", "") == "a\\tb"


@pytest.mark.parametrize(("text", "lines"), [
    ('.error "a\x1b[31mb"', ['.error "a\\x1b[31mb"', "^^^^^^", "The program reports an error: a\\x1b[31mb"]),
    ('#error "a\x1b[31m"', ['#error "a\\x1b[31m"', "^^^^^^", 'The program reports an error: "a\\x1b[31m"']),
    ("\tadd v0.4\x1bs, v1", ["\tadd v0.4\\x1bs, v1", "\t        ^^^^", "`\\x1b` has no meaning here."]),
    ("add /* \x1b */ v0.4q", ["add /* \\x1b */ v0.4q", "               ^^^^^"])])
def test_lines_of_a_program_are_shown_with_the_caret_below(text: str, lines: list[str]) -> None:
    with pytest.raises(ns.AssemblyError) as caught:
        ns.assemble(text, isa="aarch64")
    shown = [line.removeprefix("    ") for line in str(caught.value).split("\n")]
    assert shown[1:1 + len(lines)] == lines


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a file, of a trace, a label, a word of the command line: on both streams, in text and in JSON."""
    name = "n\x1b[31m\x7f\udcff"
    path = tmp_path / f"{name}.S"
    path.write_text(SOURCE)
    trace, page = tmp_path / f"{name}.neontrace", tmp_path / f"{name}.html"
    commands = [["run", str(path), *CALL], ["trace", str(path), *CALL, "--html", str(page), "--save", str(trace)],
                ["trace", str(trace)], ["run", str(path), "--isa", "aarch64", "--emit-c", "program"],
                ["check", str(path)],
                ["run", str(path), *CALL, "--entry", name], ["isa", name], ["run", f"{path}x", "--isa", "aarch64"]]
    for words in commands:
        main(words)
        shown = capsys.readouterr()
        assert all(letter.isprintable() or letter in "\n\t" for letter in shown.out + shown.err), words
        assert shown.out or "n\\x1b[31m\\x7f\\udcff" in shown.err
    main(["trace", str(path), *CALL, "--json"])
    assert json.loads(capsys.readouterr().out)["steps"]
    assert main(["run", str(path), "--isa", "aarch64", "u32:1,2,3,4", "out:16", "--json"]) == 0
    json.loads(capsys.readouterr().out)
    monkeypatch.setattr(sys, "stdin", io.StringIO("s\nm\nq\n"))
    assert main(["step", str(trace)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_json_holds_what_it_held(capsys: pytest.CaptureFixture[str]) -> None:
    from neonsim.cli.options import print_json

    value = {"a\x7f\x1b\u202e\udcff": "".join(map(chr, range(256)))}
    stream = io.StringIO()
    monkeyed, sys.stdout = sys.stdout, EscapedStream(stream)
    try:
        print_json(value)
    finally:
        sys.stdout = monkeyed
    assert json.loads(stream.getvalue()) == value


def test_progress_may_steer() -> None:
    stream = io.StringIO()
    wrapped = EscapedStream(stream)
    print("a\rb", file=wrapped)
    print("\r", end="", file=bare(wrapped))
    assert stream.getvalue() == "a\\rb\n\r" and bare(stream) is stream and not wrapped.isatty()


def test_names_that_are_no_text_in_every_engine_and_page(tmp_path: Path) -> None:
    """Half a character, and NUL, which the name of an archive's member can hold."""
    for name in ("n\ud800\udcff", "a\0b.o"):
        program = assemble_named(name, SOURCE, "aarch64")
        machine = ns.Machine(isa="aarch64")
        places = [machine.memory.declare("u32*4", f"{name}{i}") for i in range(2)]
        machine.call(program, *places, engine="python")
        recorded = machine.call(program, *places, trace=True).trace
        assert recorded is not None
        recorded.save(tmp_path / "x.neontrace")
        for trace in (recorded, ns.load_trace(tmp_path / "x.neontrace")):
            trace.to_html(tmp_path / "x.html")
            trace.to_html(tmp_path / "x.html", live=True)
    rows = assemble_named("a\0b.o", "f: ret", "aarch64")
    assert not ns.check(rows, "qu8_sumrows", tile="4x")
    for wrong in ("n\ud800", "a\0b"):
        with pytest.raises(ns.BadArgument, match="cannot be read"):
            ns.load_trace(wrong)


@pytest.mark.parametrize("words", [["kernels"], ["run", "none.S"], ["isa", "--json"]], ids=" ".join)
def test_standard_output_may_be_closed(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert main(words) == (2 if "none.S" in words else 0)
    sys.stdout.close()
    sys.stderr.close()


@pytest.mark.slow
@pytest.mark.parametrize(("streams", "status", "says"), [
    (">&-", 0, ""), (">/dev/full", 2, "neonsim: No space left on device\n"), (">/dev/full 2>/dev/full", 1, ""),
    (">&- 2>&- <&-", 0, "")])
def test_standard_output_that_takes_nothing(streams: str, status: int, says: str) -> None:
    done = subprocess.run(["/bin/sh", "-c", f'"$0" -m neonsim kernels {streams}', sys.executable], capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", says)


@pytest.mark.slow
def test_where_names_of_files_are_ascii(tmp_path: Path) -> None:
    """The C locale: names are not UTF-8 there, and C compilers name files too."""
    (tmp_path / os.fsdecode(b"n\xff\x1b.c")).write_text("int f(int x) { return x + x; }\n")
    done = subprocess.run([sys.executable, "-m", "neonsim", "run", b"n\xff\x1b.c", "3"], capture_output=True,
                          check=False, cwd=tmp_path, env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0",
                                             "PYTHONCOERCECLOCALE": "0"})
    assert b"Traceback" not in done.stderr and (b"returned 6" in done.stdout or b"no C compiler" in done.stderr)
