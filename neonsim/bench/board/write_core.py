"""A derived core as text: the TOML of a core file, with the bars beside the numbers; and the comparison as a table."""

from __future__ import annotations

import json
import re
from typing import Any

from neonsim.arm.timing import Core, core_name, cores
from neonsim.arm.timing.cores.loader import inheritance
from neonsim.errors import BadArgument

from .derive_core import Derived, DerivedNumber, compare
from .results import BoardSamples, machine_name

__all__ = ["check_core_name", "comparison_report", "core_text", "findings_report"]

MINE, GUESS = "this-board", "assumed"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_MAX_NAME_LENGTH = 40


def check_core_name(name: str | None, parent: Core) -> str:
    """Return the name of the core that is made. Raises BadArgument for one that no core can have, or that one has."""
    name = name or f"{parent.name}-measured"
    if not _NAME.fullmatch(name) or len(name) > _MAX_NAME_LENGTH:
        raise BadArgument(f"--as {name!r}: a core's name must have lower-case letters, digits and single hyphens, at "
                          f"most {_MAX_NAME_LENGTH} characters, as my-board-a55.")
    if core_name(name) in cores():
        raise BadArgument(f"--as {name}: this core exists already. Use another name.")
    return name


def _quoted(text: str) -> str:
    """A TOML string; what JSON writes is one, where no half of a pair stands alone."""
    return json.dumps(text.encode("utf-8", "replace").decode("utf-8"))


def _value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int) else \
        f"[{', '.join(map(_quoted, value))}]" if isinstance(value, tuple) else _quoted(value)


