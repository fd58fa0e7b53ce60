// Replays a recorded run: going to step n, forwards or backwards, applies what the steps between wrote.

import { TYPES, laneText, locate } from "./format.js";
import { isWritten, marked } from "./written.js";

/**
 * Where a register or flag stands in the state; where a buffer stands in the memory; what a step did there.
 * @typedef {{name: string, index: number, at: number, bytes: number}} RegisterPlace
 * @typedef {import("./payload.js").BufferInfo & {index: number, at: number}} BufferPlace
 * @typedef {{buffer: BufferPlace|undefined, offset: number, bytes: number, store: boolean}} Access
 * @typedef {[where: number, bytes: number, data?: number]} LogPlace `data`: where in the log's bytes; behind the one before
 * @typedef {{index?: number, at?: number, bytes?: number}} Sought a location's index, or bytes of the recorded memory
 */

/**
 * Sizes of the locations of a trace in bytes: SIMD registers, general ones, flags.
 * @param {string} name @param {boolean} a32
 */
function sizeOf(name, a32) {
  return /^[vq]\d/.test(name) ? 16 : /^([xr]\d+|sp)$/.test(name) ? (a32 ? 4 : 8) : 1;
}

/**
 * The run as something to stand in. `step` = how many instructions have been executed; `now` and `memory` are the
 * state after them, `past` and `memoryPast` the state before the last of them (the one that is explained), `made` what
 * that one left: `now` without what was changed by hand behind it.
 */
export class Replay {
  /** @param {{header: import("./payload.js").Header, columns: import("./payload.js").Columns}} data */
  constructor({ header, columns }) {
    this.header = header;
    this.columns = columns;
    this.a32 = header.isa === "aarch32";
    this.steps = header.steps;
    this.step = 0;
    /** @type {Map<string, RegisterPlace>} */
    this.places = new Map();
    let at = 0;
    this.locations = header.locations.map((name, index) => {
      const place = { name, index, at, bytes: sizeOf(name, this.a32) };
      this.places.set(name, place);
      at += place.bytes;
      return place;
    });
    this.now = columns.initial.slice();
    this.past = this.now.slice();
    this.made = this.now.slice();
    this.memory = columns.memory.slice();
    this.memoryPast = this.memory.slice();
    this.pastStep = 0; // the step that memoryPast shows
    // Beside the bytes of registers and memory: 1 where they are initialized.
    this.known = columns.known.slice();
    this.knownPast = this.known.slice();
    this.registersKnown = columns.registers_known.slice();
    this.registersKnownPast = this.registersKnown.slice();
    /** @type {Map<number, {writes: number, stores: import("./payload.js").Change[]}>} by step: writes at its end, and stores, by hand */
    this.byHand = new Map();
    for (const change of header.changes) {
      if (change.step < 1) continue; // in the first state already
      const here = this.byHand.get(change.step) ?? { writes: 0, stores: [] };
      if (change.location !== null) here.writes++;
      else if (change.buffer !== null) here.stores.push(change);
      this.byHand.set(change.step, here);
    }
    let first = 0;
    this.buffers = header.buffers.map((info, index) => {
      /** @type {BufferPlace} */
      const buffer = { ...info, index, at: first };
      first += info.nbytes;
      return buffer;
    });
    this.writes = new Log(columns.write_count, this.writePlaces(), columns.write_data, this.now);
    this.accesses = starts(columns.access_count);
    this.stores = new Log(...this.storePlaces(), this.memory);
    this.learned = this.learnings(columns.learned_step, columns.learned_at, columns.learned_bytes, columns.learned_known, this.registersKnown);
    this.memoryLearned = this.learnings(columns.memory_learned_step, columns.memory_learned_at, columns.memory_learned_bytes,
      columns.memory_learned_known, this.known);
    this.nowView = marked(this.now.buffer, this.registersKnown);
    this.pastView = marked(this.past.buffer, this.registersKnownPast);
    this.madeView = marked(this.made.buffer, this.registersKnown);
    this.memoryView = marked(this.memory.buffer, this.known);
    this.memoryPastView = marked(this.memoryPast.buffer, this.knownPast);
    /** @type {Uint32Array|undefined} */
    this.issued = undefined; // see iterations.js
  }

  /** @returns {LogPlace[]} */
  writePlaces() {
    return Array.from(this.columns.write_location, (index) => [this.locations[index].at, this.locations[index].bytes]);
  }

  /**
   * Changes of what is known, as a log like those of the bytes themselves.
   * @param {Uint32Array} steps from 1 @param {Uint32Array} at @param {Uint32Array} bytes @param {Uint8Array} known
   * @param {Uint8Array} initial
   */
  learnings(steps, at, bytes, known, initial) {
    const counts = new Uint16Array(this.steps), after = new Uint8Array(bytes.reduce((sum, n) => sum + n, 0));
    /** @type {LogPlace[]} */
    const places = [];
    for (let k = 0, data = 0; k < steps.length; k++) {
      counts[steps[k] - 1]++;
      places.push([at[k], bytes[k], data]);
      after.fill(known[k], data, data + bytes[k]);
      data += bytes[k];
    }
    return new Log(counts, places, after, initial);
  }

