"""The out-of-order pipeline: dispatch in order into queues, issue oldest ready first from each, retire in order.

    Dispatch  renames and puts micro-operations into the queues of their units; ends at a taken branch, a full queue, a
              full reorder buffer
    Issue     from each unit's queue the oldest micro-operation whose operands are there, if the unit is free and the
              shared budgets allow it; units that start in order among them: only what nothing older waits before
    Retire    finished micro-operations leave in order

An instruction is one micro-operation for each unit it needs at once and one for an address write-back, where the core
has a unit for that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass

from neonsim.arm.timing.cores.model import WORK, Core, ThroughputLimit
from neonsim.arm.timing.pipeline.base import Decoded, Execution, Latencies, after_jumps, alignment_beats, reach
from neonsim.arm.timing.pipeline.memory_hierarchy import MemoryHierarchy
from neonsim.arm.timing.pipeline.trace_feed import AHEAD, Feed, Folded, Mark, Skip
from neonsim.arm.timing.stream import InstructionStream

__all__ = ["OutOfOrder"]

_NEVER = 1 << 60
_SHARES = 840           # divides by as many units as are alike, up to 8
_LONG = 256                     # cycles before the first one in which nothing has happened yet
_AFTER = -1                     # in place of a write: the waiter may start one cycle after the producer
_ADDRESS = ("base", "offset")


@dataclass(frozen=True, slots=True)
class UopTemplate:
    """One micro-operation of a static instruction."""

    index: int
    names: tuple[str, ...]
    reads: tuple[tuple[str, int], ...]          # (register, position in op.reads)
    writes: tuple[tuple[str, int], ...]
    busy: int
    lasts: int
    cost: int
    main: bool


def _templates(index: int, decoded: Decoded, core: Core) -> list[UopTemplate]:
    price = decoded.price
    reads = tuple((register, k) for _, register, k in decoded.reads)
    split = bool(core.writeback_unit) and any(role == "base" for role, _, _ in decoded.writes)
    found = []
    for number, (names, _) in enumerate(price.unit_choices):
        main = number == 0
        writes = tuple((register, k) for role, register, k in decoded.writes if main and not (split and role == "base"))
        cost = next((rate.cost.get(price.form, 0) for rate in core.rates if set(names) <= set(rate.units)), 0)
        busy, lasts = (price.busy, decoded.lasts) if main else (1, 1)
        found.append(UopTemplate(index, names, reads, writes, busy, lasts, cost, main))
    if split:
        address = tuple((register, k) for role, register, k in decoded.reads if role in _ADDRESS)
        base = tuple((register, k) for role, register, k in decoded.writes if role == "base")
        found.append(UopTemplate(index, core.writeback_unit, address, base, 1, core.writeback, 0, False))
    return found


class Uop:
    """A micro-operation in flight."""

    __slots__ = ("done", "last", "memory", "number", "pending", "pipe", "ready", "slow", "started", "template",
                 "waiters")

    def __init__(self, template: UopTemplate, number: int) -> None:
        self.template, self.number = template, number
        self.pending = 0                # producers that have not started
        self.ready = 0                  # cycle in which the operands are there, as far as known
        self.last = -1                  # static instruction whose result comes last
        self.started = False
        self.slow = False               # a load that took longer than a hit in L1
        self.memory = False             # the result that comes last is that of such a load
        self.done = _NEVER
        self.pipe: IssueQueue | None = None   # whose queue it is in
        self.waiters: list[tuple[Uop, int, int]] = []


class IssueQueue:
    """A unit with its queue."""

    __slots__ = ("capacity", "entries", "free", "limit", "name", "order", "throttled", "used", "waiting", "wake")

    def __init__(self, name: str, count: int, capacity: int, limit: int, order: str) -> None:
        self.name, self.capacity, self.limit = name, capacity, limit
        self.order = order              # units of one such name start in program order among them; "" any
        self.entries: list[Uop] = []
        self.waiting = 0                # cycles of use that its entries ask for
        self.free: list[int] = [0] * count
        self.used = 0
        self.throttled = -1             # last cycle in which a shared budget stopped its oldest ready entry
        self.wake = 0                   # no entry is ready before this cycle, as far as known


class OutOfOrderCore:
    """What the stages share."""

    def __init__(self, stream: InstructionStream, core: Core, decoded: list[Decoded], memory: MemoryHierarchy | None,
                 feed: Feed) -> None:
        self.feed = feed
        self.core, self.stream, self.decoded, self.memory = core, stream, decoded, memory
        self.stores: deque[Uop] = deque(maxlen=64)        # in program order, for loads of the same bytes
        self.latency = Latencies(core, decoded)
        self.templates: list[list[UopTemplate]] = [_templates(i, d, core) for i, d in enumerate(decoded)]
        self.pipes: dict[str, IssueQueue] = {name: IssueQueue(name, unit.count, unit.queue, unit.enter, unit.in_order)
                                       for name, unit in core.units.items()}
        self.rob: deque[Uop] = deque()
        # Loads and stores in flight, where their number is limited; per instruction which of the two it is, or "".
        self.limit: dict[str, int] = {kind: most for kind, most in (("load", core.loads), ("store", core.stores))
                                      if most}
        self.moving: dict[str, int] = dict.fromkeys(self.limit, 0)
        self.moves: list[str] = [d.kind if d.kind in self.limit else "" for d in decoded]
        self.writer: dict[str, tuple[Uop, int]] = {}
        n = len(feed.order)
        self.run = Execution(core.width, [0] * n, [0] * n, [0] * n, [0] * n, [""] * n, [""] * n)

    def kind(self, index: int) -> str:
        return self.decoded[index].kind if index >= 0 else "arithmetic"

    def grow(self) -> None:
        """Room in the record for what has been written of the path."""
        run = self.run
        for _ in range(len(self.feed.order) - len(run.start)):
            run.start.append(0)
            run.issue.append(0)
            run.completion.append(0)
            run.retire.append(0)
            run.unit.append("")
            run.stall_reason.append("")


class Dispatch:
    """Rename, and into the queues."""

    def __init__(self, machine: OutOfOrderCore) -> None:
        self.machine = machine
        self.next = 0                   # next instruction
        self.part = 0                   # next micro-operation of it
        self.last_taken, self.last_branch, self.distance = -_LONG, -1, 0
        self.after = after_jumps(machine.decoded, machine.core)
        self.by_work: bool = machine.core.steer == WORK
        self.wrong: Uop | None = None         # the branch that was predicted wrongly and is not known yet

    def cycle(self, now: int) -> None:
        """Dispatch up to `width` micro-operations; charge the slots that stay empty."""
        machine = self.machine
        run, order, taken = machine.run, machine.feed.order, machine.feed.taken
        core = machine.core
        left, micros = core.width, core.micros
        entered: dict[str, int] = {}
        total = len(order)
        if self.wrong is not None:
            if not self.wrong.started or now <= self.wrong.ready + core.mispredict:
                run.lose("mispredicted branch", left)
                return
            self.wrong = None
        while left or (self.part and micros):
            if not micros:
                run.lose("micro-operation", left)
                return
            if self.next >= total:
                run.lose(self.head(now) if machine.rob else "end", left)
                return
            templates = machine.templates[order[self.next]]
            template = templates[self.part]
            if (taken[self.next] and self.part == 0 and now < self.last_taken + self.distance
                    and order[self.next] != self.last_branch):
                run.lose("fetch", left)
                return
            if len(machine.rob) >= core.rob:
                run.lose(self.head(now), left)
                return
            pipe = self.choose(template, entered, now)
            kind = machine.moves[template.index] if template.main else ""
            if kind and machine.moving[kind] >= machine.limit[kind]:
                run.lose(f"queue: {kind}s", left)
                return
            if len(pipe.entries) >= pipe.capacity:
                run.lose(self.full(pipe, now), left)
                return
            if pipe.limit:
                if entered.get(pipe.name, 0) >= pipe.limit:
                    run.lose(f"dispatch: {pipe.name}", left)
                    return
                entered[pipe.name] = entered.get(pipe.name, 0) + 1
            self.enter(template, pipe, now)
            if kind:
                machine.moving[kind] += 1
            micros -= 1
            if self.part == 0:
                left -= 1
                run.start[self.next] = now
                run.filled += 1
            elif core.micros == core.width:
                left -= 1
                run.lose("micro-operation", 1)
            self.part += 1
            if self.part == len(templates):
                self.part = 0
                self.next += 1
                if self.next - 1 in machine.feed.mispredictions and self.next < total:
                    self.wrong = machine.rob[-1]
                    run.lose("mispredicted branch", left)
                    return
                if taken[self.next - 1]:
                    self.last_taken, self.last_branch = now, order[self.next - 1]
                    self.distance = self.after[self.last_branch]
                    if core.taken_branch_ends_group and self.next < total:
                        run.lose("taken branch", left)
                        return

    def choose(self, template: UopTemplate, entered: dict[str, int], now: int) -> IssueQueue:
        """Return the unit with least waiting of those that take another micro-operation in this cycle.

        What waits is counted in entries of the queue or, where the core says so, in cycles of use: those that the
        entries ask for and what is left of the one that executes.
        """
        pipes = self.machine.pipes
        best = pipes[template.names[0]]
        if len(template.names) == 1:
            return best
        least = self.waiting(best, now)
        for name in template.names[1:]:
            pipe = pipes[name]
            full = best.limit and entered.get(best.name, 0) >= best.limit
            waits = self.waiting(pipe, now)
            if full or (waits < least and entered.get(name, 0) < (pipe.limit or _NEVER)):
                best, least = pipe, waits
        return best

    def waiting(self, pipe: IssueQueue, now: int) -> int:
        """Return how much waits for a unit, or for each of several alike; work in parts of a cycle that they can
        share."""
        if not self.by_work:
            return len(pipe.entries)
        free = pipe.free
        if len(free) == 1:
            return _SHARES * (pipe.waiting + max(0, free[0] - now))
        return _SHARES * (pipe.waiting + sum(at - now for at in free if at > now)) // len(free)

    def enter(self, template: UopTemplate, pipe: IssueQueue, now: int) -> None:
        machine = self.machine
        micro = Uop(template, self.next)
        index, known, writer = template.index, machine.latency.known, machine.writer
        micro.ready = now + 1           # into the queue now, out of it in the next cycle at the earliest
        for register, position in template.reads:
            found = writer.get(register)
            if found is None:
                continue
            producer, write = found
            if producer.started:
                key = (producer.template.index, write, index, position)
                cycles = known.get(key)
                at = producer.ready + (machine.latency(producer.template.index, write, index, position)
                                       if cycles is None else cycles)
                if at > micro.ready:
                    micro.ready, micro.last, micro.memory = at, producer.template.index, producer.slow
            else:
                micro.pending += 1
                micro.last = producer.template.index
                producer.waiters.append((micro, write, position))
        if machine.memory and template.main:
            self.order_memory(micro)
        for register, write in template.writes:
            machine.writer[register] = (micro, write)
        pipe.entries.append(micro)
        pipe.waiting += template.busy
        micro.pipe = pipe
        if not micro.pending and micro.ready < pipe.wake:
            pipe.wake = micro.ready
        machine.rob.append(micro)

    def order_memory(self, micro: Uop) -> None:
        """A load waits for the start of the youngest store before it that writes any of its bytes."""
        machine = self.machine
        kind = machine.decoded[micro.template.index].kind
        address, nbytes = machine.stream.touches[micro.number]
        if kind == "store":
            machine.stores.append(micro)
        elif kind == "load" and nbytes:
            for store in reversed(machine.stores):
                at, size = machine.stream.touches[store.number]
                if at < address + nbytes and address < at + size:
                    if not store.started:
                        micro.pending += 1
                        micro.last = store.template.index
                        store.waiters.append((micro, _AFTER, 0))
                    return

    def head(self, now: int) -> str:
        """Return why the oldest micro-operation in flight is still there."""
        micro = self.machine.rob[0]
        if micro.done <= now:
            return "retire"
        if micro.started:
            return "memory" if micro.slow else f"latency: {self.machine.kind(micro.template.index)}"
        if micro.pending or micro.ready > now:
            return self.operand(micro)
        return f"unit: {'|'.join(micro.template.names)}"

    def operand(self, micro: Uop) -> str:
        """Return the word for the result a micro-operation waits for."""
        return "memory" if micro.memory and not micro.pending else f"operand: {self.machine.kind(micro.last)}"

    def full(self, pipe: IssueQueue, now: int) -> str:
        """Return why the oldest entry of a full queue is still there."""
        micro = pipe.entries[0]
        if micro.pending or micro.ready > now:
            return self.operand(micro)
        if pipe.throttled == now:
            return next(f"rate: {'+'.join(rate.units)}" for rate in self.machine.core.rates if pipe.name in rate.units)
        return f"unit: {pipe.name}"


class IssueStage:
    """From the queues into the units."""

    def __init__(self, machine: OutOfOrderCore) -> None:
        self.machine = machine
        self.pipes: list[IssueQueue] = list(machine.pipes.values())
        self.rates: list[tuple[ThroughputLimit, set[str]]] = [(rate, set(rate.units)) for rate in machine.core.rates]
        self.saved: list[int] = [rate.burst for rate, _ in self.rates]

    def cycle(self, now: int) -> None:
        """Start the oldest ready micro-operation of every free unit, oldest first."""
        for k, (rate, _) in enumerate(self.rates):
            self.saved[k] = min(rate.burst, self.saved[k] + rate.refill)
        candidates: list[tuple[int, IssueQueue, Uop]] = []
        for pipe in self.pipes:
            if pipe.wake <= now and pipe.entries and (pipe.order == "" or self.first(pipe)):
                room = sum(at <= now for at in pipe.free) if len(pipe.free) > 1 else pipe.free[0] <= now
                if room:
                    wake = _NEVER
                    for micro in pipe.entries:
                        if not micro.pending:
                            if micro.ready <= now:
                                wake = now
                                candidates.append((micro.number, pipe, micro))
                                room -= 1
                                if not room:
                                    break
                            elif micro.ready < wake:
                                wake = micro.ready
                        if pipe.order != "":
                            break
                    pipe.wake = wake
        if len(candidates) > 1:
            candidates.sort(key=_age)
        for _, pipe, micro in candidates:
            if micro.template.cost and not self.pay(pipe, micro.template.cost):
                pipe.throttled = now
                continue
            self.start(pipe, micro, now)

    def first(self, pipe: IssueQueue) -> bool:
        """Return whether nothing older than its oldest entry waits for a unit that starts in order with this one."""
        number = pipe.entries[0].number
        for other in self.pipes:
            if other.order == pipe.order and other.entries:
                oldest = other.entries[0]
                if oldest.number < number:
                    return False
        return True

    def pay(self, pipe: IssueQueue, cost: int) -> bool:
        for k, (_, names) in enumerate(self.rates):
            if pipe.name in names:
                if self.saved[k] < cost:
                    return False
                self.saved[k] -= cost
        return True

    def start(self, pipe: IssueQueue, micro: Uop, now: int) -> None:
        machine = self.machine
        template = micro.template
        pipe.entries.remove(micro)
        pipe.waiting -= template.busy
        free, busy = pipe.free, template.busy
        decoded = machine.decoded[template.index]
        if template.main and decoded.kind == "load":
            busy += alignment_beats(decoded.price,
                                    machine.stream.touches[micro.number]) if machine.memory else decoded.expansion
        for k, at in enumerate(free):
            if at <= now:
                free[k] = now + busy
                break
        pipe.used += busy
        run = machine.run
        if template.main:
            number = micro.number
            run.issue[number] = now
            run.unit[number] = pipe.name
            if now > run.start[number] + 1:
                run.stall_reason[number] = (f"operand: {machine.kind(micro.last)}" if micro.ready == now
                                            else f"unit: {pipe.name}")
        micro.started = True
        begun = now + (self.access(micro, now) if template.main else 0)
        micro.slow = begun > now
        micro.ready = begun             # from here on: the cycle in which it started, as its readers see it
        micro.done = begun + template.lasts
        for waiter, write, position in micro.waiters:
            at = now + 1 if write == _AFTER else \
                begun + machine.latency(template.index, write, waiter.template.index, position)
            waiter.pending -= 1
            if at > waiter.ready:
                waiter.ready, waiter.last, waiter.memory = at, template.index, micro.slow
            if not waiter.pending and waiter.pipe is not None and waiter.ready < waiter.pipe.wake:
                waiter.pipe.wake = waiter.ready
        micro.waiters = []
        if micro.done > run.completion[micro.number]:
            run.completion[micro.number] = micro.done


    def access(self, micro: Uop, now: int) -> int:
        """Cycles its memory access takes beyond a hit in L1."""
        machine = self.machine
        decoded = machine.decoded[micro.template.index]
        if machine.memory is None:
            return decoded.extra
        address, nbytes = machine.stream.touches[micro.number]
        if not nbytes:
            return 0
        if decoded.kind == "load":
            return machine.memory.load(micro.number, address, nbytes, now, decoded.price.latency, decoded.op.neon)
        if decoded.op.hint:
            machine.memory.ask(micro.number, address, now)
        else:
            return machine.memory.store(micro.number, address, nbytes, now)
        return 0


def _age(candidate: tuple[int, IssueQueue, Uop]) -> int:
    return candidate[0]


class Retire:
    """Out, in order."""

    def __init__(self, machine: OutOfOrderCore) -> None:
        self.machine = machine

    def cycle(self, now: int) -> None:
        """Up to `retire` finished micro-operations from the head."""
        machine = self.machine
        rob, run = machine.rob, machine.run
        for _ in range(machine.core.retire):
            if not rob or rob[0].done > now:
                return
            micro = rob.popleft()
            run.retire[micro.number] = now
            if micro.template.main and machine.moves[micro.template.index]:
                machine.moving[machine.moves[micro.template.index]] -= 1


class OutOfOrder:
    """Dispatch, Issue, Retire wired together."""

    def __init__(self, stream: InstructionStream, core: Core, decoded: list[Decoded], memory: MemoryHierarchy | None,
                 folded: Folded | None = None) -> None:
        self.feed: Feed = Feed.from_stream(stream, folded, core)
        self.skips: list[Skip] = self.feed.skips
        self.machine = OutOfOrderCore(stream, core, decoded, memory, self.feed)
        self.dispatch, self.issue, self.retire = Dispatch(self.machine), IssueStage(self.machine), Retire(self.machine)
        self.latency = self.machine.latency
        self.reach = reach(core, decoded)

    def state(self, now: int) -> Hashable:
        """Return the state at the start of a cycle, relative to it and to the next instruction; only what can still
        matter."""
        machine, dispatch = self.machine, self.dispatch
        at, reach = dispatch.next, self.reach
        wrong = dispatch.wrong
        return (
            at - self.feed.begin(), dispatch.part, max(dispatch.last_taken - now, -reach), dispatch.last_branch,
            (wrong.started, wrong.ready - now) if wrong is not None else None, tuple(self.issue.saved),
            # Of what has started it matters when it is done, of what has not when it can start, and for whose sake.
            tuple((m.number - at, id(m.template), m.pending, 0 if m.started else max(m.ready - now, -1),
                   m.last if m.pending or (not m.started and m.ready >= now) else -1, m.started,
                   max(m.done - now, 0) if m.started else 0, m.slow, m.memory)
                  for m in machine.rob),
            tuple((tuple((m.number - at, id(m.template)) for m in pipe.entries),
                   tuple(max(free - now, 0) for free in pipe.free)) for pipe in machine.pipes.values()),
            tuple(sorted((register, 0 if m.started else m.number - at, id(m.template), write,
                          max(m.ready - now, -reach) if m.started else 0, m.started, m.slow)
                         for register, (m, write) in machine.writer.items())),
        )

    def mark(self, now: int) -> Mark:
        """Return what has been counted at the start of a cycle."""
        run = self.machine.run
        busy = {name: pipe.used for name, pipe in self.machine.pipes.items()}
        return Mark(now, self.dispatch.next, dict(run.slots), busy, run.filled)

    def run(self) -> Execution:
        """Until the last micro-operation has retired."""
        now = 0
        machine, feed = self.machine, self.feed
        feed.extend(AHEAD)
        machine.grow()
        while self.dispatch.next < len(feed.order) or machine.rob:
            if feed.begins(self.dispatch.next):
                feed.repeat(self.state(now), self.mark(now))
            self.retire.cycle(now)
            self.issue.cycle(now)
            self.dispatch.cycle(now)
            now += 1
            if feed.levels:
                feed.extend(self.dispatch.next + AHEAD)
                machine.grow()
        machine.run.cycles = now
        machine.run.busy = {name: pipe.used for name, pipe in machine.pipes.items()}
        return machine.run
