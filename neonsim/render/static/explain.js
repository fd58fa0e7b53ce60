// What the last step did, in words and numbers.

import { h, setText } from "./dom.js";
import { TYPES, laneText, locate, printable } from "./format.js";

const ROLES = { d: "result", a: "accumulator", n: "first source", m: "second source", t: "data", base: "address",
  offset: "offset", cond: "condition" };

export class ExplainPane {
  constructor(app) {
    this.app = app;
    this.where = h("span", { class: "nsim-where" });
    this.text = h("code", { class: "nsim-instruction" });
    this.doc = h("span", { class: "nsim-doc" });
    this.formula = h("code", { class: "nsim-rule" });
    this.cycles = h("span", { class: "nsim-where" });
    this.operands = h("dl", { class: "nsim-operands" });
    this.message = h("p", { class: "nsim-message", role: "status" });
    this.element = h("section", { class: "nsim-pane nsim-explain", "aria-label": "the last step" },
      h("p", { class: "nsim-what" }, this.where, this.text, this.doc, this.formula, this.cycles), this.operands, this.message);
  }

  note(text) {
    setText(this.message, text);
  }

  update() {
    const { replay, header } = this.app;
    setText(this.message, "");
    const instruction = header.instructions[replay.pc];
    if (!instruction) {
      setText(this.where, "start");
      setText(this.text, header.instructions[replay.nextPc]?.text ?? "");
      setText(this.doc, replay.steps ? "comes first. Nothing has been executed yet." : "Nothing was recorded.");
      setText(this.formula, "");
      setText(this.cycles, "");
      this.operands.replaceChildren();
      return;
    }
    setText(this.where, `line ${instruction.line}`);
    setText(this.text, instruction.text);
    setText(this.doc, replay.executed ? instruction.doc : `Not executed: condition ${instruction.condition} does not hold.`);
    setText(this.formula, replay.executed ? instruction.rule : "");
    setText(this.cycles, this.modelled());
    this.operands.replaceChildren(...(replay.executed ? this.rows(instruction) : []));
  }

  /** When the model lets the step wait, execute and finish. */
  modelled() {
    const { timing } = this.app.header, { columns, step } = this.app.replay, k = step - 1;
    if (!timing) return "";
    const start = columns.start_cycle[k], issue = columns.issue_cycle[k], done = columns.done_cycle[k];
    const unit = timing.units[columns.unit[k]], reason = timing.reasons[columns.reason[k]];
    const wait = issue > start ? `waits ${issue - start}${reason ? ` (${reason})` : ""}, ` : "";
    return `modelled: ${wait}issues in cycle ${issue}${unit ? ` on ${unit}` : ""}, result in cycle ${done}`;
  }

  rows(instruction) {
    const { replay } = this.app, seen = new Set(), rows = [];
    const flow = this.app.flows.of(replay.pc);
    const add = (role, register, past) => {
      const key = `${register}${past}`;
      if (seen.has(key)) return;
      seen.add(key);
      const name = this.app.nameOf(register);
      rows.push(h("div", { class: past ? "nsim-in" : "nsim-out" },
        h("dt", {}, past ? ROLES[role] ?? role : "→ result", " ", h("b", {}, name ? `${register} ${name}` : register)),
        h("dd", {}, this.value(register, past, flow, instruction))));
    };
    for (const [role, register] of instruction.reads) add(role, register, true);
    for (const [role, register] of instruction.writes) add(role, register, false);
    for (const { buffer, offset, bytes, store } of replay.touched()) {
      rows.push(h("div", { class: store ? "nsim-out" : "nsim-in" },
        h("dt", {}, store ? "stores to" : "loads from"),
        h("dd", {}, buffer ? `${buffer.name} + ${buffer.skipped + offset}, ${bytes} bytes` : `${bytes} bytes outside the buffers`)));
    }
    return rows;
  }

  value(register, past, flow, instruction) {
    const { replay } = this.app, { location, offset, bytes } = locate(register, replay.a32);
    const place = replay.places.get(location), view = past ? replay.pastView : replay.nowView;
    if (!place) return "";
    if (register === "nzcv") {
      const flags = view.getUint8(place.at);
      return ["n", "z", "c", "v"].map((f, k) => `${f}=${(flags >> (3 - k)) & 1}`).join(" ");
    }
    if (register === "qc") return view.getUint8(place.at) ? "1 (something saturated)" : "0";
    if (place.bytes !== 16) {
      const number = place.bytes === 8 ? view.getBigUint64(place.at, true) : BigInt(view.getUint32(place.at, true));
      const pointer = this.app.pointerText(number);
      return pointer || (number < 1000000n ? String(number) : "0x" + number.toString(16));
    }
    // The type this instruction uses the register in, as source or as destination.
    let type = printable(instruction.element ?? "u8");
    for (const to of flow.lanes) {
      for (const item of past ? to.sources : [to]) if (item.register === register) type = item.type;
    }
    const size = Math.min(TYPES[type], bytes), mask = (past ? flow.reads : flow.writes).get(location);
    const lanes = [];
    for (let b = 0; b < bytes; b += size) {
      if (mask && !mask.subarray(offset + b, offset + b + size).includes(1)) continue;
      lanes.push((lanes.length || b === 0 ? "" : `[${b / size}] `) + laneText(view, place.at + offset + b, type));
    }
    return `${type}  ${lanes.join("  ")}`;
  }
}
