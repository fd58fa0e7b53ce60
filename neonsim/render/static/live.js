// A page that computes: the recorded run done again in the page itself, with other values in registers and memory. What
// comes out is a recorded run like the first, and the stepper shows it as it shows that.

import { changeOf, isFlag, putInto } from "./byhand.js";
import { CELL, Engine } from "./engine.js";
import { Replay } from "./state.js";

/**
 * What a page that computes carries beside the run; `regions`: of each buffer, how many bytes before and behind it may
 * be read, what lies there (bytes), whether it may be written, whether it is all of its buffer; `check`: CRC-32 of the
 * columns that the run makes.
 * @typedef {{program: import("./engine.js").Program, pc: number,
 *   regions: {before: number[], after: number[], readonly: boolean, whole: boolean, scratch: boolean}[],
 *   check: Object<string, number>, exact: boolean, words?: [name: string, format: string, detail: (string|number)[]][],
 *   keeps?: [name: string, slot: number, first: number, bytes: number][], limit?: number}} LiveRun
 *   `words`: of floating point, for `Soft`; `keeps`: what the callee must give back; `limit`: steps
 *
 * @typedef {import("./payload.js").Change} Change
 * @typedef {{header: import("./payload.js").Header, columns: import("./payload.js").Columns}} Data
 * @typedef {{data: Data, problem: string, said: string, step: number}} Answer
 */

const MOST_STEPS = 50_000; // steps; twice those of the recorded run if that is more
const FOR_ADDRESS = 2, FOR_DECISION = 3; // what entries of `known` are about, see neonsim/arm/machine/translate/to_javascript.py

// Columns that the run itself makes: a page that computes does not carry them, but what they must come to.
/** @type {(keyof import("./payload.js").Columns)[]} */
const MADE = ["pc", "executed", "write_count", "write_location", "write_data", "access_count", "access_buffer", "access_offset", "access_bytes", "access_store", "store_data"];
const LEARNED = ["learned_step", "learned_at", "learned_bytes", "learned_known", "memory_learned_step", "memory_learned_at", "memory_learned_bytes", "memory_learned_known"];

const ALL_KNOWN = new Uint8Array(256).fill(1); // as much as an instruction stores

/** Numbers that are written one after the other. @template {Uint8Array|Uint16Array|Int32Array|Uint32Array} T */
class Column {
  length = 0;

  /** @param {new (length: number) => T} kind */
  constructor(kind) {
    this.kind = kind;
    this.values = new kind(1024);
  }

  /** @param {number} more */
  reserve(more) {
    if (this.length + more <= this.values.length) return;
    const grown = new this.kind(2 * (this.length + more));
    grown.set(this.values);
    this.values = grown;
  }

  /** @param {number} value */
  push(value) {
    this.reserve(1);
    this.values[this.length++] = value;
  }

  /** Some of these bytes. @param {Uint8Array} bytes @param {number} from @param {number} n */
  take(bytes, from, n) {
    this.reserve(n);
    for (let k = 0; k < n; k++) this.values[this.length++] = bytes[from + k];
  }

  /** @returns {any} */
  get all() {
    return this.values.slice(0, this.length);
  }
}

export class Live {
  /** @type {Change[]} made in this page, in the order of their steps */
  changes = [];

  /**
   * @param {Data} data of the recorded run, or of one of no steps that has only been begun @param {import("./engine.js").Generated} generated
   * @param {import("./engine.js").Soft} [soft]
   */
  constructor(data, generated, soft) {
    this.soft = soft;
    const { header, columns } = data, { live } = header;
    if (!live) throw new Error("this page has no program.");
    this.live = live;
    this.generated = generated;
    const none = Object.fromEntries([...MADE, ...LEARNED].map((name) => [name, new Uint8Array(0)]));
    this.replay = new Replay({ header: { ...header, steps: 0, changes: [] }, columns: /** @type {any} */ ({ ...columns, ...none }) });
    this.data = data;
    this.now = data;
    this.problem = "";
    if (!header.steps) {
      const begun = new Run(this).done();
      this.now = this.data = begun.data;
      this.problem = begun.problem;
      return;
    }
    const { columns: made } = new Run(this).done(header.steps).data, wrong = MADE.find((name) => crc32(made[name]) !== live.check[name]);
    // A recorded run may meet floats that are not computed here: then it comes with what it did.
    if (wrong && !columns.pc) throw new Error(`the computed run has other values than the recorded one (${wrong}).`);
    // What is known the recording says to the bit.
    this.data = wrong ? data : { header, columns: { ...made, ...Object.fromEntries(LEARNED.map((name) => [name, /** @type {any} */ (columns)[name]])) } };
    this.now = this.data;
    this.problem = "";
  }

