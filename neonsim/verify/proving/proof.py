"""What comes of trying to prove something."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from neonsim.arm.machine import Trace

__all__ = ["CounterExample", "Proof"]

TRUSTED = ("trusted: the instructions' bodies as they are read here (each held to the other readings and to QEMU), the "
           "assembler, and this reading's rules")


@dataclass(frozen=True)
class CounterExample:
    """Data on which two programs were run in the machine, and differed.

    location  the first place that differs: "c[0, 3]", "v0.s[1]"
    first, second   what each has left there; a text if one did not come to its end. Of one program: what it leaves,
                    and what it should leave
    inputs   {name: value} of what was unknown
    words    of `str`: a text with the names of the three fields above
    traces   of the runs (`ns.Stepper` opens them), as far as they came; a definition has none
    """

    location: str
    first: int | str
    second: int | str
    inputs: dict[str, int] = field(repr=False)
    traces: tuple[Trace, ...] = field(repr=False, compare=False)
    words: str = field(default="run on the same data they leave {where}: {first} and {second}", repr=False)

    def __str__(self) -> str:
        return self.words.format(where=self.location, first=self.first, second=self.second)

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        return {"where": self.location, "first": self.first, "second": self.second, "inputs": self.inputs}


@dataclass(frozen=True)
class Proof:
    """A claim, and what has become of it.

    verdict         "proved": for all data; "refuted": there is a counter-example that was run; "unknown": neither
    assumptions     under which it holds, and what is trusted
    seconds         it took
    counterexample  None unless refuted
    reason          of "unknown": why
    """

    claim: str
    verdict: str
    assumptions: tuple[str, ...]
    seconds: float
    counterexample: CounterExample | None = None
    reason: str = ""

    def __bool__(self) -> bool:
        return self.verdict == "proved"

    def __str__(self) -> str:
        rows = [f"{self.verdict}: {self.claim} ({self.seconds:.2f} s)"]
        if self.counterexample is not None:
            rows.append(f"  {self.counterexample}")
        if self.reason:
            rows.append(f"  {self.reason}")
        return "\n".join([*rows, *(f"  {line}" for line in self.assumptions)])

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        found = self.counterexample
        return {"claim": self.claim, "verdict": self.verdict, "assumptions": list(self.assumptions),
                "seconds": round(self.seconds, 3), "counterexample": None if found is None else found.to_dict(),
                "reason": self.reason}
