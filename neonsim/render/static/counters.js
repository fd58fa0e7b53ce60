// What has been counted up to the step shown, and what the model makes of it; each number says which it is.

import { h, setText } from "./dom.js";

/** @typedef {import("./stepper.js").Stepper} Stepper */

export class Counters {
  tab = "counts";
  title = "Counts";

  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    const { columns, steps, accesses } = app.replay, { instructions } = app.header;
    const sum = () => new Float64Array(steps + 1);
    this.products = sum();
    this.loads = sum();
    this.stores = sum();
    this.loaded = sum();
    this.stored = sum();
    this.known = instructions.every(({ macs }) => macs !== null);
    for (let k = 0; k < steps; k++) {
      for (const counts of [this.products, this.loads, this.stores, this.loaded, this.stored]) counts[k + 1] = counts[k];
      if (columns.executed[k]) this.products[k + 1] += instructions[columns.pc[k]].macs ?? 0;
      for (let a = accesses[k]; a < accesses[k + 1]; a++) {
        const store = columns.access_store[a] === 1;
        (store ? this.stores : this.loads)[k + 1]++;
        (store ? this.stored : this.loaded)[k + 1] += columns.access_bytes[a];
      }
    }
    this.live = liveRegisters(app);
    this.most = this.live.reduce((x, y) => Math.max(x, y), 0);
    this.registers = app.replay.locations.filter(({ bytes }) => bytes === 16).length;
    this.counted = h("span");
    this.modeled = h("span");
    this.label = h("b", { hidden: true }, "modelled"); // only where a figure follows
    this.element = h("section", { class: "nsim-pane", "aria-label": "counts" }, h("p", { class: "nsim-counters" }, h("b", {}, "counted"), " ", this.counted,
      ...(app.header.timing ? [h("br"), this.label, " ", this.modeled] : [])));
  }

  update() {
    const { replay, header } = this.app, { step } = replay, products = this.products[step];
    const ratio = products ? `, ${(this.loads[step] / products).toFixed(3)} loads a product` : "";
    setText(this.counted, `${plural(step, "instruction")}${this.known ? `, ${plural(products, "product")}` : ""}, ${plural(this.loads[step], "load")} `
      + `(${plural(this.loaded[step], "byte")}), ${plural(this.stores[step], "store")} (${plural(this.stored[step], "byte")})${ratio}; `
      + `${this.live[step]} of ${this.registers} vector registers hold what is still needed, at most ${this.most}`);
    this.label.hidden = !header.timing || !step;
    if (!header.timing || !step) return setText(this.modeled, "");
    const cycle = replay.columns.issue_cycle[step - 1] + 1; // cycles begin at 0
    setText(this.modeled, `${(step / cycle).toFixed(2)} instructions${this.known ? ` and ${(products / cycle).toFixed(2)} products` : ""} a cycle on ${header.timing.core}`);
  }
}

/** @param {number} count @param {string} what */
function plural(count, what) {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/**
 * How many vector registers hold a value after each step that a later step reads: found from the end of the run.
 * @param {Stepper} app
 */
function liveRegisters({ replay, flows }) {
  const counts = new Uint8Array(replay.steps + 1), live = new Set();
  const vectors = new Set(replay.locations.filter(({ bytes }) => bytes === 16).map(({ name }) => name));
  for (let step = replay.steps; step > 0; step--) {
    counts[step] = live.size;
    const flow = flows.of(replay.pcOf(step - 1));
    if (replay.columns.executed[step - 1]) {
      for (const [name, bytes] of flow.writes) if (bytes.every((byte) => byte === 1) || flow.clears.has(name)) live.delete(name);
    }
    for (const name of flow.reads.keys()) if (vectors.has(name)) live.add(name);
  }
  counts[0] = live.size;
  return counts;
}