  /** Another value at a step; changes at later steps are left behind. @param {number} step @param {string} name @param {string} value @returns {Answer} */
  change(step, name, value) {
    const replay = new Replay(this.now);
    replay.goto(step);
    const made = changeOf(replay, name, value), before = this.changes;
    this.changes = [...before.filter((one) => one.step < step || (one.step === step && one.name !== made.name)), made];
    return { ...this.again(step), said: this.changeText };
  }

  /** What the last change has done. */
  get changeText() {
    const made = this.changes.at(-1);
    return made ? `changed by hand at step ${made.step}: ${made.name} ${made.was} -> ${made.now}. From here on ${Math.max(this.now.header.steps - made.step, 0)} steps (counted).` : "";
  }

  /** @returns {Answer} */
  undo() {
    const taken = this.changes.at(-1);
    if (!taken) throw new Error("there is no change to undo");
    this.changes = this.changes.slice(0, -1);
    return { ...this.again(taken.step), said: `Undone: ${taken.name} is ${taken.was} again at step ${taken.step}.` };
  }

  /** The recorded run. @returns {Answer} */
  reset() {
    this.changes = [];
    this.now = this.data;
    this.problem = "";
    return { data: this.data, problem: "", said: "As it was recorded.", step: 0 };
  }

  /** The run with the changes made so far. @param {number} step @returns {Answer} */
  again(step) {
    if (!this.changes.length) return this.reset();
    const done = new Run(this).done();
    this.now = done.data;
    this.problem = done.problem && `${done.problem}\nShown are the ${done.data.header.steps} steps up to there.`;
    return { data: done.data, problem: this.problem, said: "", step: Math.min(step, done.data.header.steps) };
  }
}

/** One run: from the recorded beginning, with changes, to the return. */
class Run {
  pc = new Column(Uint32Array);
  executed = new Column(Uint8Array);
  writeCount = new Column(Uint16Array);
  writeLocation = new Column(Uint16Array);
  writeData = new Column(Uint8Array);
  accessCount = new Column(Uint16Array);
  accessBuffer = new Column(Uint16Array);
  accessOffset = new Column(Int32Array);
  accessBytes = new Column(Uint16Array);
  accessStore = new Column(Uint8Array);
  storeData = new Column(Uint8Array);
  /** @type {[step: number, at: number, bytes: number, known: number][]} */
  learned = [];
  /** @type {[step: number, at: number, bytes: number, known: number][]} */
  memoryLearned = [];
  /** @type {Map<number, string>} */
  warnings = new Map();
  /** @type {Map<number, Uint8Array>} */
  held = new Map();
  /** @type {Set<number>} where registers begin in the first state */
  edges;

