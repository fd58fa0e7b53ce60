// Runs a program that was translated to JavaScript (neonsim/arm/machine/translate/to_javascript.py): registers in one file, memory as
// named regions, and nothing outside of them. What cannot be done stops the run with a sentence, before it is done.

/**
 * A range of memory: `low`..`high` may be read and lie in the bytes from `at` on, `first`..`end` may be written.
 * @typedef {{name: string, low: number, high: number, first: number, end: number, at: number, readonly: boolean, index?: number}} Region
 *
 * An instruction: its function, the slots that it is given, those that it writes; where it writes one several times,
 * the bytes of each write.
 * @typedef {[number, number[], number[], ([first: number, n: number][])?]} Translated
 *
 * A program: `steps` by instruction; `known` by function, see _Known there; `code`:
 * the address of each instruction; `back`: where a call returns to; `loaded`, `stored`: the first cell of either.
 * @typedef {{steps: (Translated|null)[], known: number[][][], refused: Object<string, string>, code: number[],
 *   back: number, loaded: number, stored: number}} Program
 *
 * What stands around the functions that were generated, in this order; each function takes slots and gives a step.
 * @typedef {(u8: Uint8Array, s8: Int8Array, u16: Uint16Array, s16: Int16Array, u32: Uint32Array, s32: Int32Array,
 *   u64: BigUint64Array, s64: BigInt64Array, load: (address: number|bigint, n: number, to: number) => void,
 *   store: (address: number|bigint, n: number) => void, demand: (address: number|bigint, multiple: number) => void,
 *   far: (address: number|bigint) => number, soft: Soft) => ((...slots: number[]) => Act)[]} Generated
 * @typedef {(word: number, rules: number, ...patterns: (number|bigint)[]) => [bits: bigint, exceptions: number]} Soft a word of
 *   floating point by its definition; what it throws as text ends the run
 * @typedef {() => number|undefined} Act where to go on; nothing: behind it
 * @typedef {{address: number, bytes: number, store: boolean, at: number, home: number}} Touch `at`: where in
 *   the memory's bytes; `home`: the number of the region
 * @typedef {{steps: number, returned: boolean, problem: string}} Outcome
 */

export const CELL = 16; // bytes of a register in the file
const SKIPPED = -2, RETURNED = -1, NEAR = 256; // NEAR: bytes within which a wrong address is described by a buffer

/** What a program may not do, in the reader's words. */
export class Refusal extends Error {}

export class Engine {
  pc = 0;
  /** @type {Touch[]} of the step under way */
  touched = [];
  /** Notes what was touched. */
  watching = false;

  /**
   * @param {Generated} generated @param {Program} program @param {Region[]} regions in the order of their addresses
   * @param {Uint8Array} memory the bytes of all regions @param {Soft} [soft] where there is Python
   */
  constructor(generated, program, regions, memory, soft = noSoft) {
    this.program = program;
    /** @type {Region[]} */
    this.regions = regions.map((one, index) => ({ ...one, index }));
    this.memory = memory;
    const file = new ArrayBuffer((program.stored + 16) * CELL);
    this.file = new Uint8Array(file);
    /** @type {Map<number, number>} */
    this.index = new Map(program.code.map((address, index) => [address, index]));
    const { file: bytes } = this, from = program.loaded * CELL, out = program.stored * CELL;
    let loads = this.regions[0], stores = this.regions[0];
    const makers = generated(bytes, new Int8Array(file), new Uint16Array(file), new Int16Array(file), new Uint32Array(file),
      new Int32Array(file), new BigUint64Array(file), new BigInt64Array(file),
      (address, n, to) => {
        const place = Number(address);
        if (!loads || place < loads.low || place + n > loads.high) loads = this.find(address, n, false);
        const at = loads.at + place - loads.low;
        for (let k = 0; k < n; k++) bytes[from + to + k] = memory[at + k];
        if (this.watching) this.touched.push({ address: place, bytes: n, store: false, at, home: loads.index ?? 0 });
      },
      (address, n) => {
        const place = Number(address);
        if (!stores || stores.readonly || place < stores.first || place + n > stores.end) stores = this.find(address, n, true);
        const at = stores.at + place - stores.low;
        for (let k = 0; k < n; k++) memory[at + k] = bytes[out + k];
        if (this.watching) this.touched.push({ address: place, bytes: n, store: true, at, home: stores.index ?? 0 });
      },
      (address, multiple) => {
        if (BigInt(address) % BigInt(multiple)) throw new Refusal(`needs an address that is a multiple of ${multiple}, not ${hex(address)}`);
      },
      (address) => this.goal(address), soft);
    /** @type {(Act|null)[]} */
    this.acts = program.steps.map((one) => one && makers[one[0]](...one[1]));
  }

