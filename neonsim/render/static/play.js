// The playground: a text, its arguments, run and stepped in the page. The worker assembles, translates and prices; the page's own
// engine runs. Nothing runs before the reader asks for it, and nothing leaves the page.

import { elementOf, h, messageOf, setText } from "./dom.js";
import { Editor } from "./editor.js";
import { laneText, TYPES } from "./format.js";
import { InputsBar } from "./inputs.js";
import { linkButton } from "./link.js";
import { Live } from "./live.js";
import { packed, unpacked } from "./playlink.js";
import { Stepper } from "./stepper.js";

/**
 * What the worker answers to "open", and what the page is sent of its first example.
 * @typedef {{header: import("./payload.js").Header, columns: Object<string, string>, script: string,
 *   expected: {name: string, kind: string, data: string}[], problem?: undefined}} Opened
 * @typedef {{problem: string, mistakes: import("./editor.js").Mistake[]}} Refused
 * @typedef {import("./playlink.js").Experiment} Experiment
 * @typedef {Experiment & {group: string, name: string, file?: string}} Example a kernel's is in a file of its own
 */

const NO_TIMING = "no core: instructions are counted", USUAL_CORE = "cortex-a53";
const RUN = "run the text (ctrl Enter)";
const LOADING = "The assembler is being loaded: Python, 6.6 MB, once. The example can be stepped already.";
const READY = "Ready: change the text, then run it (ctrl Enter).";

const ARGUMENT_FORMS = [["12", "a number; 0x10, -3, 1.5"], ["f32:1.5", "a number of this type: u8 to s64, f16, f32, f64"], ["a=u8:1,2,3", "a buffer of these elements; its address is passed"],
  ["b=s16*8", "random elements, the same each time"], ["b=s16*8:7", "all 7"], ["c=out:s32*4", "for results: nobody has written it"], ["c+4", "an address in a buffer"], ["+d=u8:1,2", "a buffer, and no argument"]];

/** A worker that is asked questions. */
class Asker {
  /** @type {Worker} */
  worker;
  ready = false;

  /** @param {() => void} onready @param {(problem: string) => void} onfail */
  constructor(onready, onfail) {
    this.onready = onready;
    this.onfail = onfail;
    this.number = 0;
    /** @type {Map<number, (answer: any) => void>} */
    this.waiting = new Map();
    this.start();
  }

  start() {
    this.ready = false;
    this.worker = new Worker(new URL("playworker.js", document.baseURI), { type: "module" });
    this.worker.onerror = () => this.onfail("the worker could not be started");
    this.worker.onmessage = ({ data }) => {
      if (data.ready) {
        this.ready = true;
        this.onready();
      } else if (data.failed) this.onfail(data.failed);
      else {
        this.waiting.get(data.number)?.(data.answer);
        this.waiting.delete(data.number);
      }
    };
  }

  /** @param {{[what: string]: any}} asked @returns {Promise<any>} */
  ask(asked) {
    const number = ++this.number;
    const answer = new Promise((resolve) => this.waiting.set(number, resolve));
    this.worker.postMessage({ number, asked });
    return answer;
  }

  /** Whatever it does is given up; a new one begins. */
  stop() {
    this.worker.terminate();
    for (const tell of this.waiting.values()) tell({ problem: "Stopped.", mistakes: [] });
    this.waiting.clear();
    this.start();
  }
}

/** @param {string} text base64 */
function bytesOf(text) {
  return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
}

export class Playground {
  /** @type {Stepper|null} */
  stepper = null;
  /** @type {Live|null} */
  live = null;
  /** @type {Opened|null} */
  opened = null;
  /** @type {{name: string, kind: string, data: string}[]} */
  expected = [];
  running = false;
  pending = false; // to be run when the worker is there
  title = "";
  step = 0; // to be shown after the next run
  /** @type {string|undefined} */
  wantedCore;
  /** @type {(() => void)|undefined} */
  first;