  /** Stores into buffers that were recorded: counts per step, places, and bytes. @returns {[Uint16Array, LogPlace[], Uint8Array]} */
  storePlaces() {
    const { access_buffer: buffer, access_offset: offset, access_bytes: bytes, access_store: store } = this.columns;
    const counts = new Uint16Array(this.steps);
    /** @type {LogPlace[]} */
    const places = [];
    const bytesByHand = [...this.byHand.values()].flatMap(({ stores }) => stores.flatMap(({ data }) => data));
    const all = new Uint8Array(this.columns.store_data.length + bytesByHand.length);
    all.set(this.columns.store_data);
    all.set(bytesByHand, this.columns.store_data.length);
    let behind = this.columns.store_data.length;
    for (let step = 0, data = 0; step < this.steps; step++) {
      for (let k = this.accesses[step]; k < this.accesses[step + 1]; k++) {
        if (!store[k]) continue;
        const home = this.buffers[buffer[k]];
        const inside = home && offset[k] >= 0 && offset[k] + bytes[k] <= home.nbytes;
        if (inside) {
          counts[step]++;
          places.push([home.at + offset[k], bytes[k], data]);
        }
        data += bytes[k];
      }
      for (const change of this.byHand.get(step + 1)?.stores ?? []) {
        counts[step]++;
        places.push([this.buffers[change.buffer ?? 0].at + change.offset, change.data.length, behind]);
        behind += change.data.length;
      }
    }
    return [counts, places, all];
  }

  /** Index of the instruction executed by step k (0-based), or -1. @param {number} k */
  pcOf(k) {
    return k >= 0 && k < this.steps ? this.columns.pc[k] : -1;
  }

  /** Whether all of a register, or of some bytes of memory, has been written. @param {Sought} what */
  isWritten({ index, at = 0, bytes = 0 }) {
    return index === undefined ? isWritten(this.memoryView, at, bytes) : isWritten(this.nowView, this.locations[index].at, this.locations[index].bytes);
  }

  /** What a general register holds; undefined while a byte of it has not been written. @param {RegisterPlace} place */
  number({ at, bytes }, view = this.nowView) {
    if (!isWritten(view, at, bytes)) return undefined;
    return bytes === 8 ? view.getBigUint64(at, true) : bytes === 4 ? BigInt(view.getUint32(at, true)) : BigInt(view.getUint8(at));
  }

  /** The instruction that was executed last. */
  get pc() {
    return this.pcOf(this.step - 1);
  }

  /** The one that comes next; -1 at the end. */
  get nextPc() {
    return this.pcOf(this.step);
  }

  get executed() {
    return this.step > 0 && this.columns.executed[this.step - 1] === 1;
  }

  /** @param {number} step 0..steps; values outside are clamped. */
  goto(step) {
    const to = Math.min(Math.max(Math.trunc(step), 0), this.steps);
    this.writes.move(this.now, this.step, to);
    this.stores.move(this.memory, this.step, to);
    this.learned.move(this.registersKnown, this.step, to);
    this.memoryLearned.move(this.known, this.step, to);
    this.step = to;
    this.past.set(this.now);
    this.registersKnownPast.set(this.registersKnown);
    if (to > 0) {
      this.writes.move(this.past, to, to - 1);
      this.learned.move(this.registersKnownPast, to, to - 1);
    }
    const hand = this.byHand.get(to)?.writes ?? 0;
    if (hand) {
      this.made.set(this.past);
      this.writes.play(this.made, this.writes.start[to - 1], this.writes.start[to] - hand);
    } else this.made.set(this.now);
    return to;
  }

  /** Bytes of memory as they were before the last step, with what of them was written. */
  memoryBefore() {
    const to = Math.max(this.step - 1, 0);
    this.stores.move(this.memoryPast, this.pastStep, to);
    this.memoryLearned.move(this.knownPast, this.pastStep, to);
    this.pastStep = to;
    return this.memoryPastView;
  }

  /** Locations written by the last step itself. */
  written() {
    if (this.step === 0) return [];
    const from = this.writes.start[this.step - 1], to = this.writes.start[this.step] - (this.byHand.get(this.step)?.writes ?? 0);
    return Array.from(this.columns.write_location.subarray(from, to), (index) => this.locations[index]);
  }

  /** Memory touched by the last step; buffer undefined if it was not recorded. @returns {Access[]} */
  touched() {
    if (this.step === 0) return [];
    const { access_buffer, access_offset, access_bytes, access_store } = this.columns;
    /** @type {Access[]} */
    const list = [];
    for (let k = this.accesses[this.step - 1]; k < this.accesses[this.step]; k++) {
      list.push({ buffer: this.buffers[access_buffer[k]], offset: access_offset[k], bytes: access_bytes[k],
        store: access_store[k] === 1 });
    }
    return list;
  }