  /** @param {Live} owner */
  constructor({ data, live, generated, replay, changes, soft }) {
    this.data = data;
    this.live = live;
    this.replay = replay;
    this.own = changes;
    const recorded = data.header.changes.filter(({ step }) => !changes.length || step <= changes[0].step);
    this.changes = [...recorded, ...changes].sort((x, y) => x.step - y.step);
    this.edges = new Set(replay.locations.map(({ at }) => at));
    this.initial = data.columns.initial.slice();
    this.memory = data.columns.memory.slice();
    this.known = data.columns.known.slice();
    this.registersKnown = data.columns.registers_known.slice();
    for (const one of changes) if (one.step === 0) this.begin(one);
    let at = 0;
    /** @type {number[]} of each buffer: where it is among the engine's bytes */
    this.starts = [];
    const regions = replay.buffers.map((buffer, k) => {
      const { before, after, readonly } = live.regions[k], low = buffer.address - before.length;
      const region = { name: buffer.name, low, high: buffer.address + buffer.nbytes + after.length, first: buffer.address, end: buffer.address + buffer.nbytes, at, readonly };
      this.starts.push(at + before.length);
      at += region.high - low;
      return region;
    });
    const bytes = new Uint8Array(at);
    this.bytesKnown = new Uint8Array(at);
    regions.forEach((region, k) => {
      const { before, after } = live.regions[k], { at: from, nbytes } = replay.buffers[k], start = this.starts[k];
      bytes.set(before, region.at);
      bytes.set(this.memory.subarray(from, from + nbytes), start);
      bytes.set(after, start + nbytes);
      this.bytesKnown.set(this.known.subarray(from, from + nbytes), start);
    });
    this.engine = new Engine(generated, live.program, regions, bytes, soft);
    this.engine.pc = live.pc;
    this.fileKnown = new Uint8Array(this.engine.file.length);
    for (const place of replay.locations) {
      this.engine.file.set(this.initial.subarray(place.at, place.at + place.bytes), place.index * CELL);
      this.fileKnown.set(this.registersKnown.subarray(place.at, place.at + place.bytes), place.index * CELL);
    }
    /** of each slot 1 if all of it is known */
    this.slotKnown = new Uint8Array(this.engine.file.length / CELL).map((_, slot) => this.whole(slot));
  }

  /** A change before the first step: the run begins with it. @param {Change} one */
  begin(one) {
    if (one.location !== null) {
      const { at, bytes } = this.replay.locations[one.location];
      putInto(one, this.initial.subarray(at, at + bytes));
      if (!isFlag(one)) this.registersKnown.fill(1, at + one.offset, at + one.offset + one.data.length);
    } else if (one.buffer !== null) {
      const at = this.replay.buffers[one.buffer].at + one.offset;
      this.memory.set(one.data, at);
      this.known.fill(1, at, at + one.data.length);
    }
  }

  /** Changes after n steps: those of registers are writes of the last of them. @param {number} step */
  byHand(step) {
    for (const one of this.changes) {
      if (one.step !== step || step === 0) continue;
      if (one.location !== null) {
        const place = this.replay.locations[one.location], at = one.location * CELL;
        putInto(one, this.engine.file.subarray(at, at + place.bytes));
        if (!isFlag(one)) this.know(step, place, one.offset, one.data.length); // of four flags one tells nothing of the others
        this.write(one.location);
        this.writeCount.values[this.writeCount.length - 1] += 1;
      } else if (one.buffer !== null) {
        const at = this.starts[one.buffer] + one.offset;
        this.engine.memory.set(one.data, at);
        this.knowMemory(step, one.buffer, one.offset, new Uint8Array(one.data.length).fill(1));
      }
    }
  }

  /** @param {number} step @param {{index: number, at: number}} place @param {number} offset @param {number} n */
  know(step, { index, at }, offset, n) {
    this.learn(this.learned, step, at + offset, this.fileKnown, index * CELL + offset, ALL_KNOWN.subarray(0, n));
    this.slotKnown[index] = this.whole(index);
  }

  /** @param {number} step @param {number} buffer @param {number} offset @param {Uint8Array} known */
  knowMemory(step, buffer, offset, known) {
    this.learn(this.memoryLearned, step, this.replay.buffers[buffer].at + offset, this.bytesKnown, this.starts[buffer] + offset, known);
  }

  /**
   * Note what becomes known, or is no longer. @param {[number, number, number, number][]} list @param {number} step
   * @param {number} at @param {Uint8Array} now @param {number} from @param {Uint8Array} known
   */
  learn(list, step, at, now, from, known) {
    const first = list === this.memoryLearned ? list.length : 0; // of memory each store by itself
    for (let k = 0; k < known.length; k++) {
      if (now[from + k] === known[k]) continue;
      now[from + k] = known[k];
      const last = list.at(-1), inside = list.length > first && (first || list === this.memoryLearned || !this.edges.has(at + k));
      if (last && inside && last[0] === step && last[1] + last[2] === at + k && last[3] === known[k]) last[2] += 1;
      else list.push([step, at + k, 1, known[k]]);
    }
  }

