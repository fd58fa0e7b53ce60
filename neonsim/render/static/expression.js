// Small expressions over a run: v8.s[0], C[0,3], sum(v4.s16), x2 == 8 && line == 12. Parsed once, worked out at any step.
// The grammar is written down in neonsim/render/stepper/expression.py, its twin for terminals; both pass one table of tests.

import { TYPES, laneNumber, locate } from "./format.js";
import { isWritten } from "./written.js";

/**
 * What a plain register or memory cell stands for, see Replay.writer; `lane`: which bytes of the register, if not all.
 * @typedef {import("./state.js").Sought & {name: string, lane?: {from: number, bytes: number}}} Target
 *
 * What a value depends on: locations by index, bytes of memory; `moves`: it may be another at every step.
 * @typedef {{registers: Set<number>, memory: {at: number, bytes: number}[], moves: boolean}} Uses
 *
 * @typedef {import("./state.js").Replay} Replay
 * @typedef {{value: (replay: Replay) => number|number[], place?: Target}} Term
 * @typedef {Term & {text: string, uses: Uses}} Expression
 * @typedef {{kind: "number"|"name"|"sign"|"end", text: string, at: number}} Token `at`: which character, from 1
 */

const PIECE = /\s*(?:(0x[0-9a-f]+|\d+(?:\.\d+)?)|([a-z_][\w]*)|(<<|>>|&&|\|\||==|!=|<=|>=|[-+*/%&|()[\],.<>!]))/giy;
/** @type {Object<string, string>} */
const LETTERS = { b: "s8", h: "s16", s: "s32", d: "s64" };
/** @type {Object<number, string>} */
const SIGNED = { 8: "s64", 4: "s32", 2: "s16", 1: "s8" }; // by bytes
const LEVELS = [["||"], ["&&"], ["==", "!="], ["<", "<=", ">", ">="], ["|"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]];
/** @param {number} value */
const whole = (value) => (Number.isFinite(value) ? BigInt.asUintN(64, BigInt(Math.trunc(value))) : 0n);
/** @type {Object<string, (x: number, y: number) => number>} */
const OPERATORS = { "+": (x, y) => x + y, "-": (x, y) => x - y, "*": (x, y) => x * y, "/": (x, y) => x / y,
  "%": (x, y) => x % y, "<<": (x, y) => x * 2 ** y, ">>": (x, y) => Math.floor(x / 2 ** y),
  "&": (x, y) => Number(whole(x) & whole(y)), "|": (x, y) => Number(whole(x) | whole(y)),
  "==": (x, y) => Number(x === y), "!=": (x, y) => Number(x !== y), "<": (x, y) => Number(x < y),
  "<=": (x, y) => Number(x <= y), ">": (x, y) => Number(x > y), ">=": (x, y) => Number(x >= y),
  "&&": (x, y) => Number(x !== 0 && y !== 0), "||": (x, y) => Number(x !== 0 || y !== 0) };
/** @type {Object<string, (list: number[]) => number>} */
const FUNCTIONS = { sum: (list) => list.reduce((x, y) => x + y, 0), min: (list) => Math.min(...list),
  max: (list) => Math.max(...list), abs: ([x]) => Math.abs(x) };
/** @type {Object<string, (replay: Replay) => number>} */
const PLACES = { step: (r) => r.step, pc: (r) => r.nextPc, line: (r) => r.header.instructions[r.nextPc]?.line ?? 0 };
const FLAG_BITS = "vczn"; // from the lowest
const DEEP = 40, LONGEST_TEXT = 200;

/**
 * @param {string} text
 * @param {Replay} replay the run it is about
 * @param {number} [before] characters in front of the text, which the positions in messages count too
 * @returns {Expression} Throws an Error in the reader's words.
 */