  /**
   * A lane of the memory that the last step touched, its accesses one after the other; "?" outside the buffers.
   * @param {string} type @param {number} lane @param {boolean} past
   */
  memoryLane(type, lane, past) {
    let at = lane * TYPES[type];
    for (const { buffer, offset, bytes } of this.touched()) {
      if (at < bytes) {
        const place = offset + at;
        if (!buffer || place < 0 || place + TYPES[type] > buffer.nbytes) return "?";
        return laneText(past ? this.memoryBefore() : this.memoryView, buffer.at + place, type);
      }
      at -= bytes;
    }
    return "?";
  }

  /**
   * First byte of a lane in `now`/`past`, or -1 when the register is not part of the recording.
   * @param {string} register @param {number} size @param {number} lane
   */
  byteOf(register, size, lane) {
    const { location, offset } = locate(register, this.a32);
    const place = this.places.get(location);
    return place ? place.at + offset + size * lane : -1;
  }

  /** A second place in the same run, at its start: to look ahead without moving the reader. @returns {Replay} */
  cursor() {
    const { columns } = this, other = Object.create(this);
    const now = columns.initial.slice(), memory = columns.memory.slice();
    const known = columns.known.slice(), registersKnown = columns.registers_known.slice();
    return Object.assign(other, { step: 0, now, past: now.slice(), made: now.slice(), memory, memoryPast: memory.slice(), pastStep: 0, known, knownPast: known.slice(),
      registersKnown, registersKnownPast: registersKnown.slice(), nowView: marked(now.buffer, registersKnown), memoryView: marked(memory.buffer, known) });
  }

  /**
   * The nearest step (1..steps) after `from` (way 1), or at or before it (way -1), that writes something; -1 if none.
   * @param {Sought} what @param {number} from @param {number} way
   */
  writer({ index, at = 0, bytes = 0 }, from, way) {
    const { write_location } = this.columns, log = index === undefined ? this.stores : this.writes;
    /** @param {number} k */
    const hit = (k) => (index === undefined
      ? log.places[k][0] < at + bytes && at < log.places[k][0] + log.places[k][1]
      : write_location[k] === index);
    for (let k = way > 0 ? log.start[from] : log.start[from] - 1; k >= 0 && k < log.places.length; k += way) {
      if (hit(k)) return log.stepOf(k);
    }
    return -1;
  }

  /** What was changed by hand last at a step, of what is sought. @param {Sought} what @param {number} step */
  handAt({ index, at = 0, bytes = 0 }, step) {
    return this.header.changes.findLast((one) => one.step === step && (index === undefined
      ? one.buffer !== null && this.buffers[one.buffer].at + one.offset < at + bytes && at < this.buffers[one.buffer].at + one.offset + one.data.length
      : one.location === index));
  }

  /**
   * The last step (1..steps) before `before` that executes instruction `pc`, or -1; `before` counts from 0.
   * @param {number} pc @param {number} before
   */
  lastOf(pc, before) {
    for (let k = before - 1; k >= 0; k--) if (this.columns.pc[k] === pc) return k + 1;
    return -1;
  }

  /**
   * The next step (1..steps) after `from` that executes instruction `pc`, or -1.
   * @param {number} pc @param {number} from
   */
  nextOf(pc, from) {
    for (let k = from; k < this.steps; k++) if (this.columns.pc[k] === pc) return k + 1;
    return -1;
  }
}

/** @param {Uint16Array} counts */
function starts(counts) {
  const start = new Uint32Array(counts.length + 1);
  for (let k = 0; k < counts.length; k++) start[k + 1] = start[k] + counts[k];
  return start;
}

/** What was written, in order. The bytes before each write are found once by playing the run forwards. */
class Log {
  /**
   * @param {Uint16Array} counts @param {LogPlace[]} places @param {Uint8Array} after @param {Uint8Array} initial
   */
  constructor(counts, places, after, initial) {
    this.start = starts(counts);
    this.places = places;
    this.after = after;
    this.before = new Uint8Array(after.length);
    this.at = new Uint32Array(places.length);
    const state = initial.slice();
    for (let k = 0, next = 0; k < places.length; k++) {
      const [where, bytes, data = next] = places[k];
      this.at[k] = data;
      next = data + bytes;
      this.before.set(state.subarray(where, where + bytes), data);
      state.set(after.subarray(data, data + bytes), where);
    }
  }

  /** The step (1..steps) that made entry k. @param {number} k */
  stepOf(k) {
    let low = 0, high = this.start.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.start[middle] <= k) low = middle; else high = middle - 1;
    }
    return low + 1;
  }

  /** Writes from..to, by number, on a state. @param {Uint8Array} state @param {number} from @param {number} to */
  play(state, from, to) {
    for (let k = from; k < to; k++) this.apply(state, k, this.after);
  }

  /** @param {Uint8Array} state @param {number} from @param {number} to */
  move(state, from, to) {
    if (to > from) for (let k = this.start[from]; k < this.start[to]; k++) this.apply(state, k, this.after);
    else for (let k = this.start[from] - 1; k >= this.start[to]; k--) this.apply(state, k, this.before);
  }

  /** @param {Uint8Array} state @param {number} k @param {Uint8Array} source */
  apply(state, k, source) {
    const [where, bytes] = this.places[k];
    state.set(source.subarray(this.at[k], this.at[k] + bytes), where);
  }
}
