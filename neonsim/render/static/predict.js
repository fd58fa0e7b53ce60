// Predict mode: the results of a step stay hidden until the reader has typed them, or gives up.

import { h, setText } from "./dom.js";
import { arithmetic, laneName } from "./flow.js";
import { TYPES, inOrder } from "./format.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./flow.js").ResultLane} ResultLane
 */

export class Predict {
  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    this.on = false;
    this.settled = -1; // the step whose results have been shown
    this.right = 0;
    this.asked = 0;
    this.asking = -1; // the step that is asked about
    /** @type {{to: ResultLane, input: HTMLInputElement, mark: HTMLElement, name: string}[]} */
    this.fields = [];
    this.grid = h("div", { class: "nsim-guesses" });
    this.verdict = h("p", { class: "nsim-verdict", role: "status" });
    /** @param {string} text @param {() => void} act */
    const button = (text, act) => h("button", { type: "button", class: "nsim-small", onclick: act }, text);
    this.element = h("div", { class: "nsim-predict", hidden: true }, h("p", { class: "nsim-hint" },
      "What does each result lane hold now? Decimal, or 0x... ; Enter checks."), this.grid,
    h("p", {}, button("check", () => this.check()), " ", button("show", () => this.show())), this.verdict);
  }

  /** Whether the results of the last step must not be seen yet. */
  get hidden() {
    const { replay, flows } = this.app;
    return this.on && replay.step > 0 && replay.executed && this.settled !== replay.step && flows.of(replay.pc).lanes.length > 0;
  }

  /** Ask about the destination lanes of the step. @param {ResultLane[]} lanes */
  ask(lanes) {
    const { hidden } = this, { step } = this.app.replay;
    this.element.hidden = !this.on;
    if (!hidden) {
      if (step !== this.settled) (this.grid.replaceChildren(), setText(this.verdict, ""));
      this.asking = -1;
      return;
    }
    if (this.asking === step) return;
    this.asking = step;
    setText(this.verdict, "");
    this.fields = lanes.map((to) => {
      const name = laneName(to, this.app.replay.a32);
      const input = h("input", { type: "text", inputmode: "numeric", size: 9, autocomplete: "off", "aria-label": `${name} after this step`,
        onkeydown: (event) => { if (event.key === "Enter") this.check(); } });
      return { to, input, mark: h("span", { "aria-live": "polite" }), name };
    });
    this.grid.replaceChildren(...inOrder(this.fields, this.app.lane0).map(({ name, input, mark }) => h("label", {}, h("code", {}, name), input, mark)));
  }

  check() {
    if (this.asking < 0 || this.fields.every(({ input }) => !input.value.trim())) return setText(this.verdict, "Type at least one lane.");
    const { replay } = this.app, wrong = [];
    let right = 0, tried = 0;
    for (const { to, input, mark, name } of this.fields) {
      if (!input.value.trim()) continue;
      tried++;
      const type = this.app.typeOf(to, to), { values, result } = arithmetic(replay, to, (item, at) => this.app.typeOf(item, at));
      const good = same(input.value, result, type);
      right += Number(good);
      setText(mark, good ? "✓" : "✗");
      mark.className = good ? "nsim-right" : "nsim-wrong";
      mark.setAttribute("aria-label", good ? "right" : "wrong");
      if (!good) wrong.push(`${name} = ${values} = ${result}`);
    }
    this.right += right;
    this.asked += tried;
    this.settle();
    setText(this.verdict, `${right} of ${tried} right${wrong.length ? `; ${wrong.slice(0, 3).join("; ")}${wrong.length > 3 ? " ..." : ""}` : ""}. `
      + `In all: ${this.right} of ${this.asked}.`);
  }

  show() {
    if (this.asking < 0) return;
    this.settle();
  }

  settle() {
    this.settled = this.app.replay.step;
    this.app.refresh();
  }
}

/**
 * Whether what was typed is the value of the lane; signed, unsigned and hexadecimal writings of it are all right.
 * @param {string} typed @param {string} result @param {string} type
 */
function same(typed, result, type) {
  const text = typed.trim().replace(/_/g, "");
  if (type[0] === "f") return Number(text) === Number(result) || Math.abs(Number(text) - Number(result)) <= 1e-5 * Math.abs(Number(result));
  const bits = 8 * TYPES[type];
  try {
    const value = text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
    const limit = 1n << BigInt(bits);
    return value > -limit && value < limit && BigInt.asUintN(bits, value) === BigInt.asUintN(bits, BigInt(result));
  } catch {
    return false;
  }
}