export function parseExpression(text, replay, before = 0) {
  const tokens = tokensOf(text, before);
  /** @type {Uses} */
  let uses = { registers: new Set(), memory: [], moves: false };
  let at = 0, depth = 0;
  const next = () => tokens[at];
  const take = () => (next().kind === "end" ? next() : tokens[at++]);
  /** @param {string} sign */
  const expect = (sign) => {
    const { text: found, kind, at: where } = next();
    if (found !== sign || kind === "end") throw wrongAt(where, `expected ${sign} ${kind === "end" ? "at the end" : `before ${found}`}`);
    take();
  };
  /** @param {number} k @returns {Term} */
  const level = (k) => {
    if (k === LEVELS.length) return unary();
    const from = next().at;
    let left = level(k + 1);
    while (next().kind === "sign" && LEVELS[k].includes(next().text)) {
      const work = OPERATORS[take().text], x = left, there = next().at, y = level(k + 1);
      left = { value: (r) => work(single(x.value(r), from), single(y.value(r), there)) };
    }
    return left;
  };
  /** @returns {Term} */
  const unary = () => {
    if (++depth > DEEP) throw wrongAt(next().at, "too many brackets");
    try {
      const { text: sign, kind } = next();
      if (kind !== "sign" || (sign !== "-" && sign !== "!")) return primary();
      take();
      const there = next().at, of = unary();
      return { value: (r) => (sign === "-" ? -single(of.value(r), there) : Number(single(of.value(r), there) === 0)) };
    } finally { depth--; }
  };
  /** @returns {Term} */
  const primary = () => {
    const token = take();
    if (token.kind === "end") throw wrongAt(token.at, "something is missing at the end");
    if (token.text === "(") {
      const inner = level(0);
      expect(")");
      return inner;
    }
    if (token.kind === "number") return { value: () => Number(token.text) };
    if (token.kind !== "name") throw wrongAt(token.at, `${token.text} is out of place`);
    if (next().text === "(") return call(token);
    const buffer = replay.buffers.find(({ name }) => name === token.text);
    if (next().text !== "." && next().text !== "[" && !buffer && Object.hasOwn(PLACES, token.text)) {
      uses.moves = true;
      return { value: PLACES[token.text] };
    }
    let kind = "";
    if (next().text === ".") {
      take();
      const letter = take();
      if (letter.kind !== "name") throw wrongAt(letter.at, "an element type is missing after the dot: b h s d (signed), or u8 s16 f32 ...");
      kind = letter.text;
    }
    const index = next().text === "[" ? indices() : [];
    return buffer ? cell(buffer, kind, index, token) : register(token, kind, index);
  };
  const indices = () => {
    /** @type {number[]} */
    const list = [];
    take();
    do {
      const from = next().at;
      list.push(single(level(0).value(replay), from)); // constants: a place does not move
    } while (next().text === "," && take());
    expect("]");
    return list;
  };
  /** @param {Token} token @returns {Term} */
  const call = (token) => {
    if (!Object.hasOwn(FUNCTIONS, token.text)) throw wrongAt(token.at, `${token.text} is no function here: ${Object.keys(FUNCTIONS).join(", ")}`);
    const work = FUNCTIONS[token.text];
    /** @type {Term[]} */
    const list = [], outside = uses;
    uses = { registers: new Set(), memory: [], moves: false };
    take();
    do list.push(level(0)); while (next().text === "," && take());
    expect(")");
    const inside = uses, value = (/** @type {Replay} */ r) => work(list.flatMap((one) => one.value(r)));
    uses = { registers: new Set([...outside.registers, ...inside.registers]), memory: [...outside.memory, ...inside.memory], moves: outside.moves || inside.moves };
    if (inside.moves || inside.registers.size) return { value };
    // Of memory alone: worked out again when something has been stored.
    let known = NaN, stores = -1;
    return { value: (r) => {
      if (r.stores.start[r.step] !== stores) (known = value(r), stores = r.stores.start[r.step]);
      return known;
    } };
  };
  /** @param {import("./state.js").BufferPlace} buffer @param {string} kind @param {number[]} index @param {Token} token @returns {Term} */
  const cell = (buffer, kind, index, token) => {
    const type = LETTERS[kind] ?? (kind || buffer.type);
    if (!Object.hasOwn(TYPES, type)) throw wrongAt(token.at, `.${kind} is not an element type: use b h s d (signed), or u8 s16 f32 ...`);
    const name = kind ? `${buffer.name}.${kind}` : buffer.name, size = TYPES[type], total = Math.floor(buffer.nbytes / size), wide = Math.floor(buffer.columns * TYPES[buffer.type] / size) || 1;
    const skipped = Math.floor(buffer.skipped / size); // of a large buffer only some rows were recorded
    /** @param {number} k @returns {(r: Replay) => number} */
    const read = (k) => (r) => laneNumber(r.memoryView, buffer.at + k * size, type);
    if (!index.length) {
      const all = { at: buffer.at, bytes: buffer.nbytes };
      uses.memory.push(all);
      return { value: (r) => Array.from({ length: total }, (_, k) => read(k)(r)), place: { ...all, name: buffer.name } };
    }
    const element = (index.length > 1 ? index[0] * wide + index[1] : index[0]) - skipped;
    if (!Number.isInteger(element) || element < 0 || element >= total || index.length > 2 || (index.length > 1 && (index[1] < 0 || index[1] >= wide))) {
      throw wrongAt(token.at, `${name}[${index}] is outside the recorded part of ${buffer.name}`);
    }
    const one = { at: buffer.at + element * size, bytes: size };
    uses.memory.push(one);
    return { value: read(element), place: { ...one, name: `${name}[${index}]` } };
  };
  /** @param {Token} token @param {string} kind @param {number[]} index @returns {Term} */
  const register = ({ text: name, at: where }, kind, index) => {
    const { location, offset, bytes } = locate(name.toLowerCase(), replay.a32), home = replay.places.get(location);
    if (!home) {
      throw wrongAt(where, `${name} is not a register or buffer of this run (buffers: ${replay.buffers.map((b) => b.name).join(", ") || "none"})`);
    }
    uses.registers.add(home.index);
    /** @type {Target} */
    const place = { index: home.index, name, lane: bytes < home.bytes ? { from: offset, bytes } : undefined };
    if (!/^[vqdshb]\d/i.test(name)) {
      const bit = location === "nzcv" ? FLAG_BITS.indexOf(kind || "-") : -1;
      if (bit >= 0 && !index.length) return { place, value: (r) => (isWritten(r.nowView, home.at, 1) ? (r.nowView.getUint8(home.at) >> bit) & 1 : NaN) };
      if (kind || index.length) throw wrongAt(where, location === "nzcv" ? "the flags are nzcv.n, nzcv.z, nzcv.c and nzcv.v" : `${name} is one number and has no lanes`);
      return { place, value: (r) => (!isWritten(r.nowView, home.at, bytes) ? NaN : home.bytes === 8 && bytes === 8 ? Number(r.nowView.getBigInt64(home.at, true))
        : home.bytes === 1 ? r.nowView.getUint8(home.at) : r.nowView.getInt32(home.at, true)) };
    }
    const type = LETTERS[kind] ?? (kind === "" ? SIGNED[bytes] ?? "s32" : kind);
    if (!Object.hasOwn(TYPES, type)) throw wrongAt(where, `.${kind} is not an element type: use b h s d (signed), or u8 s16 f32 ...`);
    const size = TYPES[type], count = bytes / size;
    /** @param {number} k @returns {(r: Replay) => number} */
    const read = (k) => (r) => laneNumber(r.nowView, home.at + offset + k * size, type);
    if (count < 1) throw wrongAt(where, `${name} has ${8 * bytes} bits, ${type} needs ${8 * size}`);
    if (!index.length) return { place, value: (r) => (count === 1 ? read(0)(r) : Array.from({ length: count }, (_, k) => read(k)(r))) };
    if (index.length > 1 || !Number.isInteger(index[0]) || index[0] < 0 || index[0] >= count) throw wrongAt(where, `${name} has lanes 0 to ${count - 1} of ${type}`);
    return { place: { ...place, name: `${name}.${kind || type}[${index[0]}]`, lane: { from: offset + index[0] * size, bytes: size } }, value: read(index[0]) };
  };
  const all = level(0);
  if (next().kind !== "end") throw wrongAt(next().at, `${next().text} is out of place`);
  return { text: text.trim(), uses, ...all };
}

