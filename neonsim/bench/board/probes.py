"""Micro-tests: short loops of assembly, the same text for a board and for the models.

    latency      a chain: each instruction reads the one before it
    sum          a chain of accumulating instructions through the accumulator
    throughput   instructions that do not wait for one another
    beside       two instructions by turns that do not wait for one another: whether they take one pipe or two
    pair         two instructions that pass a result around in a ring: what is forwarded
    queue        instructions that wait for a slow chain of loads, and behind them a chain that need not wait: as soon
                 as the queues are full of the former, the latter waits too

Forms, pairs and who is beside whom stand in `forms.tsv`, `pairs.tsv` and `besides.tsv`. A probe is the body of a
loop; x0 (r0) counts its turns, x1 is memory to work in, x2 starts as the address of its first word, which holds that
very address, and x3 is 0.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from neonsim.arm.asm import assemble
from neonsim.arm.timing import Core, InstructionStream, StaticInstruction, load_core, simulate
from neonsim.arm.timing.stream import stream_of
from neonsim.errors import BadArgument

__all__ = ["BESIDE", "LATENCY", "PAIR", "QUEUE", "SUM", "THROUGHPUT", "Probe", "modeled", "open_classes",
           "probe_named", "probes", "some_probes"]

LATENCY, SUM, THROUGHPUT, BESIDE, PAIR, QUEUE = "latency", "sum", "throughput", "beside", "pair", "queue"
LINKS, STREAM = 32, 48      # instructions an iteration: enough that the two that count iterations hardly matter
RINGS = 16                  # rings a turn
TURNS = 24                  # of a loop that is modelled; the second half of them counts
TURNED = 24                 # pairs a turn of two instructions that are beside each other
# Of the probes of queues: loads of the slow chain, links of the chain that need not wait, how many instructions wait.
SLOW, FREE, WAITING = 12, 48, (2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40)
_TARGETS = {"aarch64": {"v": range(16, 32), "x": range(4, 16)},
            "aarch32": {"q": range(8, 16), "d": range(16, 32), "r": range(4, 10)}}
_FILES = {"q": "v", "d": "v", "s": "v", "h": "v", "w": "x"}      # of AArch64: registers of one file
_STEP = 16


@dataclass(frozen=True, slots=True)
class Probe:
    """A micro-test.

    name    what it is called in files: kind and form, as "latency add.8h"
    kind    one of the words above
    isa     aarch64 | aarch32
    lines   the loop's body, without what counts its turns
    per     how many instructions (rings, turns) its cycles are shared by
    role    of a pair: what the second instruction reads the first one's result as; of a queue: how many wait
    """

    name: str
    kind: str
    isa: str
    lines: tuple[str, ...]
    per: int
    role: str = ""

    @property
    def ops(self) -> tuple[StaticInstruction, ...]:
        """Its different instructions as the pipelines see them; without those that count the turns."""
        return _loop(self.isa, tuple(dict.fromkeys(self.lines)), 1).ops[:-2]

    @property
    def features(self) -> frozenset[str]:
        """What a core must have for it."""
        return frozenset({op.feature for op in self.ops} | {"neon" for op in self.ops if op.neon}) - {""}


def _table(name: str) -> list[dict[str, str]]:
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def _file(isa: str, text: str, place: str) -> str:
    """The register file of a placeholder: the letter in front of it."""
    letter = text[text.index("{" + place + "}") - 1]
    return _FILES.get(letter, letter) if isa == "aarch64" else letter


def _number(isa: str, text: str, place: str, register: int) -> int:
    """A register by its number among the 128-bit ones: of D registers of AArch32 its lower half."""
    return 2 * register if isa == "aarch32" and _file(isa, text, place) == "d" else register


def _filled(isa: str, text: str, d: int, n: int, m: int, o: int = 0) -> str:
    """The form with these registers; of general ones the chain's is x2 and the other x3, whatever is asked."""
    numbers = {"o": o}
    for place, register, general in (("d", d, d if d > 3 else 2), ("n", n, 2), ("m", m, 3)):
        if "{" + place + "}" in text:
            whole = _file(isa, text, place) in ("x", "r")
            numbers[place] = general if whole else _number(isa, text, place, register)
    return text.format(**numbers)


def _streamed(isa: str, text: str) -> tuple[str, ...]:
    """The form `STREAM` times, none of which waits for another."""
    targets: range = range(1)
    if "{d}" in text:
        file = _file(isa, text, "d")
        targets = _TARGETS[isa]["q" if isa == "aarch32" and file == "d" else file]
    return tuple(_filled(isa, text, targets[k % len(targets)], 0, 2, _STEP * (k % 16)) for k in range(STREAM))


def _forms(isa: str) -> Iterator[Probe]:
    for row in _table("forms.tsv"):
        if row["isa"] != isa:
            continue
        name, text = row["name"], row["text"]
        if row["chain"] != "-":
            # To and fro between two registers: what is only partly written, or added to, is then from before.
            links = tuple(_filled(isa, text, k % 2, 1 - k % 2, 2) for k in range(LINKS))
            yield Probe(f"{LATENCY} {name}", LATENCY, isa, links, LINKS)
        if row["chain"] == "a":
            yield Probe(f"{SUM} {name}", SUM, isa, (_filled(isa, text, 0, 2, 3),) * LINKS, LINKS)
        yield Probe(f"{THROUGHPUT} {name}", THROUGHPUT, isa, _streamed(isa, text), STREAM)


