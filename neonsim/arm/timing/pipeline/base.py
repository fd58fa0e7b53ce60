"""What both pipelines share: the decoded instruction, the record of a run, and the words for lost slots.

A pipeline is a few stages, a class each, with `cycle(now)` called once a cycle, around shared state (scoreboard,
queues). `inorder` and `outoforder` hold the stages, `simulate` picks by the kind of core. Whatever the stages decide
ends up in an `Execution`: columns, one entry an instruction, and lost slots by reason.

Reasons (width x cycles = instructions issued + all lost slots, exactly):

    memory          it waits for a load that missed L1, or whose bytes a store has just left, or that is not aligned
    write buffer    a store has to wait until one before it has gone to memory (in-order; out of order it is `memory`)
    mispredicted branch   nothing is fetched until a branch that was predicted wrongly is known
    fetch           a taken branch comes too soon after the one before
    operand: KIND   the oldest instruction that could take the slot waits for a result of that kind (load, multiply ...)
    unit: NAME      it waits for an execution resource
    rate: NAMES     it waits for a budget that units share (Cortex-A72: three Q-form operations in two cycles)
    queue: loads    as many loads (stores) are in flight as the core can keep track of
    dispatch: NAME  the queue of that unit takes no more micro-operations in this cycle
    pairing         it cannot issue beside the instruction before it
    phase           it may not start this many cycles after an earlier instruction (Cortex-A53: vector load, FMLA)
    transfer        a load or store of several beats blocks issue
    latency: KIND   nothing can be dispatched (reorder buffer full, or program at its end) while the oldest
                    instruction in flight, of that kind, executes
    retire          the same while finished instructions leave
    micro-operation the slot went to the second micro-operation of an instruction (write-back, lane load)
    taken branch    the target of a taken branch starts a new group
    end             no instruction is left (in-order: the last ones finish)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from neonsim.arm.timing.cores.model import Core, InstructionCost
from neonsim.arm.timing.stream import InstructionStream, StaticInstruction
from neonsim.errors import TimingError

__all__ = ["Decoded", "Execution", "Latencies", "after_jumps", "alignment_beats", "reach"]


@dataclass(slots=True)
class Execution:
    """What a pipeline did with a stream. Columns have one entry an executed instruction, times are cycles from 0.

    start    dispatch into the queues (out-of-order); the cycle it became the oldest unissued one (in-order)
    issue    first cycle of execution
    completion  first cycle in which its last result can be read
    retire   cycle of leaving the machine
    unit     where it executed (its main micro-operation)
    stall_reason  what it last waited for, in the words of the reasons; empty if it did not wait
    slots    lost slots by reason
    busy     cycles of use by unit (a unit of count 2 can have 2 a cycle)
    filled   slots that took an instruction
    """

    width: int
    start: list[int] = field(default_factory=list)
    issue: list[int] = field(default_factory=list)
    completion: list[int] = field(default_factory=list)
    retire: list[int] = field(default_factory=list)
    unit: list[str] = field(default_factory=list)
    stall_reason: list[str] = field(default_factory=list)
    slots: dict[str, int] = field(default_factory=dict)
    busy: dict[str, int] = field(default_factory=dict)
    filled: int = 0
    cycles: int = 0

    def lose(self, reason: str, slots: int) -> None:
        """Charge lost slots to a reason."""
        if slots:
            self.slots[reason] = self.slots.get(reason, 0) + slots


@dataclass(frozen=True, slots=True)
class Decoded:
    """A static instruction with its price, looked up once.

    extra, expansion  cycles and beats that it takes beyond that wherever it is executed: a load that is not aligned
    """

    op: StaticInstruction
    price: InstructionCost
    kind: str
    reads: tuple[tuple[str, str, int], ...]    # (role, register, position)
    writes: tuple[tuple[str, str, int], ...]
    lasts: int                                 # cycles until its last result
    extra: int = 0
    expansion: int = 0


def decode(stream: InstructionStream, core: Core) -> list[Decoded]:
    """Price every distinct instruction; TimingError if the core lacks their instruction set or a feature."""
    why = core.lacks(stream.isa, stream.features, stream.name or "the trace")
    if why:
        raise TimingError(why)
    found = []
    for op in stream.ops:
        price = core.price(op)
        lasts = max([price.busy, price.latency, *(core.arrival(op, k) for k in range(len(op.writes)))])
        reads = tuple((role, register, k) for k, (role, register) in enumerate(op.reads))
        writes = tuple((role, register, k) for k, (role, register) in enumerate(op.writes))
        found.append(Decoded(op, price, op.kind, reads, writes, lasts))
    return found


def alignment_beats(price: InstructionCost, touch: tuple[int, int]) -> int:
    """Beats that a load takes beyond its price, because it is not aligned: it takes one for each word it touches.

    touch   (address, bytes); words are as long as a beat

    Source: insn_bench, unaligned loads: Cortex-A53 LDR X 0.50, LDP X and LDR Q 0.33, LDP Q 0.20 a cycle (8 bytes a
    beat), Cortex-A72 LDR X 1.00 and 0.50 across a line, LDR Q 0.50, Neoverse N1 LDR Q 1.00 (16 bytes a beat).
    """
    address, nbytes = touch
    if not price.beat or not nbytes:
        return 0
    return (address + nbytes - 1) // price.beat - address // price.beat + 1 - -(-nbytes // price.beat)


def after_jumps(decoded: list[Decoded], core: Core) -> list[int]:
    """Per static instruction: cycles from it, taken, to a different taken branch, at least."""
    return [core.jumps.get(d.op.jump, core.taken_distance) for d in decoded]


def reach(core: Core, decoded: list[Decoded]) -> int:
    """Cycles after which it makes no difference any more when an instruction started."""
    latest = max((d.lasts for d in decoded), default=1)
    stated = max((rule.latency or 0 for rule in core.forwards), default=0)
    return max(latest, core.writeback) + stated + max(after_jumps(decoded, core), default=0)


class Latencies:
    """Producer-to-consumer latencies, each worked out once; `known` holds those that have been asked for.

    Of those in `known` that hold for the very cycle only, `whole` has the latency for a consumer that starts later.
    """

    def __init__(self, core: Core, decoded: list[Decoded]) -> None:
        self._core, self._decoded = core, decoded
        self.known: dict[tuple[int, int, int, int], int] = {}
        self.whole: dict[tuple[int, int, int, int], int] = {}

    def __call__(self, producer: int, write: int, consumer: int, read: int) -> int:
        key = (producer, write, consumer, read)
        cycles = self.known.get(key)
        if cycles is None:
            ops = self._decoded
            reader, role = ops[consumer].op, ops[consumer].op.reads[read][0]
            cycles = self._core.latency(ops[producer].op, write, reader, role, read)
            if self._core.is_exact_latency(ops[producer].op, write, reader, role):
                self.whole[key] = self._core.arrival(ops[producer].op, write)
            self.known[key] = cycles
        return cycles
