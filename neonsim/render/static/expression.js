// Small expressions over a run: v8.s[0], C[0,3], sum(v4.s16), x0 - x1. Parsed once, worked out at any step.

import { TYPES, laneText, locate } from "./format.js";
import { isWritten } from "./written.js";

/**
 * @typedef {import("./state.js").Replay} Replay
 * @typedef {import("./state.js").Sought & {name: string}} Target what a plain register or memory cell stands for, see Replay.writer
 * @typedef {{value: (replay: Replay) => number|number[], place?: Target}} Term
 * @typedef {Term & {text: string}} Expression
 * @typedef {{kind: "number"|"name"|"sign", text: string}} Token
 */

const PIECE = /\s*(?:(0x[0-9a-f]+|\d+(?:\.\d+)?)|([a-z_][\w]*)|(<<|>>|[-+*/%&|()[\],.]))/giy;
/** @type {Object<string, string>} */
const LETTERS = { b: "s8", h: "s16", s: "s32", d: "s64" };
/** @type {Object<number, string>} */
const SIGNED = { 8: "s64", 4: "s32", 2: "s16", 1: "s8" }; // by bytes
const LEVELS = [["|"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]];
/** @type {Object<string, (x: number, y: number) => number>} */
const OPERATORS = { "+": (x, y) => x + y, "-": (x, y) => x - y, "*": (x, y) => x * y, "/": (x, y) => x / y,
  "%": (x, y) => x % y, "<<": (x, y) => x * 2 ** y, ">>": (x, y) => Math.floor(x / 2 ** y),
  "&": (x, y) => Number(BigInt.asUintN(64, BigInt(x)) & BigInt.asUintN(64, BigInt(y))),
  "|": (x, y) => Number(BigInt.asUintN(64, BigInt(x)) | BigInt.asUintN(64, BigInt(y))) };
/** @type {Object<string, (list: number[]) => number>} */
const FUNCTIONS = { sum: (list) => list.reduce((x, y) => x + y, 0), min: (list) => Math.min(...list),
  max: (list) => Math.max(...list), abs: ([x]) => Math.abs(x) };
const DEEP = 40;

/**
 * @param {string} text
 * @param {Replay} replay the run it is about
 * @returns {Expression} Throws an Error in the reader's words.
 */