  /** @param {number} location @param {Uint8Array} [data] what it holds then, if not what it holds now */
  write(location, data) {
    const { bytes } = this.replay.locations[location];
    this.writeLocation.push(location);
    if (data) this.writeData.take(data, 0, bytes);
    else this.writeData.take(this.engine.file, location * CELL, bytes);
  }

  /** The registers of a step that writes one of them several times, as each write leaves them. @param {import("./engine.js").Translated} one */
  writes([, , slots, pieces = []]) {
    const { file } = this.engine;
    slots.forEach((location, k) => {
      const held = this.held.get(location), [first, n] = pieces[k] ?? [0, 0];
      held?.set(file.subarray(location * CELL + first, location * CELL + first + n), first);
      this.write(location, held);
    });
  }

  /** Before a step: what is in the registers that it writes several times. @param {number} step */
  ready(step) {
    this.byHand(step);
    const { engine } = this, one = this.live.program.steps[engine.pc];
    this.held.clear();
    if (one?.[3]) for (const location of one[2]) this.held.set(location, engine.file.slice(location * CELL, (location + 1) * CELL));
  }

  /** What a step has done. @param {number} pc @param {boolean} executed @param {number} step from 0 */
  note(pc, executed, step) {
    const { engine, fileKnown, bytesKnown } = this, { loaded } = this.live.program, one = /** @type {import("./engine.js").Translated} */ (this.live.program.steps[pc]);
    this.pc.push(pc);
    this.executed.push(executed ? 1 : 0);
    this.writeCount.push(executed ? one[2].length : 0);
    if (executed) this.writes(one);
    this.accessCount.push(engine.touched.length);
    let to = loaded * CELL, all = 1;
    for (const { bytes, store, at, home } of engine.touched) {
      this.accessBuffer.push(home);
      this.accessOffset.push(at - this.starts[home]);
      this.accessBytes.push(bytes);
      this.accessStore.push(store ? 1 : 0);
      if (store) {
        this.storeData.take(engine.memory, at, bytes);
        continue;
      }
      for (let k = 0; k < bytes; k++) {
        fileKnown[to + k] = bytesKnown[at + k];
        all &= bytesKnown[at + k];
      }
      to += Math.ceil(bytes / CELL) * CELL;
    }
    this.slotKnown[loaded] = all;
    // The usual case: whatever it works on is known, and so is what it makes.
    if (one[1].every((slot) => this.slotKnown[slot])) this.stored(pc, step + 1, ALL_KNOWN);
    else this.follow(pc, one, executed, step + 1);
  }

  /** Memory that a step has stored to. @param {number} pc @param {number} step from 1 @param {Uint8Array} marks of the bytes stored */
  stored(pc, step, marks) {
    for (const { bytes, store, at, home } of this.engine.touched) {
      if (!store) continue;
      const known = marks.subarray(0, bytes);
      if (!this.live.regions[home].scratch && known.includes(0)) this.warn(pc, `stores to ${this.replay.buffers[home].name}`);
      this.knowMemory(step, home, at - this.starts[home], known);
    }
  }

  /** Which of what it wrote is known. @param {number} pc @param {import("./engine.js").Translated} one @param {boolean} executed @param {number} step from 1 */
  follow(pc, [number, slots], executed, step) {
    const { fileKnown } = this, { loaded, stored, known } = this.live.program;
    /** @param {number[]} entry @param {number} from */
    const sources = (entry, from) => {
      for (let k = from; k < entry.length; k += 3) {
        const at = slots[entry[k]] * CELL + entry[k + 1];
        for (let n = 0; n < entry[k + 2]; n++) if (!fileKnown[at + n]) return 0;
      }
      return 1;
    };
    /** @type {[slot: number, byte: number, known: Uint8Array][]} */
    const made = [];
    for (const entry of known[number]) {
      if (entry[0] >= FOR_ADDRESS) {
        if (!sources(entry, 1)) this.warn(pc, entry[0] === FOR_DECISION ? "decides by" : "uses an address made of");
      } else if (executed) {
        const [how, slot, byte, n] = entry, from = slots[entry[4]] * CELL + entry[5];
        made.push([slots[slot], byte, how ? fileKnown.slice(from, from + n) : new Uint8Array(n).fill(sources(entry, 4))]);
      }
    }
    for (const [slot, byte, marks] of made) {
      if (slot >= loaded) fileKnown.set(marks, slot * CELL + byte);
      else this.learn(this.learned, step, this.replay.locations[slot].at + byte, fileKnown, slot * CELL + byte, marks);
    }
    for (const slot of slots) this.slotKnown[slot] = this.whole(slot);
    this.stored(pc, step, fileKnown.slice(stored * CELL, (stored + CELL) * CELL));
  }

