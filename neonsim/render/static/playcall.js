// One call of the playground: what the worker sends of it, what it left beside what was expected, and its record for the cost models.

import { laneText, TYPES } from "./format.js";
import { Replay } from "./state.js";

/** @typedef {{name: string, kind: string, data: string}} Expected a buffer, an element type, bytes in base64 */

/** A run as it has ended. @param {import("./live.js").Data} data */
export function atEnd(data) {
  const replay = new Replay(data);
  replay.goto(replay.steps);
  return replay;
}

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

/** Registers that the callee must give back as they were, and did not. @param {import("./live.js").Live} live */
export function altered({ live, data }) {
  const { now, locations } = atEnd(data);
  return (live.keeps ?? []).filter(([, slot, first, bytes]) => {
    const at = locations[slot].at + first;
    return now.subarray(at, at + bytes).some((byte, k) => byte !== data.columns.initial[at + k]);
  }).map(([name]) => name);
}

/** A run as the cost models read it. @param {import("./live.js").Data} data */
export function recordOf({ header, columns }) {
  /** @type {[address: number, bytes: number, store: number][][]} */
  const accesses = [];
  let at = 0;
  for (const count of columns.access_count) {
    accesses.push(Array.from({ length: count }, (_, k) => [header.buffers[columns.access_buffer[at + k]].address + columns.access_offset[at + k], columns.access_bytes[at + k], columns.access_store[at + k]]));
    at += count;
  }
  const buffers = header.buffers.map(({ name, address, nbytes, skipped }) => ({ name, address, nbytes, skipped }));
  return { pc: [...columns.pc], executed: [...columns.executed], accesses, buffers };
}