  /** @param {HTMLElement} root @param {Example[]} examples */
  constructor(root, examples) {
    this.root = root;
    this.examples = examples;
    this.editor = new Editor((event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.run();
      }
      event.stopPropagation();
    });
    this.isa = h("select", { "aria-label": "instruction set", onchange: () => this.changedIsa() }, h("option", { value: "aarch64" }, "AArch64"), h("option", { value: "aarch32" }, "AArch32"));
    this.chooser = h("select", { "aria-label": "example", onchange: () => this.choose(this.examples[Number(this.chooser.value)]) }, h("option", { value: "", disabled: true, selected: true }, "examples ..."));
    for (const group of new Set(examples.map((one) => one.group))) {
      this.chooser.append(h("optgroup", { label: group }, ...examples.flatMap((one, k) => (one.group === group ? [h("option", { value: String(k) }, one.title)] : []))));
    }
    this.core = h("select", { "aria-label": "core for modelled cycles", onchange: () => this.price() }, h("option", { value: "" }, NO_TIMING));
    this.button = h("button", { type: "button", "data-act": "play-run", class: "nsim-run", onclick: () => (this.running ? this.stop() : this.run()) }, RUN);
    this.state = h("p", { class: "nsim-play-state", role: "status" }, LOADING);
    this.said = h("p", { class: "nsim-problem", role: "alert" });
    this.list = h("ol", { class: "nsim-mistakes", "aria-label": "mistakes", hidden: true });
    this.verdict = h("p", { class: "nsim-play-verdict", role: "status" });
    this.words = this.rows("argument", "out=out:s32*4");
    this.wanted = this.rows("expected", "out=s32:1,2,3,4");
    this.home = h("div", { class: "nsim-play-run" });
    this.link = "";
    const [copy, told] = linkButton(() => this.link);
    // The link is packed before it is copied: a browser gives the clipboard only to what follows a press at once.
    for (const kind of ["pointerdown", "focus", "pointerenter"]) copy.addEventListener(kind, () => this.pack());
    const panel = h("div", { class: "nsim nsim-play" },
      h("div", { class: "nsim-toolbar", role: "group", "aria-label": "program" }, this.isa, this.chooser, this.button, this.core, copy, told),
      h("div", { class: "nsim-play-grid" }, h("div", { class: "nsim-play-text" }, this.editor.element, this.list),
        h("div", { class: "nsim-play-call" },
          h("h3", {}, "arguments"),
          h("details", {}, h("summary", {}, "one each, in the order of the call"), h("ul", {}, ...ARGUMENT_FORMS.map(([word, text]) => h("li", {}, h("code", {}, word), ` ${text}`)))),
          this.words.element,
          h("h3", {}, "expected"), h("p", { class: "nsim-hint" }, "What a buffer holds when the call returns: c=s32:1,2,3."), this.wanted.element)),
      h("div", { class: "nsim-play-told" }, this.verdict, this.state), this.said);
    root.replaceChildren(panel, this.home);
    this.asker = new Asker(() => this.loaded(), (problem) => this.say(`The assembler could not be loaded: ${problem}. Load the page again.`, true));
  }

  /** A list of words that can be added to. @param {string} what @param {string} example */
  rows(what, example) {
    const list = h("ol", { class: "nsim-play-words" });
    const number = () => { [...list.children].forEach((row, k) => { row.querySelector("input")?.setAttribute("aria-label", `${what} ${k + 1}`); }); };
    const add = (/** @type {string} */ word) => {
      const input = h("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: example, onkeydown: (event) => { if (event.key === "Enter") this.run(); } });
      input.value = word;
      const row = h("li", {}, input, h("button", { type: "button", class: "nsim-small", "aria-label": `remove this ${what}`, onclick: () => { row.remove(); number(); } }, "×"));
      list.append(row);
      number();
      return input;
    };
    const more = h("button", { type: "button", class: "nsim-small", "data-act": `add-${what}`, onclick: () => add("").focus() }, what === "argument" ? "one more argument" : "one more value");
    return { element: h("div", {}, list, more), add, get: () => [...list.querySelectorAll("input")].map((one) => one.value.trim()).filter(Boolean),
      set: (/** @type {string[]} */ words) => { list.replaceChildren(); for (const word of words) add(word); } };
  }

  /** The worker is there. */
  async loaded() {
    setText(this.state, READY);
    await this.listCores();
    if (this.pending) {
      this.pending = false;
      this.run();
    } else if (this.first) this.first();
  }

  changedIsa() {
    this.listCores();
  }

  async listCores() {
    if (!this.asker.ready) return;
    const { cores = [], problem } = await this.asker.ask({ ask: "cores", isa: this.isa.value }), before = this.wantedCore ?? this.core.value;
    if (problem) this.say(problem, true);
    this.core.replaceChildren(h("option", { value: "" }, NO_TIMING), ...cores.map((/** @type {string[]} */ [name, title]) => h("option", { value: name, title }, `cycles: ${name}`)));
    this.core.value = before;
    if (this.core.selectedIndex < 0) this.core.value = USUAL_CORE;
    if (this.core.selectedIndex < 0) this.core.value = "";
    this.wantedCore = undefined;
  }

  /** Put an experiment into the page; it is run when the reader asks. @param {Experiment} one */
  put({ isa, text, words, expected, core, step, title }) {
    const changed = this.isa.value !== isa;
    this.isa.value = isa;
    this.editor.value = text;
    this.words.set(words);
    this.wanted.set(expected);
    this.title = title;
    this.step = step;
    if (core) this.wantedCore = core;
    if (changed || core) this.listCores();
    this.mistakes([]);
    this.say("");
    setText(this.verdict, "");
  }

  /** @param {Example} example */
  async choose(example) {
    this.put(example.file ? await (await fetch(new URL(example.file, document.baseURI))).json() : example);
    this.run();
  }

  /** @returns {Experiment} */
  get experiment() {
    return { isa: this.isa.value, text: this.editor.value, words: this.words.get(), expected: this.wanted.get(), core: this.core.value, step: this.stepper?.replay.step ?? 0, title: this.title };
  }

  async pack() {
    try {
      this.link = `${location.href.split("#")[0]}#${await packed(this.experiment)}`;
    } catch (error) {
      this.say(messageOf(error), true);
    }
    return this.link;
  }

  /** @param {string} text */
  say(text, wrong = false) {
    setText(this.said, text);
    this.said.classList.toggle("nsim-error", wrong);
  }

  /** @param {import("./editor.js").Mistake[]} list */
  mistakes(list) {
    this.editor.mark(list);
    this.list.hidden = !list.length;
    this.list.replaceChildren(...list.map((one) => h("li", {}, h("button", { type: "button", class: "nsim-small nsim-link", onclick: () => this.editor.choose(one.line, one.column, one.width) }, `line ${one.line}, column ${one.column}`), h("p", {}, one.message))));
  }

  stop() {
    this.asker.stop();
    setText(this.state, LOADING);
    this.busy(false);
  }

  /** @param {boolean} on */
  busy(on) {
    this.running = on;
    setText(this.button, on ? "stop" : RUN);
  }

  async run() {
    if (this.running) return;
    if (!this.asker.ready) {
      this.pending = true;
      setText(this.state, "The assembler is being loaded: the text is run when it is there.");
      return;
    }
    this.busy(true);
    this.say("");
    const { isa, text, words, expected } = this.experiment;
    /** @type {Opened|Refused} */
    const answer = await this.asker.ask({ ask: "open", isa, text, words, expected, title: this.title });
    this.busy(false);
    if (answer.problem !== undefined) {
      this.mistakes(answer.mistakes);
      const count = answer.mistakes.length;
      this.say(count ? `${count} mistake${count > 1 ? "s" : ""}: nothing was run.` : answer.problem, true);
      if (count) this.editor.choose(answer.mistakes[0].line, answer.mistakes[0].column, answer.mistakes[0].width);
      return;
    }
    this.mistakes([]);
    this.show(answer);
    await this.price();
  }

  /** Run what the worker has made of a text, and show it. @param {Opened} opened */
  show(opened) {
    this.opened = opened;
    this.expected = opened.expected;
    const columns = /** @type {any} */ (Object.fromEntries(Object.entries(opened.columns).map(([name, text]) => [name, bytesOf(text)])));
    // Words of a closed vocabulary: see neonsim/arm/machine/translate/to_javascript.py.
    const generated = new Function(`return ${opened.script};`)();
    try {
      this.live = new Live({ header: opened.header, columns }, generated);
    } catch (error) {
      return this.say(messageOf(error), true);
    }
    this.draw(this.live.now, this.step);
    this.step = 0;
    this.judge();
    this.say(this.live.problem ? `${this.live.problem}\nShown are the ${this.live.now.header.steps} steps up to there.` : "", Boolean(this.live.problem));
  }

  /** @param {import("./live.js").Data} data @param {number} step */
  draw(data, step) {
    const { stepper } = this, view = stepper?.view ?? new URLSearchParams(), put = stepper?.change?.state;
    stepper?.close();
    const fresh = h("div");
    this.home.replaceChildren(fresh);
    view.delete("step");
    this.stepper = new Stepper(fresh, data, { step: Math.min(step, data.header.steps), view, undoable: this.live?.changes.length,
      machine: { ask: (asked) => this.ask(asked), bar: (app, machine) => new InputsBar(app, machine).element }, noMachine: "Change the text above, and run it." });
    if (put) this.stepper.change?.restore(put);
    Object.assign(globalThis, { neonsim: this.stepper, neonsimLive: this.live });
  }

  /** What is asked of a page that computes: another value, the change before undone, all of them. @param {{[what: string]: any}} asked */
  ask(asked) {
    const { live, stepper } = this;
    if (!live || !stepper) return;
    /** @type {import("./live.js").Answer} */
    let answer;
    try {
      answer = asked.reset ? live.reset() : asked.undo ? live.undo() : live.change(asked.change.step, asked.change.name, String(asked.change.value));
    } catch (error) {
      return stepper.change?.answer({ problem: messageOf(error) });
    }
    this.draw(answer.data, asked.change ? Math.max(stepper.replay.step, answer.step) : answer.step);
    this.stepper?.change?.answer(answer);
    this.judge();
  }

  /** What is expected, beside what the run left. */
  judge() {
    const { stepper, expected } = this;
    if (!stepper) return;
    const end = /** @type {import("./state.js").Replay} */ (stepper.replay.cursor()), { steps } = stepper.replay;
    end.goto(steps);
    const told = expected.map(({ name, kind, data }) => {
      const buffer = stepper.replay.buffers.find((one) => one.name === name), want = bytesOf(data), size = TYPES[kind];
      if (!buffer) return "";
      const have = end.memory.slice(buffer.at, buffer.at + want.length), wrong = [], known = end.known.subarray(buffer.at, buffer.at + want.length);
      for (let k = 0; k < want.length; k += size) if (want.subarray(k, k + size).some((byte, n) => byte !== have[k + n] || !known[k + n])) wrong.push(k / size);
      if (!wrong.length) return `${name} is as expected (${want.length / size} elements).`;
      const [at] = wrong, text = (/** @type {Uint8Array} */ bytes) => laneText(new DataView(bytes.buffer, bytes.byteOffset), at * size, kind);
      const is = known.subarray(at * size, at * size + size).includes(0) ? "has not been written" : `is ${text(have)}`;
      return `${name}[${at}] ${is}, expected ${text(want)}: ${wrong.length} of ${want.length / size} elements differ.`;
    });
    this.verdict.classList.toggle("nsim-error", told.some((text) => text.includes("differ")));
    setText(this.verdict, [`${steps} steps (counted)`, ...told].join("  ·  "));
  }

  /** Modelled cycles of the run shown, on the core chosen. */
  async price() {
    const { live, opened, stepper } = this, core = this.core.value;
    if (!live || !opened || !stepper || !this.asker.ready || live.problem || live.changes.length) return;
    if (!core) {
      if (live.data.header.timing) this.timed(null, {});
      return;
    }
    const answer = await this.asker.ask({ ask: "price", core, ...recordOf(live.data) });
    if (this.live !== live) return; // another run has come
    if (answer.problem) return this.say(answer.problem, true);
    this.timed(answer.timing, answer.columns);
    this.verdict.append(`  ·  ${answer.timing.cycles} cycles on ${answer.timing.core} (modelled)`);
  }

  /** @param {import("./payload.js").Timing|null} timing @param {Object<string, number[]>} columns */
  timed(timing, columns) {
    const { live, stepper } = this;
    if (!live || !stepper) return;
    const typed = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, name.endsWith("_cycle") ? Uint32Array.from(values) : Uint16Array.from(values)]));
    live.data = live.now = { header: { ...live.data.header, timing }, columns: { ...live.data.columns, ...typed } };
    this.draw(live.data, stepper.replay.step);
    this.judge();
  }
}