  /** The region of an access. @param {number|bigint} address @param {number} n @param {boolean} store @returns {Region} */
  find(address, n, store) {
    const place = Number(address);
    const found = this.regions.find((one) => (store ? !one.readonly && one.first <= place && place + n <= one.end : one.low <= place && place + n <= one.high));
    if (!found) throw new Refusal(this.outside(address, n, store));
    return found;
  }

  /** What is wrong with an access, in the words of the machine in Python. @param {number|bigint} address @param {number} n @param {boolean} store */
  outside(address, n, store) {
    const place = Number(address), does = `${store ? "writes" : "reads"} ${n} byte${n === 1 ? "" : "s"} at ${hex(address)}`;
    const far = (/** @type {Region} */ one) => Math.max(one.first - place, place - one.end + 1, 0);
    const near = this.regions.toSorted((x, y) => far(x) - far(y))[0];
    if (near && store && near.readonly && near.first <= place && place < near.end) return `${does}, but buffer "${near.name}" is read-only`;
    if (!near || place < near.first - NEAR || place >= near.end + NEAR) {
      return `${does}, where no buffer is. Buffers: ${this.regions.slice(0, 8).map((one) => `${one.name} ${hex(one.first)}..${hex(one.end)}`).join(", ") || "none"}`;
    }
    const size = `buffer "${near.name}" (${near.end - near.first} bytes)`, before = near.first - near.low, after = near.high - near.end;
    const allowed = !store && (before || after) ? `; ${before} bytes before and ${after} after it may be read` : "";
    return place < near.first ? `${does}: that is ${near.first - place} bytes before ${size}${allowed}`
      : `${does}: offset ${place - near.first} of ${size}, ${place + n - near.end} bytes past its end${allowed}`;
  }

  /** The instruction at an address that a branch goes to. @param {number|bigint} address */
  goal(address) {
    const place = Number(address), index = place === this.program.back ? RETURNED : this.index.get(place);
    if (index === undefined) throw new Refusal(`goes to ${hex(address)}, where no code is`);
    return index;
  }

  /**
   * From `pc` to the return, for at most `limit` steps. `note` is told of every step that was done: the instruction,
   * whether it was executed, and the number of the step, from 0; `before` of every one to be done.
   * @param {number} limit @param {(pc: number, executed: boolean, step: number) => void} [note]
   * @param {(step: number) => void} [before]
   * @returns {Outcome}
   */
  run(limit, note, before) {
    const { acts } = this;
    this.watching = Boolean(note);
    for (let step = 0; ; step++) {
      const { pc } = this, act = acts[pc];
      if (step >= limit) return { steps: step, returned: false, problem: `still running after ${limit} steps: a loop that does not end?` };
      if (!act) {
        const problem = this.program.refused[pc] ?? "execution ran past the end of the program: a return (ret, bx lr) is missing";
        return { steps: step, returned: false, problem };
      }
      before?.(step);
      this.touched.length = 0;
      let next;
      try {
        next = act();
      } catch (error) {
        if (error instanceof Refusal) return { steps: step, returned: false, problem: error.message };
        if (typeof error === "string") return { steps: step, returned: false, problem: error }; // what the reading does not compute
        throw error;
      }
      const executed = next !== SKIPPED;
      note?.(pc, executed, step);
      if (next === RETURNED) return { steps: step + 1, returned: true, problem: "" };
      this.pc = next === undefined || !executed ? pc + 1 : next;
    }
  }
}

/** @type {Soft} */
function noSoft() {
  throw "is floating point that JavaScript does not compute to the bit";
}

/** @param {number|bigint} number */
function hex(number) {
  return `0x${number.toString(16)}`;
}
