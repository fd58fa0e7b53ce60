// Values changed by hand, where the page has a machine of its own: which place a text names, what may be put there. The
// rules are those of neonsim/arm/machine/call/edits.py, which has the table of them.

import { parseExpression } from "./expression.js";
import { TYPES, dtypeName, laneText, locate } from "./format.js";
import { isWritten } from "./written.js";

/**
 * @typedef {import("./payload.js").Change} Change
 * @typedef {import("./state.js").Replay} Replay
 * @typedef {{said: string, bytes: number, low: bigint, high: bigint, real: boolean}} Kind how bytes are read as a value
 */

const FLAG_LETTERS = "vczn"; // from the lowest bit
/** @type {Object<string, number>} */
const BITS_OF = { b: 8, h: 16, s: 32, d: 64 };
const NAMED_PLACE = /^\s*([^[\]]+?)(?:\.([a-z]\d{0,2}))?\s*(?:\[([^[\]]*)\])?\s*$/i;
const LONGEST_PLACE = 200;

/** @param {string} name of an element type, or b h s d @returns {Kind} */
function kindOf(name) {
  const low = name.toLowerCase(), letter = BITS_OF[low];
  if (letter) return { said: `${letter} bits`, bytes: letter / 8, low: -(1n << BigInt(letter - 1)), high: (1n << BigInt(letter)) - 1n, real: false };
  if (!Object.hasOwn(TYPES, low)) throw new Error(`.${name} is not an element type: use b h s d, or s8 u8 s16 u16 s32 u32 s64 u64 f32 f64`);
  if (low === "f16" || low === "bf16") throw new Error(`${name} is not supported here. Write its bits into the lane, as u16`);
  const bits = 8 * TYPES[low], half = 1n << BigInt(bits - 1), signed = low[0] === "s";
  return { said: low, bytes: TYPES[low], low: signed ? -half : 0n, high: signed ? half - 1n : 2n * half - 1n, real: low[0] === "f" };
}

/** The bytes of a value. @param {Kind} kind @param {string} text @param {string} name */
function encoded(kind, text, name) {
  const bytes = new Uint8Array(kind.bytes), value = text.trim(), shown = value.slice(0, 60);
  if (kind.real) {
    if (value === "" || Number.isNaN(Number(value))) throw new Error(`${name} (${kind.said}) must be a number; got '${shown}'.`);
    if (kind.bytes === 4 && Number.isFinite(Number(value)) && !Number.isFinite(Math.fround(Number(value)))) throw new Error(`${name} (${kind.said}) must be -3.40282e+38 to 3.40282e+38; got ${shown}.`);
    const view = new DataView(bytes.buffer);
    if (kind.bytes === 8) view.setFloat64(0, Number(value), true);
    else view.setFloat32(0, Number(value), true);
    return [...bytes];
  }
  const found = value.length < LONGEST_PLACE ? /^([-+]?)(\d+|0x[0-9a-f]+|0b[01]+)$/i.exec(value) : null;
  if (!found) throw new Error(`${name} (${kind.said}) must be an integer; got '${shown}'.`);
  let number = BigInt(found[2]) * (found[1] === "-" ? -1n : 1n);
  if (number < kind.low || number > kind.high) throw new Error(`${name} (${kind.said}) must be ${kind.low} to ${kind.high}; got ${shown}.`);
  number = BigInt.asUintN(8 * kind.bytes, number);
  return Array.from(bytes, (_, k) => Number(number >> BigInt(8 * k) & 255n));
}

/** Bytes as one number. @param {ArrayLike<number>} data */
function numberOf(data) {
  return Array.from(data).reduceRight((sum, byte) => sum << 8n | BigInt(byte), 0n);
}

/** A general register as the pages show it. @param {bigint} value */
function coreText(value) {
  return value < 1_000_000n ? String(value) : `0x${value.toString(16)}`;
}

/**
 * The change that a name and a value mean at the step where the replay stands.
 * @param {Replay} replay @param {string} name @param {string} value @returns {Change} Throws an Error in the reader's words.
 */