  /** Whether all of a register is known. @param {number} slot */
  whole(slot) {
    const bytes = this.replay.locations[slot]?.bytes ?? 0, at = slot * CELL; // what is to be stored is looked at by itself
    for (let k = 0; k < bytes; k++) if (!this.fileKnown[at + k]) return 0;
    return 1;
  }

  /** @param {number} pc @param {string} does */
  warn(pc, does) {
    if (!this.warnings.has(pc)) this.warnings.set(pc, `${does} uninitialized bytes (the page looks at whole lanes; the machine in Python looks at every bit)`);
  }

  /** @param {number} [limit] @returns {{data: Data, problem: string}} */
  done(limit = this.live.limit ?? Math.max(MOST_STEPS, 2 * this.data.header.steps)) {
    const { header, columns } = this.data, { engine } = this;
    const found = engine.run(limit, (pc, executed, step) => this.note(pc, executed, step), (step) => this.ready(step));
    const table = (/** @type {[number, number, number, number][]} */ rows, /** @type {number} */ k) => Uint32Array.from(rows, (row) => row[k]);
    /** @type {any} */
    const made = {
      ...columns, initial: this.initial, memory: this.memory, known: this.known, registers_known: this.registersKnown, pc: this.pc.all,
      executed: this.executed.all, write_count: this.writeCount.all, write_location: this.writeLocation.all, write_data: this.writeData.all,
      access_count: this.accessCount.all, access_buffer: this.accessBuffer.all, access_offset: this.accessOffset.all, access_bytes: this.accessBytes.all,
      access_store: this.accessStore.all, store_data: this.storeData.all,
      learned_step: table(this.learned, 0), learned_at: table(this.learned, 1), learned_bytes: table(this.learned, 2), learned_known: Uint8Array.from(this.learned, (row) => row[3]),
      memory_learned_step: table(this.memoryLearned, 0), memory_learned_at: table(this.memoryLearned, 1), memory_learned_bytes: table(this.memoryLearned, 2),
      memory_learned_known: Uint8Array.from(this.memoryLearned, (row) => row[3]),
    };
    // Modelled cycles hold as long as the same instructions touch the same places.
    const same = columns.pc && ["pc", "executed", "access_buffer", "access_offset"].every((name) => sameLanes(made[name], /** @type {any} */ (columns)[name]));
    const where = header.instructions[engine.pc], problem = found.problem && (where ? `line ${where.line}, \`${where.text}\`: ${found.problem}` : found.problem);
    const steps = made.pc.length, changes = this.changes.filter(({ step }) => step <= steps);
    /** @type {[number, string][]} */
    const warnings = [...this.warnings];
    if (problem && steps) warnings.push([made.pc[steps - 1], `the run ends here: ${problem}`]);
    return { data: { header: { ...header, steps, changes, warnings, timing: same ? header.timing : null, differs: null }, columns: made }, problem };
  }
}

/** @param {ArrayLike<number>} x @param {ArrayLike<number>} y */
function sameLanes(x, y) {
  if (x.length !== y.length) return false;
  for (let k = 0; k < x.length; k++) if (x[k] !== y[k]) return false;
  return true;
}

/** The checksum of gzip and PNG. @param {ArrayBufferView} array */
function crc32({ buffer, byteOffset, byteLength }) {
  let crc = -1;
  for (const byte of new Uint8Array(buffer, byteOffset, byteLength)) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = crc >>> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
