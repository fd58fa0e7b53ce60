// Bookmarks: steps to come back to, with a name if the reader gives one.

import { h, s } from "./dom.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {{step: number, name: string}} Bookmark
 */

const MOST_BOOKMARKS = 50, LONGEST_NAME = 60;

export class BookmarksPane {
  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    /** @type {Bookmark[]} */
    this.list = []; // by step
    this.path = s("path", {});
    this.ticks = s("svg", { viewBox: "0 0 1000 6", preserveAspectRatio: "none", class: "nsim-ticks nsim-bookmarked", "aria-hidden": "true" }, this.path);
    this.items = h("ul", { class: "nsim-marks", "aria-label": "bookmarks" });
    this.button = h("button", { type: "button", class: "nsim-small", "data-act": "bookmark", "aria-pressed": "false", onclick: () => this.toggle() }, "bookmark this step");
    this.element = h("div", { class: "nsim-bookmarks" },
      h("header", {}, h("h3", {}, "Bookmarks"), this.button, h("span", { class: "nsim-hint" }, "k sets one, j and shift j go to the next and the last")), this.items);
  }

  /** Set one here, or take it away. */
  toggle() {
    const { step } = this.app.replay, there = this.list.find((one) => one.step === step);
    if (there) this.remove(there);
    else if (!this.add(step, "")) return this.app.explain.note(`${MOST_BOOKMARKS} bookmarks are the limit. Remove one.`);
    this.app.explain.note(there ? `The bookmark at step ${step} is gone.` : `Step ${step} has a bookmark: j and shift j go from one to the next.`);
  }

  /** @param {number} step @param {string} name */
  add(step, name) {
    if (this.list.length >= MOST_BOOKMARKS || this.list.some((one) => one.step === step)) return false;
    this.list.push({ step, name: name.slice(0, LONGEST_NAME) });
    this.list.sort((x, y) => x.step - y.step);
    this.draw();
    return true;
  }

  /** @param {Bookmark} one */
  remove(one) {
    this.list.splice(this.list.indexOf(one), 1);
    this.draw();
  }

  draw() {
    const { replay, header } = this.app;
    this.items.replaceChildren(...this.list.map((one) => {
      const instruction = header.instructions[replay.pcOf(one.step - 1)]?.text ?? "start";
      const name = h("input", { type: "text", value: one.name, maxlength: LONGEST_NAME, placeholder: instruction, "aria-label": `name of the bookmark at step ${one.step}`,
        oninput: () => { one.name = name.value; this.app.changed(); },
        onkeydown: (event) => { if (event.key === "Enter" || event.key === "Escape") go.focus(); } });
      const go = h("button", { type: "button", class: "nsim-small", "data-step": one.step, onclick: () => this.app.goto(one.step) }, `step ${one.step}`);
      return h("li", {}, go, name, h("button", { type: "button", class: "nsim-small", title: "remove", "aria-label": `remove the bookmark at step ${one.step}`,
        onclick: () => this.remove(one) }, "×"));
    }));
    this.path.setAttribute("d", this.list.map(({ step }) => `M${(step / Math.max(replay.steps, 1) * 1000).toFixed(1)} 0V6`).join(""));
    this.update();
    this.app.changed();
  }

  /** To the next bookmark (way 1) or the one before. @param {number} way */
  go(way) {
    const { app } = this, { step } = app.replay;
    const found = way > 0 ? this.list.find((one) => one.step > step) : this.list.findLast((one) => one.step < step);
    if (!found) return app.explain.note(this.list.length ? `No bookmark ${way > 0 ? "after" : "before"} here.` : "There is no bookmark: k sets one at this step.");
    app.goto(found.step);
    if (found.name) app.explain.note(found.name);
  }

  /** As a link carries them: 42:name;50 */
  get text() {
    return this.list.map(({ step, name }) => (name ? `${step}:${name.replaceAll(";", ",")}` : String(step))).join(";");
  }

  /** @param {string} text of a link: what is no bookmark of this run is left out */
  take(text) {
    for (const part of text.split(";").slice(0, MOST_BOOKMARKS)) {
      const [, step, name = ""] = /^(\d{1,9})(?::(.*))?$/s.exec(part) ?? [];
      if (step !== undefined && Number(step) <= this.app.replay.steps) this.add(Number(step), name);
    }
  }

  update() {
    const { step } = this.app.replay;
    this.button.setAttribute("aria-pressed", String(this.list.some((one) => one.step === step)));
    this.list.forEach((one, k) => { this.items.children[k].classList.toggle("nsim-on", one.step === step); });
  }
}
