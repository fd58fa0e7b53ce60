"""Which cores can run a program: its instruction set, the features of its instructions.

    requirements_of    what a program, a trace or a stream asks of a core
    Able        asks for many cores and programs, and remembers in words which were left out
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.stream import InstructionStream
from neonsim.errors import TimingError

if TYPE_CHECKING:
    from neonsim.arm.asm import Program
    from neonsim.arm.machine import Trace

__all__ = ["CoreFilter", "Requirements", "requirements_of"]


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a core must have to run a program of this name."""

    name: str
    isa: str
    features: frozenset[str] = frozenset()


def requirements_of(subject: Program | Trace | InstructionStream, name: str = "",
                    features: Iterable[str] = ()) -> Requirements:
    """Return what something that can be timed asks of a core: all of a program, what ran of a trace, a stream's
    instructions.

    name       for the sentence; by default the name of its file
    features   more than its instructions show, as a kernel's header has it
    """
    if isinstance(subject, InstructionStream):
        return Requirements(name or subject.name, subject.isa, subject.features | frozenset(features))
    given: Any = subject
    program: Program = getattr(given, "program", given)     # a trace has one
    ran = np.unique(given.pc).tolist() if program is not given else range(len(program.instructions))
    found = frozenset(program.instructions[pc].feature for pc in ran) - {""}
    return Requirements(name or str(program.path or "the program").rpartition("/")[2], subject.isa, found
                        | frozenset(features))


@dataclass
class CoreFilter:
    """Cores sorted into those that can and those that cannot.

    >>> able = CoreFilter()
    >>> able.cores(["cortex-a53", "cortex-a76"], Requirements("dot.S", "aarch64", frozenset({"dotprod"})))
    ['cortex-a76']
    >>> print(*able.sentences())
    Left out: cortex-a53 has no dotprod, which dot.S needs.
    """

    _out: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[dict[str, None], dict[str, None]]] = field(
        default_factory=dict, init=False, repr=False)

    def runs(self, core: str | Path | Core, *needs: Requirements) -> bool:
        """Return whether a core can run all of these; what it cannot is remembered."""
        model, can = load_core(core), True
        for one in needs:
            missing = model.missing(one.isa, one.features)
            if missing:
                can = False
                runs = model.isas if missing == (one.isa,) else ()
                cores, programs = self._out.setdefault((missing, runs), ({}, {}))
                cores[model.name] = None
                programs[one.name] = None
        return can

    def cores(self, names: Iterable[str], *needs: Requirements) -> list[str]:
        """Those of the cores that can run all of these."""
        return [name for name in names if self.runs(name, *needs)]

    def sentences(self) -> tuple[str, ...]:
        """Who was left out and why, a sentence for each reason."""
        found = []
        for (missing, runs), (cores, programs) in self._out.items():
            who, what = ", ".join(cores), ", ".join(programs)
            if runs:
                found.append(f"Left out: {who} run{'s' * (len(cores) == 1)} {' and '.join(runs)}, but {what} "
                             f"{'is' if len(programs) == 1 else 'are'} {missing[0]}.")
            else:
                found.append(f"Left out: {who} {'has' if len(cores) == 1 else 'have'} no {' and no '.join(missing)}, "
                             f"which {what} need{'s' * (len(programs) == 1)}.")
        return tuple(found)

    def require_some(self, names: Iterable[str], *needs: Requirements) -> list[str]:
        """As `cores`; TimingError with the reasons if none of them can."""
        found = self.cores(names, *needs)
        if not found:
            raise TimingError(" ".join(self.sentences()).replace("Left out: ", "") or "no core is named.")
        return found
