"""A function of a file, called with numpy arrays: memory, call and results by its C prototype, under the sanitizer.

    add = load("add.S", prototype="void add(size_t n, const uint8_t a[n], const uint8_t b[n], uint8_t sum[n])")
    sums = add(a, b)            # n from the arrays; outputs are made, and returned
    add(a=a, b=b, n=16)         # or by name
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from neonsim.arm.asm import Program, load_archive
from neonsim.arm.machine.call.c_arguments import prototype_at
from neonsim.arm.timing import Timing, time
from neonsim.common.fileio import read_text
from neonsim.common.limits import MAX_FILE_LENGTH
from neonsim.errors import BadArgument
from neonsim.ukernel import Case, Contract, Kernel, Outcome, build, contract_named, run_alone
from neonsim.ukernel.case import RETURNED, axes
from neonsim.ukernel.contract import In, InOut, Out, Scratch
from neonsim.ukernel.prototype import contract_of, declared_in, prototype_text
from neonsim.verify.checking import entry_of
from neonsim.verify.checking.target import read_program

__all__ = ["MAX_STEPS", "Function", "load"]

MAX_STEPS = 400_000      # of one call, behind which it counts as one that does not end


@dataclass(frozen=True, eq=False)
class Function:
    """A function that is called with numpy arrays.

    program, entry              what is called
    contract                    Contract    its arguments; for a kernel with a `//! contract:` the catalogue's
    engine                      str | None  as of `Machine.call`; None: the interpreter under the sanitizer
    reads_before, reads_after   bytes outside an input that it may read
    """

    program: Program
    entry: str
    contract: Contract
    engine: str | None = None
    reads_before: int = 0
    reads_after: int = 0

    @property
    def inputs(self) -> tuple[str, ...]:
        """What a call is given: arrays that are read, and numbers that no array says."""
        inferred = self._inferred()
        return tuple(a.name for a in self.contract.arguments
                     if not isinstance(a.memory, Out | Scratch) and a.kind != "stride" and a.name not in inferred)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The arrays that a call writes, in their order."""
        return tuple(a.name for a in self.contract.arguments if isinstance(a.memory, Out | InOut))

    def _inferred(self) -> set[str]:
        """The sizes that the shapes of inputs say: axes of a size alone."""
        shapes = [a.memory.shape.split() for a in self.contract.arguments if isinstance(a.memory, In | InOut)]
        return {a.name for a in self.contract.arguments if a.kind == "size"} & {word for one in shapes for word in one}

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """Call it. Arrays and numbers in the prototype's order, without outputs, and without sizes that arrays say; or
        by name, sizes too.

        ->   the array that it writes, a tuple of several, what it returns at the end

        Raises BadArgument for arrays that do not fit the prototype, MachineError for what goes wrong in the call.
        """
        return self.results(self.run(self.case(*arrays, **named)))

    def case(self, *arrays: Any, name: str = "call", **named: Any) -> Case:
        """One call, prepared; arguments as `__call__`."""
        if len(arrays) > len(self.inputs):
            raise BadArgument(f"{self.entry} takes {', '.join(self.inputs)}: {len(arrays)} arguments are too many")
        given = dict(zip(self.inputs, arrays, strict=False))
        if twice := sorted(given.keys() & named.keys()):
            raise BadArgument(f"{self.entry}: {twice[0]} is given twice")
        known = {a.name for a in self.contract.arguments if not isinstance(a.memory, Out | Scratch)}
        if strange := sorted(named.keys() - known):
            raise BadArgument(f"{self.entry} has no input {strange[0]}: it takes {', '.join(self.inputs)}")
        given |= named
        values: dict[str, Any] = {}
        for argument in self.contract.arguments:
            note = argument.memory
            if isinstance(note, In | InOut):
                if argument.name not in given:
                    raise BadArgument(f"{self.entry}: {argument.name} is missing; it takes {', '.join(self.inputs)}")
                values[argument.name] = _array(given[argument.name], note.dtype, argument.name)
            elif argument.name in given:
                values[argument.name] = given[argument.name]
        for argument in self.contract.arguments:
            if isinstance(argument.memory, In | InOut):
                _infer(values, argument.memory.shape.split(), np.shape(values[argument.name]))
        for argument in self.contract.arguments:
            note = argument.memory
            if note is not None and note.stride is not None and note.stride not in values:
                values[note.stride] = int(np.prod(axes(note, values)[1:])) * np.dtype(note.dtype).itemsize
        return build(self.contract, name, **values)

    def run(self, case: Case, trace: bool = False) -> Outcome:
        """One call, alone, on a machine of its own: under the sanitizer, unless an engine was chosen that has none."""
        options: dict[str, Any] = {"sanitize": True, "trace": trace}
        if not trace and self.engine is not None:
            options = {"engine": self.engine, "sanitize": self.engine == "interpreter"}
        return run_alone(self.program, self.entry, case, reads_before=self.reads_before, reads_after=self.reads_after,
                         max_steps=MAX_STEPS, **options)

    def results(self, outcome: Outcome) -> Any:
        """Return what a call leaves behind: the array, or a tuple of arrays and what is returned."""
        views = outcome.case.views(outcome.memory)
        found = [views[name] for name in self.outputs]
        if kind := self.contract.returns:
            found.append(outcome.memory[RETURNED].view(kind)[0])
        return found[0] if len(found) == 1 else tuple(found)

    def with_reference(self, definition: Any) -> Function:
        """Return the same function, whose calls are compared with a definition: it takes every argument by name."""
        names = tuple(a.name for a in self.contract.arguments)
        return replace(self, contract=replace(self.contract, function=definition, doc="", takes=names))

    def time(self, case: Case, core: str = "cortex-a53") -> Timing:
        """Return what one call costs on a core, modelled. Raises as the call, and TimingError for an unknown core."""
        return time(self.run(case, trace=True).result.trace, core=core)


