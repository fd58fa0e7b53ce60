"""The in-order pipeline: fetch a group, issue its instructions oldest first, execute.

    Fetch   cuts the instruction stream into groups: up to `width` instructions, a taken branch ends one
    Issue   starts instructions in order while operands, units and the pairing rules allow it
    Execute keeps who writes which register when, and which unit is taken until when

Skewed ALU (Cortex-A55): a simple operation may issue a cycle before its operands are there; it then executes one stage
later, and so does, for those who read its result, its issue.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from neonsim.arm.timing.cores.model import Core, matches
from neonsim.arm.timing.pipeline.base import Decoded, Execution, Latencies, after_jumps, alignment_beats, reach
from neonsim.arm.timing.pipeline.memory_hierarchy import MemoryHierarchy
from neonsim.arm.timing.pipeline.trace_feed import AHEAD, Feed, Folded, Mark, Skip
from neonsim.arm.timing.stream import InstructionStream

__all__ = ["InOrder"]

_LONG = 256         # cycles before the first one in which nothing has happened yet


class Fetch:
    """Where the program is; whether the present group may still give instructions."""

    def __init__(self, feed: Feed, core: Core, decoded: list[Decoded]) -> None:
        self.order: list[int] = feed.order
        self.taken: list[bool] = feed.taken
        self.ends, self.after = core.taken_branch_ends_group, after_jumps(decoded, core)
        self.last_taken, self.last_branch, self.distance = -_LONG, -1, 0
        self.surprises: dict[int, bool] = feed.mispredictions
        self.penalty = core.mispredict
        self.empty = 0                 # nothing to issue until this cycle: a branch was predicted wrongly
        self.next = 0
        self.open = True

    def cycle(self, now: int) -> None:
        """A new cycle, a new group."""
        self.open = True

    def too_soon(self, now: int) -> bool:
        """Return whether the next instruction, a taken branch, follows another one too closely."""
        return now < self.last_taken + self.distance and self.order[self.next] != self.last_branch

    def advance(self, now: int) -> None:
        """The next instruction was issued."""
        if self.taken[self.next]:
            self.last_taken, self.last_branch = now, self.order[self.next]
            self.distance = self.after[self.last_branch]
            self.open = not self.ends
        if self.next in self.surprises:
            self.open, self.empty = False, now + 1 + self.penalty
        self.next += 1


class Execute:
    """The scoreboard: last writer of each register, and when each unit is free."""

    def __init__(self, core: Core, decoded: list[Decoded], touches: Sequence[tuple[int, int]],
                 memory: MemoryHierarchy | None) -> None:
        self.decoded, self.touches, self.memory = decoded, touches, memory
        self.latency = Latencies(core, decoded)
        self.slow: dict[str, int] = {}          # register -> cycles its load took beyond a hit in L1
        self.writer: dict[str, tuple[int, int, int]] = {}              # register -> (instruction, write, issued)
        self.free: dict[str, list[int]] = {name: [0] * unit.count for name, unit in core.units.items()}
        self.busy: dict[str, int] = dict.fromkeys(core.units, 0)
        # Per instruction: what it reads, and the alternatives of each unit it needs (the lists of `free` themselves).
        self.reads: list[tuple[tuple[str, int], ...]] = [
            tuple((register, position) for _, register, position in d.reads) for d in decoded]
        self.needs: list[tuple[tuple[tuple[tuple[str, list[int]], ...], int], ...]] = [
            tuple((tuple((name, self.free[name]) for name in names), count) for names, count in d.price.unit_choices)
            for d in decoded]
        self.late = 0                  # cycles by which the last instruction is later than its price says
        self.more = 0                  # beats that it takes more, not being aligned
        self.stall = 0                 # cycles for which nothing issues after it: no room for a load or store more
        self.coming: list[int] = []    # cycles in which the loads under way that missed L1 get their lines
        self.passing: list[tuple[int, int, int]] = []
        self.missed = False            # the operand that comes last is one of a load that took longer
        self.skewed: list[bool] = [any(matches(pattern, d.op.timing) for pattern in core.skewed) for d in decoded]
        # Rules on distance: which of them each instruction begins or obeys, and when each last began.
        self.distance: list[int] = [rule.cycles for rule in core.aparts]
        self.begins: list[tuple[int, ...]]
        self.obeys: list[tuple[int, ...]]
        self.begins, self.obeys = (
            [tuple(k for k, patterns in enumerate(side) if any(matches(p, d.op.timing) for p in patterns))
             for d in decoded]
            for side in ([rule.sources for rule in core.aparts], [rule.targets for rule in core.aparts]))
        self.began: list[tuple[int, ...]] = [() for _ in core.aparts]

    def ready(self, index: int) -> tuple[int, int]:
        """(first cycle in which all operands are there, instruction that comes last or -1).

        `passing` becomes what is there in one cycle and then not for some: (that cycle, the next one, instruction).
        """
        when, last = 0, -1
        self.missed = False
        self.passing = []
        writer, known, whole = self.writer, self.latency.known, self.latency.whole
        for register, position in self.reads[index]:
            found = writer.get(register)
            if found is not None:
                producer, write, issued = found
                key = (producer, write, index, position)
                cycles = known.get(key)
                if cycles is None:
                    cycles = self.latency(producer, write, index, position)
                if key in whole:
                    self.passing.append((issued + cycles, issued + whole[key], producer))
                if issued + cycles > when:
                    when, last = issued + cycles, producer
                    self.missed = self.slow.get(register, 0) > 0
        return when, last

    def blocked(self, index: int, now: int) -> str:
        """Name of the first unit that is not free, or nothing."""
        for units, count in self.needs[index]:
            for _, free in units:
                if count == 1 and free[0] <= now:
                    break
                left = count
                for at in free:
                    left -= at <= now
                if left <= 0:
                    break
            else:
                return units[0][0]
        return ""

    def out_of_phase(self, index: int, now: int) -> bool:
        """Return whether it would start at a distance that a rule does not allow."""
        return any(now - self.distance[k] in self.began[k] for k in self.obeys[index])

    def start(self, index: int, number: int, now: int, when: int) -> str:
        """Take the units and note the results; -> the first unit. `when`: the cycle in which the operands are there."""
        decoded = self.decoded[index]
        self.more = alignment_beats(decoded.price, self.touches[number]) if self.memory and decoded.kind == "load" \
            else decoded.expansion
        busy = decoded.price.busy + self.more
        for k in self.begins[index]:
            self.began[k] = (*(at for at in self.began[k] if at >= now - self.distance[k]), now)
        first = ""
        for units, count in self.needs[index]:
            for name, free in units:
                idle = [k for k, at in enumerate(free) if at <= now]
                if len(idle) >= count:
                    for k in idle[:count]:
                        free[k] = now + busy
                    self.busy[name] += count * busy
                    first = first or name
                    break
        late = int(self.skewed[index] and when > now)
        self.stall = 0
        extra = self.access(number, decoded, now) if self.memory else decoded.extra
        self.late = late + extra
        for role, register, position in decoded.writes:
            self.writer[register] = (index, position, now + late + (extra if role != "base" else 0))
            self.slow[register] = extra if role != "base" else 0
        return first

    def access(self, number: int, decoded: Decoded, now: int) -> int:
        """Cycles its memory access takes beyond a hit in L1."""
        address, nbytes = self.touches[number]
        if not nbytes or self.memory is None:
            return 0
        if decoded.kind == "load":
            extra = self.memory.load(number, address, nbytes, now, decoded.price.latency, decoded.op.neon)
            if extra and self.memory.caches:
                # In order, no more loads wait for their lines than there can be misses.
                self.coming = sorted(at for at in (*self.coming, now + extra) if at > now)
                most = self.memory.model.misses
                self.stall = self.coming[-most] - now if len(self.coming) >= most else 0
            return extra
        if decoded.op.hint:
            self.memory.ask(number, address, now)
        else:
            self.stall = self.memory.store(number, address, nbytes, now)
        return 0


class IssueSlots:
    """The issue slots of a cycle."""

    def __init__(self, core: Core, fetch: Fetch, execute: Execute, run: Execution) -> None:
        self.width, self.fetch, self.execute, self.run = core.width, fetch, execute, run
        self.hold = 0                  # issue is blocked by a transfer until this cycle
        self.last_beat = -1            # cycle in which another instruction may issue beside its last beat
        self.transfer: Decoded | None = None
        self.oldest_since = 0
        self.waited = ""               # what last stopped the oldest instruction left
        self.until = 0                 # it waits for an operand that is not there before this cycle
        # The oldest instruction left that has been looked at: its number, when its operands are there, which comes
        # last. All before it have issued, so that does not change any more.
        self.looked, self.when, self.producer = -1, 0, -1

    def cycle(self, now: int) -> None:
        """Fill the slots in order; charge the rest to what stopped the oldest instruction left."""
        fetch, execute, run = self.fetch, self.execute, self.run
        if now < self.hold:
            run.lose("transfer", self.width)
            self.waited = "transfer"
            return
        if now < fetch.empty and fetch.next < len(fetch.order):
            run.lose("mispredicted branch", self.width)
            self.waited = "mispredicted branch"
            return
        if now < self.until:
            run.lose(self.waited, self.width)
            return
        partner: Decoded | None = None
        issued = 0
        reason = ""
        beside = now == self.last_beat        # a transfer takes one of the slots with its last beat
        if beside:
            run.lose("transfer", 1)
            partner = self.transfer
        width = self.width - beside
        while issued < width:
            if fetch.next >= len(fetch.order):
                reason = "end"
                break
            if not fetch.open:
                reason = "mispredicted branch" if fetch.empty > now else "taken branch"
                break
            index = fetch.order[fetch.next]
            decoded = execute.decoded[index]
            if fetch.taken[fetch.next] and fetch.too_soon(now):
                reason = self.waited = "fetch"
                break
            reason = self.refusal(index, decoded, partner, now)
            if reason:
                self.waited = reason
                break
            unit = execute.start(index, fetch.next, now, self.when)
            run.start.append(self.oldest_since)
            run.issue.append(now)
            run.completion.append(now + decoded.lasts + execute.late)
            run.unit.append(unit)
            run.stall_reason.append(self.waited)
            self.waited = ""
            fetch.advance(now)
            issued += 1
            partner = decoded
            if execute.stall:
                self.until = now + 1 + execute.stall
                reason = "memory" if decoded.kind == "load" else "write buffer"
                self.waited = reason
                break
            if decoded.price.release_after:
                self.hold = now + decoded.price.release_after + execute.more
                if not decoded.price.alone:
                    self.last_beat, self.transfer = self.hold, decoded
                reason = "transfer" if decoded.price.beat else "pairing"
                break
        if issued:
            self.oldest_since = now + (issued == width)
        run.filled += issued
        run.lose(reason, width - issued)

    def refusal(self, index: int, decoded: Decoded, partner: Decoded | None, now: int) -> str:
        """Return why the instruction cannot start now; empty if it can."""
        execute = self.execute
        if self.looked != self.fetch.next:
            self.looked = self.fetch.next
            self.when, self.producer = execute.ready(index)
        when = self.when
        if when > now + execute.skewed[index]:
            self.until = when - execute.skewed[index]
            return "memory" if execute.missed else f"operand: {execute.decoded[self.producer].kind}"
        for at, again, producer in execute.passing:
            if at < now < again:
                self.until = again
                return f"operand: {execute.decoded[producer].kind}"
        unit = execute.blocked(index, now)
        if unit:
            return f"unit: {unit}"
        if execute.obeys[index] and execute.out_of_phase(index, now):
            return "phase"
        if partner is not None and (
            decoded.price.alone
            or decoded.price.older
            or any(mine[1] == theirs[1] for mine in decoded.writes for theirs in partner.writes)
        ):
            return "pairing"
        return ""


class InOrder:
    """An in-order core: Fetch, Issue and Execute."""

    def __init__(self, stream: InstructionStream, core: Core, decoded: list[Decoded], memory: MemoryHierarchy | None,
                 folded: Folded | None = None) -> None:
        self.result = Execution(core.width)
        self.feed: Feed = Feed.from_stream(stream, folded, core)
        self.skips: list[Skip] = self.feed.skips
        self.reach = reach(core, decoded)
        self.fetch = Fetch(self.feed, core, decoded)
        self.execute = Execute(core, decoded, stream.touches, memory)
        self.issue = IssueSlots(core, self.fetch, self.execute, self.result)
        self.latency = self.execute.latency

    def state(self, now: int) -> Hashable:
        """Return the state at the start of a cycle, relative to it; only what can still matter."""
        fetch, execute, issue = self.fetch, self.execute, self.issue
        return (
            fetch.next - self.feed.begin(), max(fetch.last_taken - now, -self.reach), fetch.last_branch,
            max(issue.hold - now, 0), max(issue.until - now, 0), max(fetch.empty - now, 0),
            max(issue.last_beat - now, -1), issue.transfer and id(issue.transfer), issue.oldest_since - now,
            issue.waited,
            tuple(sorted((register, index, write, max(at - now, -self.reach), execute.slow[register] > 0)
                         for register, (index, write, at) in execute.writer.items())),
            tuple(tuple(max(at - now, 0) for at in free) for free in execute.free.values()),
            tuple(tuple(at - now for at in began if at >= now - distance)
                  for began, distance in zip(execute.began, execute.distance, strict=True)),
        )

    def mark(self, now: int) -> Mark:
        """Return what has been counted at the start of a cycle."""
        run = self.result
        return Mark(now, self.fetch.next, dict(run.slots), dict(self.execute.busy), run.filled)

    def run(self) -> Execution:
        """Until every instruction has finished."""
        now = 0
        feed, fetch = self.feed, self.fetch
        feed.extend(AHEAD)
        while fetch.next < len(feed.order):
            if feed.begins(fetch.next):
                feed.repeat(self.state(now), self.mark(now))
            fetch.cycle(now)
            self.issue.cycle(now)
            now += 1
            if feed.levels:
                feed.extend(fetch.next + AHEAD)
        result = self.result
        result.cycles = max([now, *result.completion]) if result.completion else 0
        result.lose("end", (result.cycles - now) * result.width)
        result.retire = list(result.completion)
        result.busy = self.execute.busy
        return result
