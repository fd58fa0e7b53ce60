// Where a run stops: at a line, at a write or read of a register or cell, where a condition begins to hold.
// The grammar is written down in neonsim/render/stepper/breakpoints.py, its twin for terminals; both pass one table of tests.

import { parseExpression, wrongAt } from "./expression.js";
import { TYPES, locate } from "./format.js";

/**
 * `at`: where a run that comes along stops, 1 for each number of executed instructions.
 * @typedef {import("./state.js").Replay} Replay
 * @typedef {import("./flow.js").Flows} Flows
 * @typedef {import("./flow.js").LaneAt} LaneAt
 * @typedef {import("./expression.js").Target} Target
 * @typedef {import("./expression.js").Expression} Expression
 * @typedef {{text: string, line?: number, way?: "write"|"read", target?: Target, condition?: Expression}} Stop
 */

const STOP_FORM = /^(\s*)(write|read|line)(\s+)(?=[a-z_0-9])/i, IF_WORD = /\sif(?=\s|$)/i;

/**
 * @param {string} text "line 12", "line 12 if x2 == 8", "write c[0,3]", "read x2 if v0.h[3] > 127" or a condition alone
 * @param {Replay} replay the run it is about
 * @returns {Stop} Throws an Error in the reader's words.
 */
export function parseStop(text, replay) {
  const form = STOP_FORM.exec(text);
  if (!form || replay.buffers.some(({ name }) => name === form[2])) {
    const condition = parseExpression(text, replay);
    if (condition.place) {
      const { name } = condition.place;
      throw wrongAt(1, `${name} alone is not a condition. Compare it (${name} == 1), or stop when it is written (write ${name})`);
    }
    return { text: text.trim(), condition: checked(condition, replay) };
  }
  const [all, , way, ] = form, rest = text.slice(all.length), split = rest.search(IF_WORD);
  const what = split < 0 ? rest : rest.slice(0, split), from = all.length + split + 3;
  const condition = split < 0 ? undefined : checked(parseExpression(text.slice(from), replay, from), replay);
  if (way.toLowerCase() === "line") {
    const line = Number(what);
    if (!/^\d+\s*$/.test(what)) throw wrongAt(all.length + 1, "line needs one number, as in line 12 or line 12 if x2 == 8");
    if (!replay.header.instructions.some((one) => one.line === line)) throw wrongAt(all.length + 1, `line ${line} has no instruction`);
    return { text: text.trim(), line, condition };
  }
  const { place } = parseExpression(what, replay, all.length);
  if (!place) throw wrongAt(all.length + 1, `${way} needs one register, lane, cell or buffer, as in ${way} x2 or ${way} c[0,3]`);
  return { text: text.trim(), way: way.toLowerCase() === "read" ? "read" : "write", target: place, condition };
}

/** A condition that gives one number. @param {Expression} condition @param {Replay} replay */
function checked(condition, replay) {
  if (Array.isArray(condition.value(replay))) throw wrongAt(1, "several values are not a condition. Name a lane, or use sum, min or max");
  return condition;
}

/**
 * Works out where a stop stops, a slice at a time.
 * @param {Stop} stop @param {Replay} replay @param {Flows} flows
 * @returns {Generator<number, Uint8Array>} yields how far it is, after every few steps
 */
export function* places(stop, replay, flows) {
  const cursor = replay.cursor(), { steps } = replay, at = new Uint8Array(steps + 1), { condition } = stop;
  const fires = stop.line !== undefined ? atLine(stop.line, replay) : stop.way ? touching(stop, replay, flows) : null;
  const changes = condition ? changing(condition.uses, replay) : () => false;
  let holds = false;
  for (let k = 0; k <= steps; k++) {
    const before = holds;
    if (condition && (k === 0 || changes(k))) {
      cursor.goto(k);
      const value = condition.value(cursor);
      holds = !Array.isArray(value) && value !== 0;
    }
    if (fires ? fires(k) && (!condition || holds) : k > 0 && holds && !before) at[k] = 1;
    yield k;
  }
  return at;
}

/** Whether what a condition depends on was written by step k. @param {import("./expression.js").Uses} uses @param {Replay} replay */
function changing({ registers, memory, moves }, replay) {
  const { write_location } = replay.columns, { writes, stores } = replay;
  return (/** @type {number} */ k) => {
    if (moves) return true;
    for (let w = writes.start[k - 1]; w < writes.start[k]; w++) if (registers.has(write_location[w])) return true;
    for (let w = stores.start[k - 1]; memory.length && w < stores.start[k]; w++) {
      const [where, bytes] = stores.places[w];
      if (memory.some((one) => overlaps(where, bytes, one.at, one.bytes))) return true;
    }
    return false;
  };
}

/** Stands before a line. @param {number} line @param {Replay} replay */
function atLine(line, replay) {
  const { instructions } = replay.header;
  return (/** @type {number} */ k) => instructions[replay.pcOf(k)]?.line === line;
}

/** @param {number} x @param {number} xBytes @param {number} y @param {number} yBytes */
function overlaps(x, xBytes, y, yBytes) {
  return x < y + yBytes && y < x + xBytes;
}

/** Stands behind a step that writes or reads the target. @param {Stop} stop @param {Replay} replay @param {Flows} flows */
function touching({ way, target }, replay, flows) {
  const store = way === "write", { index, lane, at = 0, bytes = 0 } = target ?? {}, { columns, a32 } = replay;
  if (index === undefined) {
    return (/** @type {number} */ k) => {
      if (store && replay.byHand.get(k)?.stores.some((one) => overlaps(replay.buffers[one.buffer ?? 0].at + one.offset, one.data.length, at, bytes))) return true;
      for (let a = k > 0 ? replay.accesses[k - 1] : 0; k > 0 && a < replay.accesses[k]; a++) {
        const home = replay.buffers[columns.access_buffer[a]], where = home ? home.at + columns.access_offset[a] : 0;
        if (home && (columns.access_store[a] === 1) === store && overlaps(where, columns.access_bytes[a], at, bytes)) return true;
      }
      return false;
    };
  }
  const { name } = replay.locations[index];
  /** @param {{register: string}} one */
  const here = ({ register }) => locate(register, a32).location === name;
  /** @param {LaneAt[]} lanes whether they meet the bytes that are asked about; unknown: all */
  const meets = (lanes) => !lane || !lanes.length || lanes.some(({ register, type, lane: number }) => {
    const from = locate(register, a32).offset + number * TYPES[type];
    return from < lane.from + lane.bytes && lane.from < from + TYPES[type];
  });
  /** @type {Map<number, boolean>} */
  const known = new Map(); // by instruction
  return (/** @type {number} */ k) => {
    if (k === 0 || columns.executed[k - 1] !== 1) return false;
    const pc = replay.pcOf(k - 1);
    if (store) {
      let written = false;
      for (let w = replay.writes.start[k - 1]; w < replay.writes.start[k]; w++) written ||= columns.write_location[w] === index;
      if (!written) return false;
    } else if (!replay.header.instructions[pc].reads.some(([, register]) => here({ register }))) return false;
    let found = known.get(pc);
    if (found === undefined) {
      const { lanes } = flows.of(pc), read = lanes.flatMap(({ sources }) => sources).filter(here);
      // A64: a result that is shorter than its register clears the rest of it.
      found = store ? meets(lanes.filter(here)) || (!a32 && !read.length) : meets(read);
      known.set(pc, found);
    }
    return found;
  };
}