export function changeOf(replay, name, value) {
  const said = name.trim(), found = said.length <= LONGEST_PLACE ? NAMED_PLACE.exec(said) : null;
  if (!found) throw new Error(`'${said.slice(0, 60)}' is not a register, a buffer or a lane: write v3.s[1], x2, n or c[0,3]`);
  const { step } = replay, [, base, type, index] = found;
  const buffer = replay.buffers.find((one) => one.name === base);
  if (buffer && index === undefined) throw new Error(`${said} is a buffer; name one of its elements, ${buffer.name}[0]`);
  if (buffer) {
    const kind = kindOf(type ?? dtypeName(buffer.dtype)), { place } = parseExpression(type && BITS_OF[type.toLowerCase()] ? said : type ? said : `${buffer.name}.${dtypeName(buffer.dtype)}[${index}]`, replay);
    if (replay.header.live?.regions[buffer.index].readonly) throw new Error(`${said}: ${buffer.name} is read-only in this run.`);
    const at = place?.at ?? 0, data = encoded(kind, value, said), shown = kind.real ? kind.said : signedOf(kind);
    return { step, name: said, was: writtenText(replay.memoryView, at, shown), now: textOf(data, shown), asked: value, location: null, buffer: buffer.index, offset: at - buffer.at, data };
  }
  const low = base.toLowerCase(), aliases = /** @type {Object<string, string>} */ (replay.a32 ? { sp: "r13", lr: "r14", ip: "r12", fp: "r11", sl: "r10" } : { lr: "x30", fp: "x29" });
  const register = aliases[low] ?? low, { location, offset, bytes } = locate(register, replay.a32), bit = type || index ? -1 : FLAG_LETTERS.indexOf(low);
  const home = replay.places.get(bit >= 0 && low.length === 1 ? "nzcv" : location);
  if (!home) throw new Error(`this run has no register or buffer ${said}`);
  const view = replay.nowView;
  if (bit >= 0 && low.length === 1) {
    const data = encoded({ said: "a flag", bytes: 1, low: 0n, high: 1n, real: false }, value, said);
    const was = isWritten(view, home.at, 1) ? String(view.getUint8(home.at) >> bit & 1) : "unwritten";
    return { step, name: said, was, now: String(data[0]), asked: value, location: home.index, buffer: null, offset: 0, data: [data[0] << bit] };
  }
  if (home.bytes < 16) {
    if (type || index !== undefined) throw new Error(`${said}: ${base} has no lanes; write ${base} alone`);
    const kind = home.bytes === 1 ? { said: home.name === "nzcv" ? "4 bits" : "a flag", bytes: 1, low: 0n, high: home.name === "nzcv" ? 15n : 1n, real: false }
      : { said: `${8 * bytes} bits`, bytes, low: -(1n << BigInt(8 * bytes - 1)), high: (1n << BigInt(8 * bytes)) - 1n, real: false };
    const data = encoded(kind, value, said);
    while (data.length < home.bytes) data.push(0); // the upper half of x2 becomes zero
    const was = isWritten(view, home.at, home.bytes) ? coreText(numberOf(replay.now.subarray(home.at, home.at + home.bytes))) : "unwritten";
    return { step, name: said, was, now: coreText(numberOf(data)), asked: value, location: home.index, buffer: null, offset: 0, data };
  }
  if (index === undefined && !type) {
    const kind = { said: `${8 * bytes} bits`, bytes, low: -(1n << BigInt(8 * bytes - 1)), high: (1n << BigInt(8 * bytes)) - 1n, real: false };
    const data = encoded(kind, value, said), at = home.at + offset;
    const was = isWritten(view, at, bytes) ? `0x${numberOf(replay.now.subarray(at, at + bytes)).toString(16)}` : "unwritten";
    return { step, name: said, was, now: `0x${numberOf(data).toString(16)}`, asked: value, location: home.index, buffer: null, offset, data };
  }
  const kind = kindOf(type ?? { 16: "s", 8: "s", 4: "s", 2: "h", 1: "b" }[bytes] ?? "s"), count = Math.floor(bytes / kind.bytes), lane = index === undefined ? 0 : Number(index);
  if (index === undefined && count > 1) throw new Error(`${said}: ${base} has lanes 0 to ${count - 1} of ${kind.said}: write ${base}.${type}[0]`);
  if (!/^\s*\d*\s*$/.test(index ?? "") || index === "" || lane >= count) throw new Error(`${said}: ${base} has lanes 0 to ${count - 1} of ${kind.said}.`);
  const from = offset + lane * kind.bytes, shown = kind.real ? kind.said : signedOf(kind), data = encoded(kind, value, said);
  return { step, name: said, was: writtenText(view, home.at + from, shown), now: textOf(data, shown), asked: value, location: home.index, buffer: null, offset: from, data };
}

/** The type that a value is shown in. @param {Kind} kind */
function signedOf({ low, bytes }) {
  return `${low < 0n ? "s" : "u"}${8 * bytes}`;
}

/** @param {import("./written.js").Bytes} view @param {number} at @param {string} type */
function writtenText(view, at, type) {
  return isWritten(view, at, TYPES[type]) ? laneText(view, at, type) : "unwritten";
}

/** @param {number[]} data @param {string} type */
function textOf(data, type) {
  return laneText(new DataView(Uint8Array.from(data).buffer), 0, type);
}

/** The bit of nzcv that a change names, -1 if it names none. @param {Change} change */
function flagBit({ name }) {
  return name.length === 1 ? FLAG_LETTERS.indexOf(name.toLowerCase()) : -1;
}

/** Whether a change is one of the flags n z c v. @param {Change} change */
export function isFlag(change) {
  return flagBit(change) >= 0;
}

/** Put a change of a register into its bytes. @param {Change} change @param {Uint8Array} bytes of the register */
export function putInto(change, bytes) {
  const bit = flagBit(change);
  if (bit >= 0) bytes[0] = bytes[0] & ~(1 << bit) | change.data[0];
  else bytes.set(change.data, change.offset);
}