def _fields(fields: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {_value(value)}" for key, value in fields.items())


def _bars(finding: DerivedNumber) -> str:
    low, high = finding.cycles
    width = "" if finding.low == finding.high else f", {finding.low} to {finding.high} fit"
    also = f"; or {'; or '.join(finding.alternatives)}" if finding.alternatives else ""
    return (f"{finding.quantity} {_value(finding.value)}: {low:.2f} to {high:.2f} cycles{width}, "
            f"{finding.row_name}{also}")


def _class_rows(done: Derived) -> list[str]:
    """[class]: a row for each measured one, the bars in a comment above it."""
    decided: dict[str, list[DerivedNumber]] = {}
    for finding in done.findings:
        if finding.value is not None:
            decided.setdefault(finding.location, []).append(finding)
    lines = ["[class]"]
    for key, fields in done.rows.items():
        name, *suffixes = key.split(".")
        have = done.parent.fields(name, set(suffixes))[0]
        whole = done.rows.get(name, {}) if suffixes else {}
        kept = {what: value for what, value in fields.items()
                if what == "latency" or value != whole.get(what, have.get(what, 1 if what == "busy" else None))}
        if not kept:
            continue
        if have.get("unknown") and "latency" in kept:
            kept["unknown"] = False
        notes = decided.get(f"[class] {key}", [])
        lines += [f"# {_bars(finding)}" for finding in notes]
        # What a row does not say (its unit, mostly) is the parent's.
        source = MINE if {finding.quantity for finding in notes} >= {"latency", "busy"} else f"{MINE} {GUESS}"
        lines.append(f"{_quoted(key) if suffixes else key} = {{ {_fields(kept)}, source = {_quoted(source)} }}")
    return lines if len(lines) > 1 else []


def core_text(derived: Derived, name: str | None = None) -> str:
    """Return the core's file: what was measured, with its bars; the rest is its parent's, as a guess.

    Raises BadArgument for a name that cannot be taken.
    """
    found, parent = derived.measurement, derived.parent
    name = check_core_name(name, parent)
    samples = min(len(row.samples) for row in found.rows.values())
    board = machine_name(found)
    how = "answered by a model, not measured" if found.kind == "simulated" else "measured"
    lines = [f"# Made by `neonsim cores derive`: {how}. Bars stand beside the numbers: minimum to median in cycles.",
             f"name = {_quoted(name)}",
             f"title = {_quoted(f'{board}: {how}; based on {parent.name}')}",
             f"based_on = {_quoted(parent.name)}", f"inherits = {_value(tuple(inheritance(parent.name)))}",
             f"inherited = {_quoted(GUESS)}", "", f"picture = {_quoted(parent.picture)}", "",
             f"notes = {_quoted(_notes(derived, how))}", "", "[source]",
             f"{MINE} = " + _quoted(f"{board}, {how}: clock {found.method}, {found.mhz:.0f} MHz, at least {samples} "
                                    f"samples a row, {len(found.good)} rows used, {len(derived.excluded)} too noisy"),
             f"{GUESS} = " + _quoted(f"a guess: as {parent.name} has it, not measured on this board")]
    if found.midr:
        lines += ["", "[identity]", f"midr = {found.midr:#010x}",
                  f"ctr = {parent.identity.get('ctr', 0x8444c004):#010x}", f"source = \"{MINE} {GUESS}\""]
    for unit, fields in derived.units.items():
        lines += ["", f"[unit.{unit}]", *(f"{key} = {value}" for key, value in fields.items()), f"source = \"{MINE}\""]
    if derived.memory:
        lines += ["", "[memory]", *(f"{key} = {value}" for key, value in derived.memory.items()),
                  f"source = \"{MINE} {GUESS}\""]
    for rule in derived.rules:
        forward = rule.forward
        lines += ["", f"# {_bars(rule.finding)}", "[[forward]]", f"from = {_value(forward.sources)}",
                  f"to = {_value(forward.targets)}", f"role = {_value(forward.roles)}",
                  *([f"write = {_quoted(forward.write)}"] if forward.write else []), f"latency = {forward.latency}",
                  f"source = \"{MINE}\""]
    return "\n".join([*lines, "", *_class_rows(derived)]) + "\n"


def _notes(done: Derived, how: str) -> str:
    off = [f for f in done.findings if f.value is None]
    wide = [f for f in done.findings if f.value is not None and not f.determined]
    text = (f"Numbers of source {MINE} were {how}; those of {GUESS} are taken over from {done.parent.name}, and so are "
            "its pipeline and its units.")
    if wide:
        text += (" Not settled by the samples: "
                 f"{', '.join(f'{f.location} {f.quantity} {f.low} to {f.high}' for f in wide)}.")
    if off:
        text += (f" Measured, but with no number of this pipeline to be had so: {', '.join(f.row_name for f in off)}.")
    if done.excluded:
        text += f" Too noisy to be used: {', '.join(done.excluded)}."
    return text


def findings_report(derived: Derived) -> str:
    """Return what was decided, what stayed, what no number explains."""
    known = [f for f in derived.findings if f.value is not None]
    changed = [f for f in known if f.value != f.before]
    lines = [f"{machine_name(derived.measurement)}: {len(derived.measurement.rows)} rows; {len(known)} numbers "
             "decided, "
             f"{len(changed)} of them other than {derived.parent.name}'s"]
    lines += [f"  {f.location} {f.quantity}: {f.value}"
              + ("" if f.determined else f" ({f.low} to {f.high} fit)")
              + f", {derived.parent.name} {f.before}; {f.cycles[0]:.2f} to {f.cycles[1]:.2f} cycles, {f.row_name}"
              for f in changed]
    off = [f for f in derived.findings if f.value is None]
    if off:
        lines.append(f"no number of this pipeline gives what was measured ({len(off)}):")
        lines += [f"  {f.row_name}: {f.cycles[0]:.2f} cycles; {f.location} stays {f.before}" for f in off]
    if derived.lacking:
        lines.append(f"not used: what needs {' and '.join(sorted(derived.lacking))}, which {derived.parent.name} has "
                     "not; "
                     "name a core that has it")
    if derived.excluded:
        lines.append(f"too noisy, left out: {', '.join(derived.excluded)}")
    return "\n".join(lines)


def _error(row: BoardSamples, cycles: float) -> float:
    return cycles / row.minimum - 1


def comparison_report(derived: Derived) -> str:
    """Modelled beside measured, row by row: the parent's model, and the one that was made."""
    before = {row.name: cycles for row, cycles in compare(derived.measurement, derived.parent)}
    rows = [(row, cycles) for row, cycles in compare(derived.measurement, derived.core)]
    width = max((len(row.name) for row, _ in rows), default=4)
    lines = [f"{'measured':<{width}}  {'minimum':>10}{'median':>11}  {'made':>10}{'':>9}  {derived.parent.name:>12}"]
    errors: list[float] = []
    for row, cycles in rows:
        old = before.get(row.name, float("nan"))
        errors.append(abs(_error(row, cycles)))
        lines.append(f"{row.name:<{width}}  {row.minimum:10.2f}{row.median:11.2f}  {cycles:10.2f}"
                     f"{100 * _error(row, cycles):+7.1f} %  {old:12.2f}{100 * _error(row, old):+7.1f} %  {row.unit}"
                     f"{'  noisy' if row.noisy else ''}")
    if errors:
        old_errors = [abs(_error(row, before[row.name])) for row, _ in rows if row.name in before]
        lines.append(f"mean error of the model made {100 * sum(errors) / len(errors):.1f} %, of {derived.parent.name} "
                     f"{100 * sum(old_errors) / len(old_errors):.1f} %")
    return "\n".join(lines)
