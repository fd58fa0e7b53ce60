// Element types, register names and numbers as text.

import { h } from "./dom.js";
import { isWritten, unwrittenText } from "./written.js";

/**
 * The element types a register can be read in, with their size in bytes.
 * @type {Object<string, number>}
 */
export const TYPES = { u8: 1, s8: 1, u16: 2, s16: 2, u32: 4, s32: 4, u64: 8, s64: 8, f32: 4, f16: 2, f64: 8, bf16: 2 };
export const CHOICES = ["auto", "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f16", "f64", "bf16", "hex", "bin"];
/** @type {Object<string, number>} digits of real numbers; those of 16 bits are told apart by n */
const DIGITS = { f16: 5, bf16: 4, f32: 6, f64: 10 };

/**
 * One lane as text.
 * @param {import("./written.js").Bytes} view
 * @param {number} at byte offset
 * @param {string} type a key of TYPES
 * @param {false|"hex"|"bin"} [digits] write the bits instead of the number
 * @returns {string}
 */
export function laneText(view, at, type, digits = false) {
  const size = TYPES[type];
  if (!isWritten(view, at, size)) return unwrittenText(view, at, size, digits);
  if (digits) {
    const bits = size === 8 ? view.getBigUint64(at, true)
      : size === 4 ? view.getUint32(at, true) : size === 2 ? view.getUint16(at, true) : view.getUint8(at);
    return digits === "bin" ? bits.toString(2).padStart(8 * size, "0") : bits.toString(16).padStart(2 * size, "0");
  }
  switch (type) {
    case "u8": return String(view.getUint8(at));
    case "s8": return String(view.getInt8(at));
    case "u16": return String(view.getUint16(at, true));
    case "s16": return String(view.getInt16(at, true));
    case "u32": return String(view.getUint32(at, true));
    case "s32": return String(view.getInt32(at, true));
    case "u64": return String(view.getBigUint64(at, true));
    case "s64": return String(view.getBigInt64(at, true));
    case "f16": case "bf16": case "f32": case "f64": return realText(laneNumber(view, at, type), DIGITS[type]);
  }
  throw new Error(`unknown element type ${type}`);
}

/**
 * One lane as a number; of 64 bits the upper 53 count. NaN where a byte of it has not been written.
 * @param {import("./written.js").Bytes} view @param {number} at @param {string} type
 */
export function laneNumber(view, at, type) {
  if (!isWritten(view, at, TYPES[type])) return NaN;
  switch (type) {
    case "u8": return view.getUint8(at);
    case "s8": return view.getInt8(at);
    case "u16": return view.getUint16(at, true);
    case "s16": return view.getInt16(at, true);
    case "u32": return view.getUint32(at, true);
    case "s32": return view.getInt32(at, true);
    case "u64": return Number(view.getBigUint64(at, true));
    case "s64": return Number(view.getBigInt64(at, true));
    case "f16": return half(view.getUint16(at, true));
    case "bf16": return brain(view.getUint16(at, true));
    case "f32": return view.getFloat32(at, true);
    case "f64": return view.getFloat64(at, true);
  }
  throw new Error(`unknown element type ${type}`);
}

/** A number with n digits, as short as they allow. @param {number} value @param {number} digits */
function realText(value, digits) {
  return value.toPrecision(digits).replace(/(\.\d*?)0+($|e)/, "$1$2").replace(/\.($|e)/, "$1");
}

/** The number that 16 bits of half precision are. @param {number} bits */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}

/** The number that 16 bits of BF16 are: the upper half of single precision. @param {number} bits */
function brain(bits) {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits * 65536);
  return view.getFloat32(0);
}

/** The bits of an element type as text: "16" of x16, s16, f16 and bf16. @param {string} type */
export function widthOf(type) {
  return type.replace(/^[bfsux]+/, "");
}

/** "x16" (sign does not matter) and unknown names get a type that can be printed. @param {string} type */
export function printable(type) {
  if (type in TYPES) return type;
  const plain = "u" + widthOf(type);
  return plain in TYPES ? plain : "u8";
}

/** numpy's name -> ours. @param {string} dtype @returns {string} */
export function dtypeName(dtype) {
  /** @type {Object<string, string>} */
  const names = { uint8: "u8", int8: "s8", uint16: "u16", int16: "s16", uint32: "u32", int32: "s32", uint64: "u64",
    int64: "s64", float32: "f32", float16: "f16", float64: "f64" };
  return names[dtype] ?? "u8";
}

/**
 * Where a register name lives: location of the trace, first byte in it and how many bytes.
 * @param {string} name "v3", "d17", "q4", "s5", "x0", "w3", "r7"
 * @param {boolean} a32
 * @returns {{location: string, offset: number, bytes: number}}
 */
export function locate(name, a32) {
  const kind = name[0], number = Number(name.slice(1));
  /** @type {Object<string, number>} */
  const sizes = { v: 16, q: 16, d: 8, s: 4, h: 2, b: 1, w: 4, x: 8, r: 4 };
  if (!/^[vqdshbwxr]\d+$/.test(name)) return { location: name, offset: 0, bytes: name === "sp" ? (a32 ? 4 : 8) : 1 };
  const bytes = sizes[kind];
  if (kind === "x" || kind === "w") return { location: "x" + number, offset: 0, bytes };
  if (kind === "r") return { location: name, offset: 0, bytes };
  if (!a32) return { location: "v" + number, offset: 0, bytes };
  const first = number * bytes;
  return { location: "q" + (first >> 4), offset: first & 15, bytes };
}

/** Where lane 0 stands unless the reader asks otherwise: as in neonsim/arm/semantics/lane_order.py, which says why. */
export const LANE0 = "right";

/**
 * Lanes, given from lane 0 on, as they stand on the page: the one place that knows which way round.
 * @template T
 * @param {T[]} lanes @param {string} lane0 "right" or "left" @returns {T[]}
 */
export function inOrder(lanes, lane0) {
  return lane0 === "right" ? [...lanes].reverse() : lanes;
}

/**
 * Lanes as text, which of them said in front: "lanes 3..0: -9 14 0 2".
 * @param {[lane: number, value: string][]} lanes from lane 0 on @param {string} lane0
 */
export function lanesText(lanes, lane0) {
  const there = inOrder(lanes, lane0), last = there.length - 1;
  const which = last > 0 ? `lanes ${there[0][0]}..${there[last][0]}` : `lane ${there[0][0]}`;
  return `${which}: ${there.map(([, value]) => value).join(" ")}`;
}

/**
 * Lanes as elements, each with its number.
 * @param {[lane: number, value: string][]} lanes from lane 0 on @param {string} lane0
 */
export function laneCells(lanes, lane0) {
  return inOrder(lanes, lane0).map(([lane, value]) => h("span", { class: "nsim-lane", "data-lane": String(lane) }, value));
}