/** @param {string} text @param {number} before @returns {Token[]} */
function tokensOf(text, before) {
  /** @type {Token[]} */
  const tokens = [];
  if (text.length + before > LONGEST_TEXT) throw new Error(`the text is too long; the limit is ${LONGEST_TEXT} characters`);
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < text.trimEnd().length) {
    const from = PIECE.lastIndex, match = PIECE.exec(text);
    if (!match) {
      const bad = text.slice(from).search(/\S/) + from;
      throw wrongAt(before + bad + 1, text[bad] === "=" ? "= is not valid here: == compares" : `${text[bad]} is not valid here`);
    }
    const found = match[1] ?? match[2] ?? match[3];
    tokens.push({ kind: match[1] ? "number" : match[2] ? "name" : "sign", text: found, at: before + PIECE.lastIndex - found.length + 1 });
  }
  const end = before + text.trimEnd().length + 1;
  if (!tokens.length) throw wrongAt(end, "write something like v8.s[0], C[0,3], sum(v4.s16) or x2 == 8");
  return [...tokens, { kind: "end", text: "", at: end }];
}

/** @param {number} at @param {string} what is wrong there */
export function wrongAt(at, what) {
  return new Error(`character ${at}: ${what}`);
}

/** @param {number|number[]} value @param {number} at */
function single(value, at) {
  if (Array.isArray(value)) throw wrongAt(at, "a whole register has several values. Name a lane, or use sum, min or max");
  return value;
}