/** A run as the cost models read it. @param {import("./live.js").Data} data */
function recordOf({ header, columns }) {
  /** @type {[number, number][]} */
  const touches = [];
  let at = 0;
  for (const count of columns.access_count) {
    let low = 0, high = 0;
    for (let k = at; k < at + count; k++) {
      const first = header.buffers[columns.access_buffer[k]].address + columns.access_offset[k], end = first + columns.access_bytes[k];
      [low, high] = k === at ? [first, end] : [Math.min(low, first), Math.max(high, end)];
    }
    at += count;
    touches.push([low, high - low]);
  }
  return { pc: [...columns.pc], executed: [...columns.executed], touches };
}

/** The page, from what lies beside it. */
export async function openPlayground() {
  const root = document.getElementById("neonsim");
  if (!root) throw new Error("The page has no element called neonsim.");
  const [examples, first] = await Promise.all(["examples.json", "first.json"].map(async (name) => (await fetch(new URL(name, document.baseURI))).json()));
  const page = new Playground(root, examples), hash = location.hash.slice(1);
  Object.assign(globalThis, { neonsimPlay: page });
  const wanted = new URLSearchParams(location.search).get("example");
  const example = wanted ? examples.find((/** @type {Example} */ one) => one.name === wanted) : undefined;
  if (hash) {
    try {
      page.put(await unpacked(hash));
      page.say("This text came with the link, and has not been run: press run.");
    } catch (error) {
      page.say(messageOf(error), true);
    }
  } else if (example) page.choose(example);
  else {
    page.put(first.experiment);
    page.show(first.opened);
    page.first = () => page.run();
  }
  document.addEventListener("keydown", (event) => { if (!root.contains(elementOf(event)) && page.stepper) page.stepper.key(event); });
  addEventListener("hashchange", () => location.reload());
  if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register(new URL("kept.js", document.baseURI)).catch(() => {});
}
