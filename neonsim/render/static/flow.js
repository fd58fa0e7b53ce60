// What an instruction reads and writes, lane by lane, and its arithmetic with the values of one step filled in.

import { TYPES, laneText, locate, printable } from "./format.js";

const TOKEN = /\b([a-z]+\d*)(?:\.([a-z]*)(\d*))?\[(\d+)\]|\b([xr]\d+|sp)\b(?!\.)/g;
const CAST = /\b[sux]\d+\((\(-\d+\)|\d+)\)/g; // of a number: says nothing any more
/** @type {Object<number, string>} */
const LETTER_OF = { 1: "b", 2: "h", 4: "s", 8: "d" }; // of an element's bytes
/** @type {Object<string, number>} */
const BYTES_OF = { b: 1, h: 2, s: 4, d: 8 };
const VECTOR = /^[vqdshb]\d/;
const DRAWN = /^(?:[vqdshbxwr]\d+|sp|mem)$/;

/**
 * A lane: `type` can be printed, `said` is the instruction's word for it (x16: 16 bits, the sign does not matter).
 * @typedef {{register: string, type: string, lane: number}} LaneAt
 * @typedef {LaneAt & {said: string}} Lane
 * @typedef {Lane & {text: string, sources: Lane[], drawn: Lane[]}} ResultLane with its arithmetic
 * @typedef {(item: Lane, to: ResultLane) => string} TypeOf the type to read a lane in
 */

/**
 * Dataflow of one instruction, with the bytes it touches.
 * lanes    one entry per destination lane
 * reads    location -> 1 for every byte read;  writes   the same for bytes written
 * readAs, writtenAs   location -> element type as the instruction says it;  clears   locations whose rest is cleared
 * @typedef {{lanes: ResultLane[], reads: Map<string, Uint8Array>, writes: Map<string, Uint8Array>,
 *   readAs: Map<string, string>, writtenAs: Map<string, string>, clears: Set<string>}} Flow
 */

/** The dataflows of a program, each worked out when it is asked for. */
export class Flows {
  /** @param {import("./payload.js").Header} header */
  constructor(header) {
    this.header = header;
    this.a32 = header.isa === "aarch32";
    /** @type {Map<number, Flow>} */
    this.cache = new Map();
  }

  /** @param {number} pc */
  of(pc) {
    let flow = this.cache.get(pc);
    if (!flow) this.cache.set(pc, flow = this.build(pc));
    return flow;
  }

  /** @param {number} pc @returns {Flow} */
  build(pc) {
    /** @param {import("./payload.js").LaneName} name @returns {Lane} */
    const lane = ([register, type, index]) => ({ register, type: printable(type), said: type, lane: index });
    const lanes = (this.header.flows[this.header.flow_of[pc]] ?? []).map(([register, type, index, text, sources]) => ({
      ...lane([register, type, index]), text, sources: sources.map(lane),
      drawn: sources.map(lane).filter((from) => DRAWN.test(from.register)) }));
    /** @type {Map<string, Uint8Array>[]} */
    const [reads, writes] = [new Map(), new Map()];
    /** @type {Map<string, string>[]} */
    const [readAs, writtenAs] = [new Map(), new Map()];
    for (const to of lanes) {
      for (const from of to.sources) {
        this.mark(reads, from);
        if (VECTOR.test(from.register)) readAs.set(locate(from.register, this.a32).location, from.said);
      }
    }
    for (const to of lanes) {
      this.mark(writes, to);
      if (VECTOR.test(to.register)) writtenAs.set(locate(to.register, this.a32).location, to.said);
    }
    // Registers that take part without lanes (addresses, flags, whole registers of a load or store).
    const instruction = this.header.instructions[pc];
    for (const { list, marks, types } of [{ list: instruction.reads, marks: reads, types: readAs },
      { list: instruction.writes, marks: writes, types: writtenAs }]) {
      for (const [, register, use] of list) {
        const { location, offset, bytes } = locate(register, this.a32);
        if (use && lanes.length === 0) {
          for (let k = 0; k < use[2]; k++) this.mark(marks, { register, type: printable(use[0]), lane: use[1] + k });
          if (VECTOR.test(register)) types.set(location, use[0]);
        } else if (!VECTOR.test(register)) {
          const mask = marks.get(location) ?? new Uint8Array(16);
          mask.fill(1, offset, offset + bytes);
          marks.set(location, mask);
        }
        if (instruction.element && VECTOR.test(register) && !types.has(location)) {
          types.set(location, instruction.element);
        }
      }
    }
    // A64: a shorter result clears the rest of its register; one put into a lane reads the rest.
    /** @type {Set<string>} */
    const clears = new Set(this.a32 ? [] : [...writes.keys()].filter((name) => !reads.has(name)));
    return { lanes, reads, writes, readAs, writtenAs, clears };
  }

  /** @param {Map<string, Uint8Array>} marks @param {LaneAt} lane */
  mark(marks, { register, type, lane }) {
    if (register === "mem") return;
    const { location, offset } = locate(register, this.a32);
    const size = TYPES[type], mask = marks.get(location) ?? new Uint8Array(16);
    mask.fill(1, offset + lane * size, offset + (lane + 1) * size);
    marks.set(location, mask);
  }
}

/** `v8.s[3]` of A64, `d4.s16[1]` of A32. @param {LaneAt} lane @param {boolean} a32 */
export function laneName({ register, type, lane }, a32) {
  if (/^(?:[xwr]\d+|sp)$/.test(register)) return register;
  if (register === "mem") return `mem[${lane}]`;
  return a32 ? `${register}.${type}[${lane}]` : `${register}.${LETTER_OF[TYPES[type]]}[${lane}]`;
}

/**
 * Value of a lane before (past) or after (now) the last step; "?" when it was not recorded.
 * @param {import("./state.js").Replay} replay @param {LaneAt} lane @param {boolean} past
 */
export function laneValue(replay, { register, type, lane }, past) {
  if (register === "mem") return replay.memoryLane(type, lane, past);
  const at = replay.byteOf(register, TYPES[type], lane);
  return at < 0 ? "?" : laneText(past ? replay.pastView : replay.madeView, at, type);
}

/**
 * The arithmetic of one destination lane: in names, and with the values of this step.
 * @param {import("./state.js").Replay} replay @param {ResultLane} to @param {TypeOf} [typeOf]
 * @returns {{name: string, names: string, values: string, old: string, result: string}}
 */
export function arithmetic(replay, to, typeOf = (item) => item.type) {
  const values = to.text.replace(TOKEN, (token, named, letter, bits, index, bare) => {
    const lane = Number(index ?? 0), register = named ?? bare;
    const width = bits ? Number(bits) / 8 : BYTES_OF[letter];
    const source = to.sources.find((f) => f.register === register && f.lane === lane && (!width || TYPES[f.type] === width));
    if (!source) return token;
    const value = laneValue(replay, { ...source, type: typeOf(source, to) }, true);
    return value.startsWith("-") ? `(${value})` : value;
  }).replace(CAST, "$1");
  const shown = { ...to, type: typeOf(to, to) };
  return { name: laneName(to, replay.a32), names: to.text, values,
    old: laneValue(replay, shown, true), result: laneValue(replay, shown, false) };
}
