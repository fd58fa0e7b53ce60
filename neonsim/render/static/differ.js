// What differs between two runs: registers of the same name, bytes of buffers of the same name.

/**
 * @typedef {import("./state.js").Replay} Replay
 * @typedef {import("./state.js").BufferPlace} BufferPlace
 * @typedef {"registers"|"memory"} Kind
 */

/** Registers and memory of two replays, matched by name. A pointer equals one to the same place of the same buffer. */
export class Difference {
  /** @param {Replay} mine @param {Replay} theirs replays, or cursors of them */
  constructor(mine, theirs) {
    this.mine = mine;
    this.theirs = theirs;
    this.matched = mine.locations.map(({ name }) => theirs.places.get(name));
    this.homes = mine.buffers.map((buffer) => theirs.buffers.find(({ name }) => name === buffer.name));
  }

  /** First byte in the other run's registers of a location of this one, or -1. @param {number} index */
  registerAt(index) {
    const match = this.matched[index];
    return match?.bytes === this.mine.locations[index].bytes ? match.at : -1;
  }

  /**
   * Place in the other run's memory of a byte of a buffer, or -1 where that has none.
   * @param {BufferPlace} buffer @param {number} offset
   */
  byteAt(buffer, offset) {
    const home = this.homes[buffer.index];
    const place = home ? buffer.skipped + offset - home.skipped : -1;
    return home && place >= 0 && place < home.nbytes ? home.at + place : -1;
  }

  /** Whether a register differs as a whole. @param {number} index */
  register(index) {
    const there = this.registerAt(index), { at, bytes } = this.mine.locations[index];
    if (there < 0) return false;
    let same = true;
    for (let k = 0; k < bytes && same; k++) same = this.mine.now[at + k] === this.theirs.now[there + k];
    if (same) return false;
    if (bytes !== 4 && bytes !== 8) return true;
    const here = pointer(this.mine, at, bytes);
    return !here || here !== pointer(this.theirs, there, bytes);
  }

  /** Whether bytes of a buffer differ. @param {BufferPlace} buffer @param {number} offset @param {number} bytes */
  memory(buffer, offset, bytes) {
    for (let k = offset; k < offset + bytes; k++) {
      const there = this.byteAt(buffer, k);
      if (there >= 0 && this.mine.memory[buffer.at + k] !== this.theirs.memory[there]) return true;
    }
    return false;
  }
}

/** @param {Replay} replay @param {number} at @param {number} bytes */
function pointer(replay, at, bytes) {
  const value = Number(bytes === 8 ? replay.nowView.getBigUint64(at, true) : replay.nowView.getUint32(at, true));
  for (const { name, address, skipped, size } of replay.buffers) {
    const offset = value - (address - skipped);
    if (offset >= 0 && offset <= size) return `${name} + ${offset}`;
  }
  return "";
}

/**
 * The next step of the first run after `from` at which something begins to differ that did not.
 * @param {Replay[]} replays two @param {(step: number) => number} counterpart of a step of the first in the second
 * @param {Kind} kind @param {number} from
 * @returns {{step: number, other: number, what: string}|null}
 */
export function nextDifference([first, second], counterpart, kind, from) {
  const a = first.cursor(), b = second.cursor(), there = new Difference(a, b), back = new Difference(b, a);
  const log = kind === "registers" ? "writes" : "stores";
  /** @param {Replay} replay @param {number} place */
  const name = (replay, place) => (kind === "registers" ? replay.locations[place].name : cellName(replay, place));
  /** @param {Difference} difference @param {Replay} replay @param {number} place */
  const check = (difference, replay, place) => (kind === "registers" ? difference.register(place)
    : difference.memory(bufferOf(replay, place), place - bufferOf(replay, place).at, 1));
  const known = new Set();
  /** @param {number} step */
  const go = (step) => (a.goto(Math.min(step, a.steps)), b.goto(counterpart(step)));
  go(from);
  for (const place of every(a, kind)) if (check(there, a, place)) known.add(name(a, place));
  for (let step = from + 1; step <= Math.max(a.steps, from + b.steps - b.step); step++) {
    const was = [a.step, b.step];
    go(step);
    if (a.step === was[0] && b.step === was[1]) break;
    for (const [replay, difference, since] of /** @type {[Replay, Difference, number][]} */ ([[a, there, was[0]], [b, back, was[1]]])) {
      for (const place of written(replay, log, since)) {
        const what = name(replay, place);
        if (!check(difference, replay, place)) known.delete(what);
        else if (!known.has(what)) return { step: Math.min(step, a.steps), other: b.step, what };
      }
    }
  }
  return null;
}

/** Locations, or places in memory byte by byte. @param {Replay} replay @param {Kind} kind */
function every(replay, kind) {
  return kind === "registers" ? replay.locations.keys() : replay.memory.keys();
}

/**
 * What was written since a step: indices of locations, or places in memory byte by byte.
 * @param {Replay} replay @param {"writes"|"stores"} log @param {number} since
 */
function* written(replay, log, since) {
  const { start, places } = replay[log], from = Math.min(since, replay.step), to = Math.max(since, replay.step);
  for (let k = start[from]; k < start[to]; k++) {
    if (log === "writes") yield replay.columns.write_location[k];
    else for (let b = places[k][0]; b < places[k][0] + places[k][1]; b++) yield b;
  }
}

/** @param {Replay} replay @param {number} place in the recorded memory @returns {BufferPlace} */
function bufferOf(replay, place) {
  return /** @type {BufferPlace} */ (replay.buffers.findLast(({ at }) => at <= place)); // the first begins at 0
}

/** @param {Replay} replay @param {number} place */
function cellName(replay, place) {
  const buffer = bufferOf(replay, place);
  return `${buffer.name} + ${buffer.skipped + place - buffer.at}`;
}