def _besides(isa: str) -> Iterator[Probe]:
    """By turns, each into one half of the registers that are targets."""
    where = _TARGETS[isa]["v" if isa == "aarch64" else "q"]
    half = len(where) // 2
    for row in _table("besides.tsv"):
        if row["isa"] == isa:
            lines = [row[word].format(d=where[k % half], e=where[half + k % half])
                     for k in range(TURNED) for word in ("first", "second")]
            yield Probe(f"{BESIDE} {row['name']}", BESIDE, isa, tuple(lines), TURNED)


def _pairs(isa: str) -> Iterator[Probe]:
    for row in _table("pairs.tsv"):
        if row["isa"] == isa:
            yield Probe(f"{PAIR} {row['name']}", PAIR, isa, (row["first"], row["second"]) * RINGS, RINGS, row["role"])


def _queues(isa: str) -> Iterator[Probe]:
    if isa != "aarch64":
        return
    slow = ("ldr x2, [x2]",) * SLOW
    beside = ("add x4, x4, x3",) * FREE
    waits = {"vector": ("dup v0.8h, w2", "add v{d}.8h, v0.8h, v1.8h", range(16, 32)),
             "integer": ("", "add x{d}, x2, x3", range(5, 16))}
    for name, (first, text, where) in waits.items():
        for count in WAITING:
            held = tuple(text.format(d=where[k % len(where)]) for k in range(count))
            yield Probe(f"{QUEUE} {name} {count}", QUEUE, isa, slow + ((first,) if first else ()) + held + beside, 1,
                        str(count))


@cache
def probes(isa: str = "aarch64") -> tuple[Probe, ...]:
    """All micro-tests of an instruction set. Raises BadArgument for another word.

    >>> len(probes("aarch32")) < len(probes("aarch64"))
    True
    """
    if isa not in _TARGETS:
        raise BadArgument(f"isa must be {' or '.join(_TARGETS)}; got {isa!r}.")
    return (*_forms(isa), *_besides(isa), *_pairs(isa), *_queues(isa))


def probe_named(name: str, isa: str) -> Probe | None:
    """Return the micro-test of that name, None if there is none."""
    return _by_name(isa).get(name)


@cache
def _by_name(isa: str) -> dict[str, Probe]:
    return {probe.name: probe for probe in probes(isa)}


@cache
def _loop(isa: str, lines: tuple[str, ...], turns: int) -> InstructionStream:
    count, branch = ("subs x0, x0, #1", "b.ne") if isa == "aarch64" else ("subs r0, r0, #1", "bne")
    text = "\n".join(("turn:", *lines, count, f"{branch} turn"))
    return stream_of(assemble(text + "\n", isa=isa), entry="turn", iterations=turns)


def modeled(probe: Probe, core: str | Core) -> float:
    """Cycles an instruction (a ring, a turn) on a core, modelled; every access hits L1.

    Raises TimingError for a form that the core cannot run or has no price for.
    """
    stream = _loop(probe.isa, probe.lines, TURNS)
    run = simulate(stream, load_core(core))
    half = TURNS // 2
    return (run.issue[(TURNS - 1) * stream.body] - run.issue[half * stream.body]) / (TURNS - 1 - half) / probe.per


def open_classes(core: str | Core) -> set[str]:
    """Return the timing classes that a core's file does not know from a source of its own: unknown, or assumed."""
    model = load_core(core)
    return {*model.check()[1], *model.assumed()}


def some_probes(isa: str = "aarch64", *, core: str | Core | None = None, words: Iterable[str] = ()
                ) -> tuple[Probe, ...]:
    """Those of the micro-tests that are asked for.

    core    only of forms whose class this core does not know from a source of its own; all pairs, as guides say little
            of what is forwarded, and all that is beside another; queues of a core that runs out of order
    words   only those with one of these words in their name ("latency", "smlal")

    Raises BadArgument for a word that is in no name and for a core without the instruction set, UnknownCore as
    `load_core`.
    """
    found = probes(isa)
    for word in (words := tuple(words)):
        if not any(word in probe.name for probe in found):
            raise BadArgument(f"--tests: no micro-test of {isa} has {word!r} in its name. Kinds are {LATENCY}, {SUM}, "
                              f"{THROUGHPUT}, {BESIDE}, {PAIR}, {QUEUE}; a form looks like add.8h or smlal.4s.elem.")
    if words:
        found = tuple(probe for probe in found if any(word in probe.name for word in words))
    if core is not None:
        model = load_core(core)
        if isa not in model.isas:
            raise BadArgument(f"{model.name} runs {' and '.join(model.isas)}, but the micro-tests are for {isa}: use "
                              f"--isa {model.isas[0]}.")
        unsure = open_classes(model)
        found = tuple(probe for probe in found if not model.lacks(isa, probe.features)
                      and (bool(model.rob) if probe.kind == QUEUE else
                           probe.kind in (PAIR, BESIDE) or any(op.timing in unsure for op in probe.ops)))
    return found
