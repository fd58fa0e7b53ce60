// Values the reader keeps an eye on, each with its course over the whole run.

import { h, messageOf, s, setText } from "./dom.js";
import { parseExpression } from "./expression.js";
import { laneCells } from "./format.js";
import { UNWRITTEN } from "./written.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./expression.js").Expression} Expression
 * @typedef {Expression & {shown: HTMLElement, line: Element, mark: Element, range: HTMLElement, dead: boolean, element: HTMLElement}} Watch
 */

const COURSE_WIDE = 240, COURSE_HIGH = 22, STEPS_AT_ONCE = 4000, MOST_WATCHES = 12;

export class WatchPane {
  tab = "watch";
  title = "Watch";

  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    /** @type {Watch[]} */
    this.watches = [];
    this.error = h("p", { class: "nsim-error", role: "alert" });
    this.box = h("input", { type: "text", "aria-label": "watch an expression", spellcheck: "false", autocomplete: "off",
      placeholder: "v8.s[0]   C[0,3]   sum(v4.s16)",
      onkeydown: (event) => { if (event.key === "Enter") this.add(this.box.value); } });
    this.list = h("ul", { class: "nsim-watches", "aria-label": "watched values" });
    this.element = h("section", { class: "nsim-pane nsim-watch", "aria-label": "watch" },
      h("header", {}, h("h3", {}, "Watch"), this.box,
        h("button", { type: "button", class: "nsim-small", onclick: () => this.add(this.box.value) }, "add")),
      this.error, this.list);
  }

  get texts() {
    return this.watches.map(({ text }) => text);
  }

  /** @param {string} text @returns {boolean} whether it could be added; if not, the pane says why. */
  add(text) {
    try {
      if (this.watches.length >= MOST_WATCHES) throw new Error(`${MOST_WATCHES} watches are the limit. Remove one`);
      const parsed = parseExpression(text, this.app.replay);
      parsed.value(this.app.replay);
      this.insert(parsed);
      setText(this.error, "");
      this.box.value = "";
      this.app.changed();
      return true;
    } catch (problem) {
      setText(this.error, messageOf(problem));
      return false;
    }
  }

  /** Out of a link: what this run does not have is left out. @param {string} text */
  take(text) {
    this.add(text);
    setText(this.error, "");
  }

  /** @param {Expression} parsed */
  insert(parsed) {
    const { replay } = this.app;
    const line = s("path", { class: "nsim-spark" }), mark = s("path", { class: "nsim-here" });
    const picture = s("svg", { viewBox: `0 0 ${COURSE_WIDE} ${COURSE_HIGH}`, preserveAspectRatio: "none", class: "nsim-course",
      "aria-hidden": "true" }, line, mark);
    picture.addEventListener("click", (event) => {
      const { left, width } = picture.getBoundingClientRect();
      this.app.goto(Math.round((event.clientX - left) / width * replay.steps));
    });
    const shown = h("b", { class: "nsim-value" }), range = h("small"), element = h("li");
    const watch = { ...parsed, shown, line, mark, range, dead: false, element };
    const drop = h("button", { type: "button", class: "nsim-small", "aria-label": `stop watching ${parsed.text}`,
      onclick: () => this.remove(watch) }, "×");
    element.append(h("code", {}, parsed.text), shown, picture, range, drop);
    this.watches.push(watch);
    this.list.append(element);
    this.course(watch);
    this.update();
  }

  /** @param {Watch} watch */
  remove(watch) {
    watch.dead = true;
    this.watches.splice(this.watches.indexOf(watch), 1);
    watch.element.remove();
    this.app.changed();
  }

  /** Works the value out at every step, in slices so that long runs do not freeze the page. @param {Watch} watch */
  course(watch) {
    const cursor = this.app.replay.cursor(), { steps } = cursor, values = new Float64Array(steps + 1);
    let step = 0;
    const slice = () => {
      const end = Math.min(steps, step + STEPS_AT_ONCE);
      for (; step <= end; step++) {
        cursor.goto(step);
        const value = watch.value(cursor);
        values[step] = Array.isArray(value) ? NaN : value;
      }
      if (step > steps) this.draw(watch, values);
      else if (!watch.dead) setTimeout(slice);
    };
    slice();
  }

  /**
   * One vertical stroke per column of the picture, from the smallest to the largest value in it.
   * @param {Watch} watch @param {Float64Array} values
   */
  draw(watch, values) {
    const good = values.filter(Number.isFinite);
    if (!good.length) return;
    let low = Infinity, high = -Infinity;
    for (const value of good) (low = Math.min(low, value), high = Math.max(high, value));
    /** @param {number} value */
    const y = (value) => (COURSE_HIGH - 2 - (value - low) / (high - low || 1) * (COURSE_HIGH - 4)).toFixed(1);
    const columns = Math.min(COURSE_WIDE, values.length);
    let path = "";
    for (let c = 0; c < columns; c++) {
      const from = Math.floor(c * values.length / columns), to = Math.floor((c + 1) * values.length / columns);
      let least = Infinity, most = -Infinity;
      for (let k = from; k < to; k++) if (Number.isFinite(values[k])) (least = Math.min(least, values[k]), most = Math.max(most, values[k]));
      if (least > most) continue;
      const x = ((c + 0.5) * COURSE_WIDE / columns).toFixed(1);
      path += `${path ? "L" : "M"}${x} ${y(least)}${least < most ? `L${x} ${y(most)}` : ""}`;
    }
    watch.line.setAttribute("d", path);
    setText(watch.range, `${short(low)} … ${short(high)}`);
  }

  update() {
    const { replay, hidden } = this.app;
    for (const { value, shown, mark, place } of this.watches) {
      const now = value(replay), open = place && !replay.isWritten(place);
      const text = (/** @type {number} */ one) => (open && Number.isNaN(one) ? UNWRITTEN : short(one));
      if (hidden || !Array.isArray(now)) setText(shown, hidden || Array.isArray(now) ? "?" : text(now));
      else shown.replaceChildren(...laneCells(now.map((one, lane) => [lane, text(one)]), this.app.lane0));
      const x = (replay.step / (replay.steps || 1) * COURSE_WIDE).toFixed(1);
      mark.setAttribute("d", `M${x} 0V${COURSE_HIGH}`);
    }
  }
}

/** @param {number} value */
function short(value) {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}
