// One call of the playground: what the worker sends of it, what it left beside what was expected, and its record for the cost models.

import { laneText, TYPES } from "./format.js";

/** @typedef {import("./state.js").Replay} Replay */
/** @typedef {{name: string, kind: string, data: string}} Expected a buffer, an element type, bytes in base64 */

/** @param {string} text base64 */
function bytesOf(text) {
  return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
}

/** @param {Object<string, string>} columns in base64 @returns {any} */
export function unpackedColumns(columns) {
  return Object.fromEntries(Object.entries(columns).map(([name, text]) => [name, bytesOf(text)]));
}

/**
 * The first element that is not as it is expected, as a sentence. @param {Replay} replay at the end
 * @param {Expected[]} expected
 */
export function differing(replay, expected) {
  for (const { name, kind, data } of expected) {
    const buffer = replay.buffers.find((one) => one.name === name), want = bytesOf(data), size = TYPES[kind];
    if (!buffer) return `there is no buffer ${name}.`;
    const have = replay.memory.slice(buffer.at, buffer.at + want.length), known = replay.known.subarray(buffer.at, buffer.at + want.length), wrong = [];
    for (let k = 0; k < want.length; k += size) if (want.subarray(k, k + size).some((byte, n) => byte !== have[k + n] || !known[k + n])) wrong.push(k / size);
    if (!wrong.length) continue;
    const [at] = wrong, text = (/** @type {Uint8Array} */ bytes) => laneText(new DataView(bytes.buffer, bytes.byteOffset), at * size, kind);
    const is = known.subarray(at * size, at * size + size).includes(0) ? "has not been written" : `is ${text(have)}`;
    return `${name}[${at}] ${is}, expected ${text(want)}: ${wrong.length} of ${want.length / size} elements differ.`;
  }
}

/** That all of it is as expected. @param {Expected[]} expected */
export function expectedText(expected) {
  return expected.length ? `${expected.map(({ name, kind, data }) => `${name} is as expected (${bytesOf(data).length / TYPES[kind]} elements)`).join(", ")}.` : "";
}

/** A run as the cost models read it. @param {import("./live.js").Data} data */
export function recordOf({ header, columns }) {
  /** @type {[number, number][]} */
  const touches = [];
  let at = 0;
  for (const count of columns.access_count) {
    let low = 0, high = 0;
    for (let k = at; k < at + count; k++) {
      const first = header.buffers[columns.access_buffer[k]].address + columns.access_offset[k], end = first + columns.access_bytes[k];
      [low, high] = k === at ? [first, end] : [Math.min(low, first), Math.max(high, end)];
    }
    at += count;
    touches.push([low, high - low]);
  }
  return { pc: [...columns.pc], executed: [...columns.executed], touches };
}
