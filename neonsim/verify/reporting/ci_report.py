"""Results of check, prove and time as build servers read them.

    github   workflow commands, which become annotations at the lines of a change
    junit    XML of tests, which servers show as a list: a kernel, a claim or a core is a test
    sarif    SARIF 2.1.0, which code scanning takes: what passes is a result of the kind "pass"

Sources: GitHub, "Workflow commands" and its toolkit (escapes); the schema of JUnit's reports as Jenkins reads it;
OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from neonsim.common.terminal import escape_text

if TYPE_CHECKING:
    from neonsim.arm.timing import Timing
    from neonsim.verify.checking import CheckResult
    from neonsim.verify.proving import Proof

__all__ = ["FORMATS", "ReportedItem", "items_of_check", "items_of_proofs", "items_of_timings", "report"]

# What is no rule of the sanitizer.
OWN_RULES = {"wrong-bytes": "Every byte of an output is as its contract says.",
             "refuted": "A claim holds for all data.",
             "unknown": "A claim is proved, or data are found that refute it.",
             "cycles": "Modelled cycles of a loop or a call on a core."}


@dataclass(frozen=True)
class ReportedItem:
    """One result.

    name      str     what was looked at: a kernel, a claim, a program on a core
    group     str     the command: "check", "prove", "time"
    level     str     "error", "warning", "notice"; what is right is a notice
    rule      str     a rule of the sanitizer, or one of OWN_RULES
    message   str     one sentence
    details   str     the whole text
    path      str     of the file that it is about, "" if none is
    line      int     in it, 0 if none
    seconds   float   it took
    """

    name: str
    group: str
    level: str
    rule: str
    message: str
    details: str = ""
    path: str = ""
    line: int = 0
    seconds: float = 0.0


def items_of_check(result: CheckResult, path: str = "") -> list[ReportedItem]:
    """Return a kernel's sweep; ``path`` of its file, where it is of one."""
    failing = result.smallest
    name = f"{Path(result.name).name} is {result.contract}"
    if result or failing is None:
        return [ReportedItem(name, "check", "notice", "wrong-bytes", f"right in every byte: {result.cases} calls",
                             str(result), path, 0, result.seconds)]
    line = 0
    if failing.trace is not None and failing.step is not None:
        where = failing.trace.instruction(failing.step).position
        line = where.line if Path(where.path).name == Path(path).name else 0
    sizes = ", ".join(f"{key} = {value}" for key, value in failing.sizes.items())
    return [ReportedItem(name, "check", "error", failing.rule or "wrong-bytes", f"{sizes}: {failing.message}",
                         str(result), path, line, result.seconds)]


def items_of_proofs(proofs: Iterable[Proof], path: str = "") -> list[ReportedItem]:
    """Claims: proved, refuted or unknown; ``path`` of the file that they are about."""
    levels = {"proved": "notice", "refuted": "error", "unknown": "warning"}
    found = []
    for one in proofs:
        said = str(one.counterexample or one.reason or one.claim)
        found.append(ReportedItem(one.claim, "prove", levels[one.verdict],
                                  "refuted" if one.verdict == "proved" else one.verdict, f"{one.verdict}: {said}",
                                  str(one), path, 0, one.seconds))
    return found


def items_of_timings(timings: Iterable[Timing], path: str = "") -> list[ReportedItem]:
    """Modelled cycles; a warning where instructions have no price. ``path`` of the program's file."""
    found = []
    for one in timings:
        each = f", {one.cycles_per_iteration:.1f} an iteration" if one.stream.body and one.stream.iterations > 1 else ""
        unknown = f"; of unknown price: {', '.join(one.unknown)}" if one.unknown else ""
        slowest = max(one.lines(), key=lambda row: row.cycles, default=None)
        found.append(ReportedItem(
            f"{Path(one.stream.name).name} on {one.core.name}", "time", "warning" if unknown else "notice", "cycles",
            f"{one.cycles} cycles{each}, bound by {one.bounds.binding}{unknown}", str(one), path,
            slowest.number if slowest is not None else 0))
    return found


def report(kind: str, items: Sequence[ReportedItem]) -> str:
    """Results in a format of FORMATS, ready to be printed."""
    return FORMATS[kind](items)


def _github(items: Sequence[ReportedItem]) -> str:
    def escaped(text: str, of_property: bool = False) -> str:
        for plain_one, coded in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
            text = text.replace(plain_one, coded)
        return text.replace(":", "%3A").replace(",", "%2C") if of_property else text

    rows = []
    for one in items:
        said = {"file": one.path, "line": str(one.line) if one.path and one.line else "", "title": one.name}
        words = ",".join(f"{key}={escaped(value, True)}" for key, value in said.items() if value)
        text = one.message if one.level == "notice" else one.details
        rows.append(f"::{one.level} {words}::{escaped(escape_text(text))}")
    return "\n".join(rows)


def _junit(items: Sequence[ReportedItem]) -> str:
    failed = sum(one.level == "error" for one in items)
    counts = {"tests": str(len(items)), "failures": str(failed), "errors": "0",
              "time": f"{sum(one.seconds for one in items):.3f}"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "neonsim", **counts})
    for one in items:
        said = {"classname": f"neonsim.{one.group}", "name": escape_text(one.name), "time": f"{one.seconds:.3f}"}
        said |= {"file": one.path} if one.path else {}
        said |= {"line": str(one.line)} if one.path and one.line else {}
        case = ElementTree.SubElement(suite, "testcase", said)
        if one.level == "error":
            made = ElementTree.SubElement(case, "failure", {"type": one.rule, "message": escape_text(one.message)})
            made.text = escape_text(one.details)
        else:
            ElementTree.SubElement(case, "system-out").text = escape_text(one.details)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "unicode")


def _sarif(items: Sequence[ReportedItem]) -> str:
    import neonsim
    from neonsim.arm.machine.memory.violations import RULES

    known = {rule.name: (rule.sentence, rule.remedy) for rule in RULES} | {
        name: (sentence, "") for name, sentence in OWN_RULES.items()}
    used = list(dict.fromkeys(one.rule for one in items))
    rules = [{"id": name, "shortDescription": {"text": known[name][0]},
              **({"help": {"text": known[name][1]}} if known[name][1] else {})} for name in used]
    results = []
    for one in items:
        made: dict[str, Any] = {
            "ruleId": one.rule, "ruleIndex": used.index(one.rule), "kind": "pass" if one.level == "notice" else "fail",
            "level": "none" if one.level == "notice" else one.level,
            "message": {"text": escape_text(f"{one.name}: {one.message}\n\n{one.details}")}}
        if one.path:
            path = Path(one.path)
            uri = path.as_uri() if path.is_absolute() else path.as_posix()
            place: dict[str, Any] = {"artifactLocation": {"uri": uri}}
            made["locations"] = [{"physicalLocation": {**place, **({"region": {"startLine": one.line}} if one.line
                                                                   else {})}}]
        results.append(made)
    return json.dumps({"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "neonsim", "version": neonsim.__version__, "rules": rules}},
        "results": results}]}, indent=1)


FORMATS: dict[str, Callable[[Sequence[ReportedItem]], str]] = {"github": _github, "junit": _junit, "sarif": _sarif}
