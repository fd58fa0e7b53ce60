// What a word of the program means: the manual's line of a mnemonic, a register's value now and who wrote it last.

import { elementOf, h, setText } from "./dom.js";
import { TYPES, inOrder, laneText, locate } from "./format.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {{word: HTMLElement, holder: Element, keys: boolean}} Shown `holder` has the focus and is described by the tip
 */

const WORDS = ".nsim-mnemonic, .nsim-register, .nsim-name, .nsim-term b";
const OPENS_AFTER = 350, CLOSES_AFTER = 250; // milliseconds
const APART = 6, BORDER = 4; // pixels
/** @type {Object<string, string[]>} */
const ALIASES = { lr: ["x30", "r14"], fp: ["x29", "r11"], ip: ["x16", "r12"], wsp: ["sp", "sp"] };

export class Hover {
  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    /** @type {Shown|null} */
    this.shown = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    this.turn = 0; // which word of a line the keyboard has asked for
    this.asked = ""; // the line
    this.element = h("div", { class: "nsim-tip", role: "tooltip", id: `${app.id}-tip`, popover: "manual",
      onpointerover: () => clearTimeout(this.timer), onpointerleave: () => this.later(null) });
    this.listeners = new AbortController();
    const { el } = app, { signal } = this.listeners;
    el.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") this.point(elementOf(event)); }, { signal });
    el.addEventListener("pointerleave", () => this.later(null), { signal });
    el.addEventListener("focusin", (event) => { if (elementOf(event).matches(".nsim-name:focus-visible")) this.open(elementOf(event), elementOf(event), true); }, { signal });
    el.addEventListener("focusout", (event) => { if (!this.element.contains(/** @type {Node|null} */ (event.relatedTarget))) this.close(); }, { signal });
    // A finger cannot hover: a tap on a word asks what it is, beside the words it runs to the line as a click does.
    el.addEventListener("click", (event) => this.tap(event), { signal, capture: true });
    el.addEventListener("keydown", (event) => this.key(event), { signal, capture: true });
    document.addEventListener("scroll", (event) => { if (this.shown && !this.element.contains(/** @type {Node} */ (event.target))) this.close(); }, { signal, capture: true });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); }, { signal });
    document.addEventListener("pointerdown", (event) => { if (!this.element.contains(/** @type {Node} */ (event.target))) this.close(); }, { signal, capture: true });
  }

  /** The mouse is over an element. @param {HTMLElement} at */
  point(at) {
    if (this.element.contains(at)) return;
    const word = /** @type {HTMLElement|null} */ (at.closest(WORDS));
    if (word && word === this.shown?.word) clearTimeout(this.timer);
    else this.later(word);
  }

  /** After a moment, as the mouse may only pass. @param {HTMLElement|null} word */
  later(word) {
    clearTimeout(this.timer);
    if (!word && (!this.shown || this.shown.keys)) return;
    this.timer = setTimeout(() => { if (word) this.open(word, word, false); else this.close(); }, word && !this.shown ? OPENS_AFTER : CLOSES_AFTER);
  }

  /** @param {MouseEvent} event */
  tap(event) {
    const word = /** @type {HTMLElement|null} */ (elementOf(event).closest(WORDS));
    if (/** @type {PointerEvent} */ (event).pointerType !== "touch" || !word?.closest(".nsim-line, .nsim-what")) return;
    event.stopPropagation();
    if (!this.open(word, word, false)) return;
    const { code } = this.app, row = code.lines.findIndex(({ element }) => element.contains(word));
    if (row < 0) return;
    this.element.append(h("p", {}, h("button", { type: "button", onclick: () => { this.close(); code.point(row); this.app.runTo(row); } }, `run to line ${code.lines[row].number}`)));
    this.place(word);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.shown) return;
    const link = this.element.querySelector("button");
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && this.shown.keys && link && !elementOf(event).matches("button")) link.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** By keyboard: the words of the chosen line, one after the other. */
  next() {
    const { code, replay } = this.app, row = code.cursor >= 0 ? code.cursor : code.lineOf[replay.pc] ?? code.lineOf[replay.nextPc];
    /** @type {HTMLElement[]} */
    const words = [...code.lines[row]?.element.querySelectorAll(WORDS) ?? []].map((word) => /** @type {HTMLElement} */ (word));
    const line = String(row);
    this.turn = line === this.asked && this.shown ? this.turn + 1 : 0;
    this.asked = line;
    for (let tried = 0; tried < words.length; tried++, this.turn++) {
      const holder = this.app.el.contains(document.activeElement) && document.activeElement || this.app.el;
      if (this.open(words[this.turn % words.length], holder, true)) return setText(this.app.live, this.element.textContent ?? "");
    }
  }

  /** @param {HTMLElement} word @param {Element} holder @param {boolean} keys @returns {boolean} whether there is something to say */
  open(word, holder, keys) {
    clearTimeout(this.timer);
    const content = word.isConnected ? this.content(word, keys) : [];
    this.close();
    if (!content.length) return false;
    this.shown = { word, holder, keys };
    this.element.replaceChildren(...content);
    this.element.showPopover?.();
    holder.setAttribute("aria-describedby", this.element.id);
    word.classList.add("nsim-asked");
    this.place(word);
    return true;
  }

  /** Below the word, or above it; in the window. @param {HTMLElement} word */
  place(word) {
    const { style } = this.element, zoom = Number(this.app.size) || 1, at = word.getBoundingClientRect();
    style.left = style.top = "0";
    const { width, height } = this.element.getBoundingClientRect(), { clientWidth, clientHeight } = document.documentElement;
    const below = at.bottom + APART + height <= clientHeight || at.top < height + APART;
    style.left = `${Math.max(BORDER, Math.min(at.left, clientWidth - width - BORDER)) / zoom}px`;
    style.top = `${Math.max(BORDER, below ? Math.min(at.bottom + APART, clientHeight - height - BORDER) : at.top - APART - height) / zoom}px`;
  }

  close() {
    clearTimeout(this.timer);
    if (!this.shown) return;
    this.shown.holder.removeAttribute("aria-describedby");
    this.shown.word.classList.remove("nsim-asked");
    this.shown = null;
    this.element.hidePopover?.();
  }

  /** What to say about a word; nothing if it is no word of this run. @param {HTMLElement} word @param {boolean} keys */
  content(word, keys) {
    const line = this.app.code.lines.find(({ element }) => element.contains(word)), { replay } = this.app;
    const pc = line ? line.pcs.find((one) => one === replay.pc) ?? line.pcs[0] : replay.pc < 0 ? replay.nextPc : replay.pc;
    const content = word.matches(".nsim-mnemonic") ? this.mnemonic(pc) : this.register(word);
    if (keys && content.length) content.push(h("small", { class: "nsim-hint" }, `${content.some(({ tagName }) => tagName === "P") ? "Enter goes there, " : ""}i: next word, Esc closes`));
    return content;
  }

  /** @param {number|undefined} pc @returns {HTMLElement[]} */
  mnemonic(pc) {
    const one = this.app.header.instructions[pc ?? -1];
    if (!one) return [];
    const parts = [h("b", {}, one.text), h("span", {}, one.doc)];
    if (one.rule) parts.push(h("code", {}, one.rule));
    return parts;
  }

  /** @param {HTMLElement} word @returns {HTMLElement[]} */
  register(word) {
    const { app } = this, { replay } = app;
    const said = word.closest(".nsim-reg")?.getAttribute("data-register") ?? (word.textContent ?? "").trim().split(/[\s.]/)[0].toLowerCase();
    const name = ALIASES[said]?.[replay.a32 ? 1 : 0] ?? said, { location, offset, bytes } = locate(name, replay.a32), place = replay.places.get(location);
    if (!place) return [];
    const secret = app.hidden && replay.written().includes(place), called = app.nameOf(name);
    const title = h("span", {}, h("b", {}, said), name === said ? "" : ` is ${name}`, called ? ` ${called}` : "");
    const value = secret ? h("code", {}, "?") : place.bytes === 16 ? this.lanes(place, offset, bytes) : h("code", {}, app.registers.text(location));
    const step = replay.writer({ index: place.index }, replay.step, -1), instruction = app.header.instructions[replay.pcOf(step - 1)];
    const writer = step > 0
      ? h("p", {}, h("button", { type: "button", class: "nsim-small", onclick: () => { this.close(); app.pause(); app.goto(step); } }, `step ${step}, line ${instruction.line}`), ` ${replay.handAt({ index: place.index }, step) ? "changed by hand behind it" : `wrote it last: ${instruction.text}`}`)
      : h("span", { class: "nsim-hint" }, "not written before here in this run");
    return [title, value, writer];
  }

  /** The lanes as the register pane shows them. @param {import("./state.js").RegisterPlace} place @param {number} offset @param {number} bytes */
  lanes(place, offset, bytes) {
    const { registers, replay, lane0 } = this.app, row = registers.rows.find((one) => one.place === place);
    let [type, digits] = row ? registers.typeOf(row) : /** @type {[string, false]} */ (["u8", false]);
    if (TYPES[type] > bytes) type = `u${8 * bytes}`;
    const size = TYPES[type], cells = Array.from({ length: bytes / size }, (_, lane) =>
      h("span", { class: "nsim-cell", "data-lane": String(lane) }, laneText(replay.nowView, place.at + offset + lane * size, type, digits)));
    return h("div", { class: "nsim-tip-lanes" }, h("small", {}, `${type}, lane 0 on the ${lane0}`), h("span", {}, ...inOrder(cells, lane0)));
  }

  /** The step has changed under an open tip. */
  update() {
    if (!this.shown) return;
    const { word, holder, keys } = this.shown;
    if (!word.isConnected || !this.open(word, holder, keys)) this.close();
  }

  end() {
    this.close();
    this.listeners.abort();
  }
}
