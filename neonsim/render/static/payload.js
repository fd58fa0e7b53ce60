// The recorded run as it arrives: "NEON" | version | length of the header | JSON header | binary columns.
// Written by neonsim/render/payload.py, which describes every field.

const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i2: Int16Array, i4: Int32Array, f4: Float32Array };
export const PAYLOAD_VERSION = 1;

/**
 * @param {ArrayBuffer|DataView|Uint8Array} source
 * @returns {{header: any, columns: Object<string, any>}}
 */
export function parsePayload(source) {
  const bytes = source instanceof ArrayBuffer ? new Uint8Array(source)
    : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic !== "NEON") throw new Error("This is no recorded run of neonsim (wrong first bytes).");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4, true);
  if (version !== PAYLOAD_VERSION) {
    throw new Error(`The recorded run has format ${version}, this page reads ${PAYLOAD_VERSION}: record it again.`);
  }
  const length = view.getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length)));
  const body = bytes.subarray(12 + length);
  if (!header.columns) throw new Error("The recorded run names no columns.");
  const columns = {};
  for (const [name, [kind, offset, count]] of Object.entries(header.columns)) {
    const Kind = ARRAYS[kind];
    if (!Kind || offset + count * Kind.BYTES_PER_ELEMENT > body.length) throw new Error("The recorded run is cut short.");
    // A copy, because a typed array must start at a multiple of its element size and a widget's bytes need not.
    columns[name] = new Kind(body.slice(offset, offset + count * Kind.BYTES_PER_ELEMENT).buffer);
  }
  return { header, columns };
}

/** @param {string} text base64 of a gzip file. @returns {Promise<ArrayBuffer>} */
export async function gunzipBase64(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