def load(source: str | Path | Program | Kernel, prototype: str | None = None, *, isa: str | None = None,
         entry: str | None = None, changed: Collection[str] = (), include: Sequence[str | Path] = (),
         define: Mapping[str, str | int] | None = None, options: Sequence[str] = ("-O2",), reads_before: int = 0,
         reads_after: int = 0, engine: str | None = None) -> Function:
    """Return a function of a file.

    source      a .S, .c, .o or .a file, a kernel of the catalogue, or a Program
    prototype   as C declares it, with the sizes of arrays in brackets: "void f(const uint8_t a[n], uint8_t y[n],
                size_t n)". Left out, it is what a line `//! prototype:` or `//! contract:` at the file's top, C text or
                debug information says; a pointer without brackets has as many elements as the only size
    entry       the function; left out, the one of the prototype, the one named as the file, or the only one
    changed     arrays that are read and written
    isa, include, define, options   as of `neonsim.check`
    engine      as of `Machine.call`; left out, the interpreter under the sanitizer

    Raises BadArgument for what is missing, AssemblyError and CompilerError for what cannot be read.
    """
    path = Path(source) if isinstance(source, str | Path) else None
    named = re.search(r"(\w+)\s*\(", prototype) if prototype else None
    entry = entry or (named[1] if named else None)
    if path is not None and path.suffix == ".a":
        program, name, said = _member(path, entry), str(path), dict[str, str]()
    else:
        program, name, said = read_program(source, isa=isa, include=include, define=define, options=options)
    chosen = entry or entry_of(program, Path(name).stem)
    program.entry(chosen)   # says which there are, where it is none
    text = prototype or said.get("prototype", "")
    if not text and "contract" in said:
        contract = contract_named(said["contract"])
    else:
        if not text and path is not None and path.suffix == ".c":
            text = declared_in(read_text(path, 4 * MAX_FILE_LENGTH, "replace"), chosen)
        known = prototype_at(program, program.entry(chosen))
        if not text and known is not None:
            text = prototype_text(known)
        if not text:
            raise BadArgument(f"{name} has no prototype of {chosen}. Pass one, as \"void {chosen}(size_t "
                              "n, const uint8_t a[n], uint8_t y[n])\", or write it into a line `//! prototype:`")
        contract = contract_of(text, None, changed)
    before, after = (given or int(said.get(key, "0")) for given, key in ((reads_before, "reads-before"),
                                                                         (reads_after, "reads-after")))
    return Function(contract.known_to(program, chosen), chosen, contract, engine, before, after)


def _member(path: Path, entry: str | None) -> Program:
    """The object of an archive that defines a function, with those that it wants."""
    archive = load_archive(path)
    if entry is None or entry not in archive.symbols:
        raise BadArgument(f"{path}: select a function with entry=; it has {', '.join(sorted(archive.symbols)[:12])}")
    program = archive.load(archive.symbols[entry])
    return program


def _array(value: Any, dtype: str, name: str) -> Any:
    array = np.asarray(value)
    if array.dtype == np.dtype(dtype):
        return array
    made = array.astype(dtype)
    if array.dtype.kind not in "iuf" or not np.array_equal(made, array):
        raise BadArgument(f"{name} takes {dtype}; this {array.dtype} array has values that do not fit")
    return made


def _infer(values: dict[str, Any], sizes: Sequence[str], shape: tuple[int, ...]) -> None:
    for word, length in zip(sizes, shape, strict=False):
        if not word.isdigit() and re.fullmatch(r"\w+", word):
            values.setdefault(word, length)
