// In a page that computes: what the call was given, to be changed at once, and what it gives back. A change of any other
// register, lane or cell, at any step, is made in the tab "Change".

import { h, setText } from "./dom.js";
import { isWritten } from "./written.js";

/** @typedef {import("./stepper.js").Stepper} Stepper */

const AROUND = 4096; // bytes around all buffers: an address may lie before its buffer, and of large ones parts are here

/** The registers that a call is given and that hold no address. @param {Stepper} app */
function given({ replay }) {
  const first = replay.a32 ? "r" : "x", last = replay.a32 ? 3 : 7, start = replay.cursor();
  const all = Array.from({ length: last + 1 }, (_, k) => replay.places.get(first + k)).filter((one) => one !== undefined)
    .filter(({ at }) => isWritten(start.nowView, at, 4));
  const low = Math.min(...replay.buffers.map(({ address }) => address)) - AROUND, high = Math.max(...replay.buffers.map(({ address, nbytes }) => address + nbytes)) + AROUND;
  const pointer = (/** @type {number} */ value) => value >= low && value <= high;
  return all.filter(({ at }) => !pointer(start.nowView.getUint32(at, true))).map((place) => ({ place, value: start.nowView.getInt32(place.at, true) }));
}

export class InputsBar {
  /** @param {Stepper} app @param {import("./stepper.js").Machine} machine */
  constructor(app, machine) {
    const { replay, header } = app, end = replay.cursor();
    end.goto(replay.steps);
    const narrow = (/** @type {string} */ name) => name.replace("x", "w"); // 32 bits are what people type
    this.fields = given(app).map(({ place: { name }, value }) => {
      const put = () => { if (input.value.trim() !== String(value)) machine.ask({ change: { step: 0, name: narrow(name), value: input.value } }); };
      const input = h("input", { type: "text", inputmode: "numeric", value: String(value), spellcheck: "false", autocomplete: "off", "aria-label": `${header.names[name] || name} at the start`, "data-input": name, onchange: put,
        onkeydown: (event) => { if (event.key === "Enter") put(); } });
      return h("label", {}, header.names[name] ? `${header.names[name]} (${narrow(name)}) ` : `${narrow(name)} `, input);
    });
    const first = replay.places.get(replay.a32 ? "r0" : "x0");
    const result = first && replay.columns.write_location.includes(first.index) ? first : undefined; // a result is written
    this.result = h("output", { class: "nsim-result" });
    const over = header.warnings.find(([, text]) => text.startsWith("the run ends here"));
    if (over) setText(this.result, over[1]);
    this.result.classList.toggle("nsim-error", over !== undefined);
    if (!over && result && isWritten(end.nowView, result.at, 4)) setText(this.result, `${narrow(result.name)} at the end: ${end.nowView.getInt32(result.at, true)}`);
    const reset = h("button", { type: "button", class: "nsim-small", "data-act": "reset", disabled: !app.undoable, onclick: () => machine.ask({ reset: true }) }, "reset");
    const more = h("button", { type: "button", class: "nsim-small nsim-link", "data-act": "more", onclick: () => app.change.open("") }, "change anything at this step (e)");
    this.element = h("form", { class: "nsim-inputs", "aria-label": "inputs of the run", onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, h("span", {}, "This page computes: "), ...this.fields, reset, more, this.result);
  }
}
