// The playground: a text, its arguments, run and stepped in the page. The worker assembles, translates and prices; the page's own
// engine runs. Nothing runs before the reader asks for it, and nothing leaves the page.

import { elementOf, h, messageOf, setText } from "./dom.js";
import { Editor } from "./editor.js";
import { InputsBar } from "./inputs.js";
import { linkButton } from "./link.js";
import { Asker } from "./playasker.js";
import { altered, differing, expectedText, recordOf, unpackedColumns } from "./playcall.js";
import { fileName, gradeText, judged, resultFile } from "./playcheck.js";
import { packed, unpacked } from "./playlink.js";
import { PlayRun } from "./playrun.js";
import { Stepper } from "./stepper.js";

/**
 * What the worker answers to "open", and what the page is sent of its first example.
 * @typedef {{header: import("./payload.js").Header, columns: Object<string, string>, script: string,
 *   expected: {name: string, kind: string, data: string}[], problem?: undefined}} Opened
 * @typedef {{problem: string, mistakes: import("./editor.js").Mistake[]}} Refused
 * @typedef {import("./playlink.js").Experiment} Experiment
 * @typedef {Experiment & {group: string, name: string, file?: string, exercise?: Exercise}} Example a kernel's is in a file of its own
 *
 * @typedef {import("./playcheck.js").Exercise} Exercise
 */

const NO_TIMING = "no core: instructions are counted", USUAL_CORE = "cortex-a53";
const RUN = "run the text (ctrl Enter)";
const LOADING = "The assembler is being loaded: Python, 6.6 MB, once. The example can be stepped already.";
const SOFT = "This program computes floating point that JavaScript does not have to the bit: it runs in Python, which is slower.";
const READY = "Ready: change the text, then run it (ctrl Enter).";

const ARGUMENT_FORMS = [["12", "a number; 0x10, -3, 1.5"], ["f32:1.5", "a number of this type: u8 to s64, f16, f32, f64"], ["a=u8:1,2,3", "a buffer of these elements; its address is passed"],
  ["b=s16*8", "random elements, the same each time"], ["b=s16*8:7", "all 7"], ["c=out:s32*4", "for results: uninitialized"], ["c+4", "an address in a buffer"], ["+d=u8:1,2", "a buffer, and no argument"]];

export class Playground {
  /** @type {Stepper|null} */
  stepper = null;
  /** @type {import("./live.js").Live|null} */
  live = null;
  /** @type {PlayRun|null} */
  made = null;
  /** @type {Opened|null} */
  opened = null;
  /** @type {{name: string, kind: string, data: string}[]} */
  expected = [];
  running = false;
  /** @type {Exercise|undefined} */
  exercise;
  name = "";
  passed = false;
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
    this.checker = h("button", { type: "button", "data-act": "play-check", hidden: true, onclick: () => this.check() }, "");
    this.saver = h("button", { type: "button", "data-act": "play-save", hidden: true, title: "a file of results, with the text", onclick: () => this.save() }, "save the answer");
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
      h("div", { class: "nsim-toolbar", role: "group", "aria-label": "program" }, this.isa, this.chooser, this.button, this.checker, this.saver, this.core, copy, told),
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
    keepForLater();
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
    /** @type {Example} */
    const found = example.file ? await (await fetch(new URL(example.file, document.baseURI))).json() : example;
    this.put(found);
    this.pose(found);
    if (!found.exercise?.rest) this.run();
  }

  /** An exercise, or none. @param {Example} example */
  pose({ exercise, name }) {
    this.exercise = exercise;
    this.name = name;
    this.passed = false;
    this.checker.hidden = !exercise?.calls.length;
    this.saver.hidden = !exercise;
    if (exercise?.rest) setText(this.state, `${exercise.rest} ${gradeText(name)}`);
    setText(this.checker, exercise ? `check ${exercise.calls.length} calls` : "");
  }

  /** Every call of the exercise, by the text as it is now. */
  async check() {
    const { exercise } = this;
    if (!exercise || this.running || !(await this.run()) || !this.opened) return;
    this.busy(true);
    const found = await judged(exercise, this.opened, this.asker);
    if (!this.running) return; // stopped
    this.busy(false);
    this.passed = found.passed;
    this.verdict.classList.toggle("nsim-error", !found.passed);
    setText(this.verdict, [...found.sentences, gradeText(this.name)].join("\n"));
  }

  /** The answer as a file of results, which the command line grades again. */
  save() {
    if (!this.exercise) return;
    const link = h("a", { href: URL.createObjectURL(new Blob([resultFile(this.exercise, this.editor.value, this.passed)], { type: "application/json" })), download: fileName(this.name) });
    link.click();
    URL.revokeObjectURL(link.href);
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

  /** @returns {Promise<boolean>} whether there was something to run */
  async run() {
    if (this.running) return false;
    if (!this.asker.ready) {
      this.pending = true;
      setText(this.state, "The assembler is being loaded: the text is run when it is there.");
      return false;
    }
    this.busy(true);
    this.say("");
    const { isa, text, words, expected } = this.experiment;
    /** @type {Opened|Refused} */
    this.passed = false;
    const answer = await this.asker.ask({ ask: "open", isa, text, words, expected, title: this.title, entry: this.exercise?.entry });
    if (answer.problem !== undefined) {
      this.busy(false);
      this.mistakes(answer.mistakes);
      const count = answer.mistakes.length;
      this.say(count ? `${count} mistake${count > 1 ? "s" : ""}: nothing was run.${this.stepper ? " Below is the run before." : ""}` : answer.problem, true);
      if (count) this.editor.choose(answer.mistakes[0].line, answer.mistakes[0].column, answer.mistakes[0].width);
      return false;
    }
    this.mistakes([]);
    await this.show(answer);
    this.busy(false);
    await this.price();
    return true;
  }

  /** Run what the worker has made of a text, and show it. @param {Opened} opened */
  async show(opened) {
    this.opened = opened;
    this.expected = opened.expected;
    try {
      this.made = new PlayRun({ header: opened.header, columns: unpackedColumns(opened.columns) }, opened.script, this.asker);
    } catch (error) {
      return this.say(messageOf(error), true);
    }
    if (this.made.soft) setText(this.state, SOFT);
    await this.made.settle();
    this.live = this.made.live;
    this.draw(this.live.now, this.step);
    this.step = 0;
    this.judge();
    const { problem, now } = this.live, changed = problem ? [] : altered(this.live);
    if (changed.length) this.say((await this.asker.ask({ ask: "returned", isa: opened.header.isa, changed })).problem, true);
    else this.say(problem ? `${problem}\nShown are the ${now.header.steps} steps up to there.` : "", Boolean(problem));
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
  async ask(asked) {
    const { made, stepper } = this;
    if (!made || !stepper) return;
    /** @type {import("./live.js").Answer} */
    let answer;
    try {
      answer = await made.ask(asked);
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
    const wrong = differing(end, expected), all = expectedText(expected);
    this.verdict.classList.toggle("nsim-error", wrong !== undefined);
    setText(this.verdict, [`${steps} steps (counted)`, wrong ?? all].filter(Boolean).join("  ·  "));
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

/** Keep the page's files for a visit without a network: when all of them are there, so that none is sent twice. */
function keepForLater() {
  if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register(new URL("kept.js", document.baseURI)).catch(() => {});
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
}