export function parseExpression(text, replay) {
  const tokens = tokensOf(text);
  let at = 0, depth = 0;
  const peek = () => tokens[at]?.text;
  /** @param {string} [wanted] @returns {Token} undefined at the end, which what comes next refuses */
  const take = (wanted) => {
    if (wanted !== undefined && peek() !== wanted) throw new Error(`expected ${wanted} ${peek() ? `before ${peek()}` : "at the end"}`);
    return tokens[at++];
  };
  /** @param {number} k @returns {Term} */
  const level = (k) => {
    if (k === LEVELS.length) return unary();
    let left = level(k + 1);
    while (LEVELS[k].includes(peek())) {
      const work = OPERATORS[take().text], x = left, y = level(k + 1);
      left = { value: (r) => work(single(x.value(r)), single(y.value(r))) };
    }
    return left;
  };
  /** @returns {Term} */
  const unary = () => {
    if (++depth > DEEP) throw new Error("too many brackets");
    try {
      if (peek() === "-") {
        take();
        const of = unary();
        return { value: (r) => -single(of.value(r)) };
      }
      return primary();
    } finally { depth--; }
  };
  /** @returns {Term} */
  const primary = () => {
    const token = take();
    if (!token) throw new Error("something is missing at the end");
    if (token.text === "(") {
      const inner = level(0);
      take(")");
      return inner;
    }
    if (token.kind === "number") return { value: () => Number(token.text) };
    if (token.kind !== "name") throw new Error(`${token.text} is out of place`);
    if (peek() === "(") return call(token.text);
    const kind = peek() === "." ? (take(), take()?.text ?? "") : "", index = peek() === "[" ? indices() : [];
    const buffer = replay.buffers.find(({ name }) => name === token.text);
    return buffer ? cell(buffer, index) : register(token.text, kind, index);
  };
  const indices = () => {
    /** @type {Term[]} */
    const list = [];
    take("[");
    do list.push(level(0)); while (peek() === "," && take());
    take("]");
    return list.map((one) => single(one.value(replay))); // constants: a place does not move
  };
  /** @param {string} name @returns {Term} */
  const call = (name) => {
    const work = FUNCTIONS[name];
    if (!work) throw new Error(`${name} is no function here: ${Object.keys(FUNCTIONS).join(", ")}`);
    /** @type {Term[]} */
    const list = [];
    take("(");
    do list.push(level(0)); while (peek() === "," && take());
    take(")");
    return { value: (r) => work(list.flatMap((one) => one.value(r))) };
  };
  /** @param {import("./state.js").BufferPlace} buffer @param {number[]} index @returns {Term} */
  const cell = (buffer, index) => {
    const { type } = buffer, size = TYPES[type], total = Math.floor(buffer.nbytes / size);
    const skipped = Math.floor(buffer.skipped / size); // of a large buffer only some rows were recorded
    /** @param {number} k @returns {(r: Replay) => number} */
    const read = (k) => (r) => Number(laneText(r.memoryView, buffer.at + k * size, type));
    if (!index.length) return { value: (r) => Array.from({ length: total }, (_, k) => read(k)(r)) };
    const element = (index.length > 1 ? index[0] * buffer.columns + index[1] : index[0]) - skipped;
    if (!Number.isInteger(element) || element < 0 || element >= total || (index.length > 1 && index[1] >= buffer.columns)) {
      throw new Error(`${buffer.name}[${index}] is outside what was recorded of ${buffer.name}`);
    }
    return { value: read(element), place: { at: buffer.at + element * size, bytes: size, name: `${buffer.name}[${index}]` } };
  };
  /** @param {string} name @param {string} kind @param {number[]} index @returns {Term} */
  const register = (name, kind, index) => {
    const { location, offset, bytes } = locate(name.toLowerCase(), replay.a32), home = replay.places.get(location);
    if (!home) throw new Error(`${name} is no register or buffer of this run (buffers: ${replay.buffers.map((b) => b.name).join(", ") || "none"})`);
    const place = { index: home.index, name };
    if (!/^[vqdshb]\d/i.test(name)) {
      return { place, value: (r) => (!isWritten(r.nowView, home.at, bytes) ? NaN : Number(home.bytes === 8 && bytes === 8 ? r.nowView.getBigInt64(home.at, true)
        : home.bytes === 1 ? r.nowView.getUint8(home.at) : r.nowView.getInt32(home.at, true))) };
    }
    const type = LETTERS[kind] ?? (kind === "" ? SIGNED[bytes] ?? "s32" : kind);
    if (!(type in TYPES)) throw new Error(`.${kind} is no element type: b h s d (signed), or u8 s16 f32 ...`);
    const size = TYPES[type], count = bytes / size;
    /** @param {number} k @returns {(r: Replay) => number} */
    const read = (k) => (r) => Number(laneText(r.nowView, home.at + offset + k * size, type));
    if (count < 1) throw new Error(`${name} has ${8 * bytes} bits, ${type} needs ${8 * size}`);
    if (!index.length) return { place, value: (r) => (count === 1 ? read(0)(r) : Array.from({ length: count }, (_, k) => read(k)(r))) };
    if (!Number.isInteger(index[0]) || index[0] < 0 || index[0] >= count) throw new Error(`${name} has lanes 0 to ${count - 1} of ${type}`);
    return { place: { ...place, name: `${name}.${kind || type}[${index[0]}]` }, value: read(index[0]) };
  };
  const whole = level(0);
  if (at < tokens.length) throw new Error(`${peek()} is out of place`);
  return { text: text.trim(), ...whole };
}

/** @param {string} text */
function tokensOf(text) {
  /** @type {Token[]} */
  const tokens = [];
  if (text.length > 200) throw new Error("that is too long for a watch");
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < text.trimEnd().length) {
    const from = PIECE.lastIndex, match = PIECE.exec(text);
    if (!match) throw new Error(`${text.slice(from).trim()[0]} means nothing here`);
    tokens.push({ kind: match[1] ? "number" : match[2] ? "name" : "sign", text: match[1] ?? match[2] ?? match[3] });
  }
  if (!tokens.length) throw new Error("write something like v8.s[0], C[0,3] or sum(v4.s16)");
  return tokens;
}

/** @param {number|number[]} value */
function single(value) {
  if (Array.isArray(value)) throw new Error("a whole register has several values: name a lane, or take sum, min or max");
  return value;
}
