// The recorded run as it arrives: "NEON" | version | length of the header | JSON header | binary columns.
// Written by neonsim/render/stepper/payload.py, which describes every field.

const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i2: Int16Array, i4: Int32Array, f4: Float32Array };
export const PAYLOAD_VERSION = 2;

/**
 * The fields of the header, as payload.py describes them.
 * @typedef {[register: string, element: string, lane: number]} LaneName
 * @typedef {[register: string, element: string, lane: number, arithmetic: string, sources: LaneName[]]} LaneFlow
 * @typedef {[role: string, register: string, lanes: [element: string, first: number, count: number]|null]} Use
 * @typedef {{text: string, line: number, doc: string, rule: string, manual: number, macs: number|null,
 *   element: string|null, condition: string|null, target: number|null, reads: Use[], writes: Use[]}} Instruction
 * @typedef {{number: number, text: string, pcs: number[]}} CodeLine
 * @typedef {{name: string, address: number, nbytes: number, skipped: number, size: number, dtype: string,
 *   shape: number[], columns: number, type: string, typed: boolean}} BufferInfo
 * @typedef {{state: string, prefetch: boolean, line: number, sets: number, ways: number, sets2: number, ways2: number}} Caches
 * @typedef {{core: string, cycles: number, units: string[], reasons: string[], caches: Caches|null}} Timing
 * @typedef {{said: string, results: string[], followed: boolean,
 *   every: [left: number, right: number, begins: number, text: string][]}} Differs of a run beside another
 * @typedef {{step: number, name: string, was: string, now: string, location: number|null, buffer: number|null, offset: number,
 *   data: number[], asked?: string}} Change `asked`: the value as it was typed in this page
 * @typedef {{isa: string, title: string, steps: number, first: number, locations: string[],
 *   names: Object<string, string>, instructions: Instruction[], code: CodeLine[], source: string|null,
 *   manual: string[], warnings: [instruction: number, text: string][], changes: Change[], flows: LaneFlow[][], flow_of: number[],
 *   buffers: BufferInfo[], timing: Timing|null, differs: Differs|null,
 *   live?: import("./live.js").LiveRun}} Header
 */

/**
 * The columns; the cycles, unit and reason are there when the header has a timing, those behind them when it has caches.
 * @typedef {{initial: Uint8Array<ArrayBuffer>, memory: Uint8Array<ArrayBuffer>,
 *   known: Uint8Array<ArrayBuffer>, registers_known: Uint8Array<ArrayBuffer>, learned_step: Uint32Array, learned_at: Uint32Array,
 *   learned_bytes: Uint32Array, learned_known: Uint8Array, memory_learned_step: Uint32Array, memory_learned_at: Uint32Array,
 *   memory_learned_bytes: Uint32Array, memory_learned_known: Uint8Array, pc: Uint32Array,
 *   executed: Uint8Array, write_count: Uint16Array, write_location: Uint16Array, write_data: Uint8Array,
 *   access_count: Uint16Array, access_buffer: Uint16Array, access_offset: Int32Array, access_bytes: Uint16Array,
 *   access_store: Uint8Array, store_data: Uint8Array, start_cycle: Uint32Array, issue_cycle: Uint32Array,
 *   done_cycle: Uint32Array, unit: Uint16Array, reason: Uint16Array, access_found: Uint8Array, touch_step: Uint32Array,
 *   touch_line: Uint32Array, touch_what: Uint8Array, touch_way: Uint8Array, touch_out: Uint32Array, touch_out2: Uint32Array,
 *   first_line: Uint32Array, first_way: Uint8Array, first_line2: Uint32Array}} Columns
 */

/** @typedef {ArrayBuffer} Payload a recorded run */
/** @typedef {{header: Header, columns: Columns}} Parsed the same, taken apart */

/** @param {Payload|Parsed} source @returns {Parsed} */
export function parsePayload(source) {
  if ("header" in source) return source;
  const bytes = new Uint8Array(source);
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic !== "NEON") throw new Error("This is not a recorded run of neonsim: its first bytes are wrong.");
  const view = new DataView(source);
  const version = view.getUint32(4, true);
  if (version !== PAYLOAD_VERSION) {
    throw new Error(`The recorded run has format ${version}, but this page reads ${PAYLOAD_VERSION}. Record it again.`);
  }
  const length = view.getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length)));
  const body = bytes.subarray(12 + length);
  if (!header.columns) throw new Error("The recorded run has no columns.");
  /** @type {Object<string, any>} */
  const columns = {};
  /** @type {[string, [keyof typeof ARRAYS, number, number]][]} */
  const entries = Object.entries(header.columns);
  for (const [name, [kind, offset, count]] of entries) {
    const Kind = ARRAYS[kind];
    if (!Kind || offset + count * Kind.BYTES_PER_ELEMENT > body.length) throw new Error("The recorded run is truncated.");
    // A copy, because a typed array must start at a multiple of its element size.
    columns[name] = new Kind(body.slice(offset, offset + count * Kind.BYTES_PER_ELEMENT).buffer);
  }
  return { header, columns: /** @type {Columns} */ (columns) };
}

/** @param {BlobPart} packed a gzip file. @returns {Promise<ArrayBuffer>} */
export async function gunzip(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** @param {string} text base64 of a gzip file. @returns {Promise<ArrayBuffer>} */
export async function gunzipBase64(text) {
  return gunzip(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
}
