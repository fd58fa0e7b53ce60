// "Who wrote this?": a register or a cell of memory, and the steps that write it.

import { said } from "./change.js";
import { h, messageOf, setText } from "./dom.js";
import { parseExpression } from "./expression.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./expression.js").Target} Target
 */

export class Finder {
  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    /** @type {Target|null} */
    this.what = null;
    /** @param {string} name @param {string} text @param {string} title @param {() => void} act */
    const button = (name, text, title, act) => h("button", { type: "button", class: "nsim-small", "data-act": name, title, disabled: true, onclick: act }, text);
    this.box = h("input", { type: "text", "aria-label": "register or cell to trace back", spellcheck: "false", autocomplete: "off",
      placeholder: "v8 or c[3,5]", onkeydown: (event) => { if (event.key === "Enter") this.find(this.box.value); } });
    this.text = h("span", { class: "nsim-found" });
    this.buttons = [button("write-back", "‹ write", "the write before (shift w)", () => this.move(-1)),
      button("write-next", "write ›", "the next write (w)", () => this.move(1)),
      button("watch", "watch", "watch its value", () => { if (this.what && this.app.watch.add(this.what.name)) this.app.choose("tab", "watch"); })];
    this.element = h("div", { class: "nsim-finder", role: "group", "aria-label": "who wrote it" },
      h("label", {}, "who wrote ", this.box, " ?"), ...this.buttons, this.text);
  }

  /** Follow what a text names, staying where one is. @param {string} text */
  take(text) {
    try {
      const { place } = parseExpression(text, this.app.replay);
      if (place) this.choose({ ...place, name: text.trim() });
    } catch {
      // A link may name what this run does not have.
    }
  }

  /** From text: a register, one of its lanes, or a cell. @param {string} text */
  find(text) {
    try {
      const { place } = parseExpression(text, this.app.replay);
      if (!place) throw new Error("name one register or one cell, like v8 or C[3,5]");
      this.choose({ ...place, name: text.trim() });
      this.move(-1, this.app.replay.steps + 1);
    } catch (problem) {
      this.say(messageOf(problem));
    }
  }

  /** @param {string} text */
  say(text) {
    this.put(text);
    setText(this.app.live, text);
  }

  /** One line, cut where it does not fit: then the tip has it all. @param {string} text */
  put(text) {
    setText(this.text, text);
    this.text.title = text;
  }

  /** @param {Target} what see Replay.writer */
  choose(what) {
    this.what = what;
    this.app.changed();
    this.box.value = what.name;
    for (const button of this.buttons) button.disabled = false;
    this.update();
  }

  /** Go to the next step that writes it (way 1) or to the one before (way -1). @param {number} way */
  move(way, from = this.app.replay.step) {
    if (!this.what) return this.say("Choose a register or a cell first: click it, or type its name.");
    const step = this.app.replay.writer(this.what, way > 0 ? from : Math.max(from - 1, 0), way);
    if (step > 0) this.app.goto(step);
    else this.say(`${this.what.name} is not written ${way > 0 ? "after" : "before"} here.`);
  }

  update() {
    if (!this.what) return;
    const { replay, header } = this.app, step = replay.writer(this.what, replay.step, -1);
    const instruction = header.instructions[replay.pcOf(step - 1)];
    const hand = replay.handAt(this.what, step);
    this.put(hand ? `${this.what.name}: changed by hand at step ${step}: ${said(hand)}` : step > 0 ? `${this.what.name}: last written by step ${step}, line ${instruction.line}: ${instruction.text}`
      : `${this.what.name}: not written yet`);
  }
}
