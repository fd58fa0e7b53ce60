"""What the words of a timing mean: for whom lost slots, lines and bounds are not everyday reading."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neonsim.arm.timing.timing import Timing

__all__ = ["MEANINGS", "legend"]

MEANINGS = {
    "slot": "room for one instruction to start; a core has as many in each cycle as it is wide",
    "unit": "the unit that the instruction needs is busy",
    "operand": "it waits for what another instruction makes",
    "latency": "the oldest instruction is at work: what is behind it waits for its end",
    "dispatch": "no more instructions enter this unit's queue in one cycle",
    "queue": "as many loads, or stores, are under way as the core keeps",
    "rate": "these units together start no more instructions a cycle",
    "micro-operation": "an instruction takes several slots",
    "retire": "finished instructions leave in order, n a cycle",
    "pairing": "these two instructions do not start in one cycle",
    "transfer": "a load or store moves its bytes, and nothing starts beside it",
    "phase": "a rule of this core forbids this distance between two such instructions",
    "memory": "the bytes are not in L1",
    "write buffer": "stores fill the buffer in front of the cache",
    "fetch": "the next instructions are not there yet",
    "taken branch": "behind it a cycle begins with the instruction it leads to",
    "mispredicted branch": "the instructions behind a wrongly guessed branch are fetched again",
    "end": "the last instructions finish, and nothing follows",
}


def legend(timings: Iterable[Timing]) -> str:
    """Return the words that these timings use for lost slots, a line each, and the units that they name."""
    every = list(timings)
    reasons = {reason for timing in every for reason in timing.slots}
    said = {reason.partition(":")[0] for reason in reasons} | {"slot"}
    rows = [(word, meaning) for word, meaning in MEANINGS.items() if word in said]
    units: dict[tuple[str, str], None] = {}
    for timing in every:
        named = {name for reason in reasons for name in reason.partition(": ")[2].replace("|", "+").split("+")}
        units |= {(name, f"{unit.text} ({timing.core.name})"): None for name, unit in timing.core.units.items()
                  if name in named and unit.text}
    rows += units
    width = max(len(word) for word, _ in rows)
    return "\n".join(["words", *(f"  {word:<{width}}  {text}" for word, text in rows)])
