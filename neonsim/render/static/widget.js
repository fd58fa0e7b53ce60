// Home 1: a notebook, through anywidget.

import { messageOf } from "./dom.js";
import { shareKeys } from "./focus.js";
import { cellsOf, kernelOf } from "./notebook.js";
import { openRuns } from "./open.js";
import { gunzip } from "./payload.js";
import { followTheme } from "./theme.js";

const NO_CALL = "This run cannot be repeated, because it is not a complete recorded call. Copy the text into a %%neon cell to run it.";
const NO_KERNEL = "No kernel answers: run the cell again.";
const PATIENCE = 500; // ms between two looks whether the kernel that was asked is still there

/**
 * What anywidget gives: the widget's state, shared with the kernel, and the host's manager of widgets.
 * @typedef {{get: (name: string) => any, set: (name: string, value: any) => void, save_changes: () => void,
 *   on: (event: string, act: () => void) => void, off: (event: string, act: () => void) => void,
 *   widget_manager?: any}} Model
 */

/** @param {{model: Model, el: HTMLElement}} home */
async function render({ model, el }) {
  const kernel = await kernelOf(model);
  /** @type {ReturnType<typeof openRuns>|null} */
  let stepper = null;
  // Its numbers are no other view's, nor those of this one before the page was loaded again: a request that equals the
  // last one is none.
  let number = Math.floor(Math.random() * 2 ** 50), asked = 0, editing = false; // whether the last request was a text
  let seen = ""; // the view as the kernel and this page agree on it
  let opened = 0, opening = false; // how often it was opened, or given up; whether the last time is not over yet
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let waiting;
  /** @type {ReturnType<typeof setInterval>|undefined} */
  let watching;
  let endKeys = () => {};
  /** What a page set anew takes over. */
  const setUp = () => {
    const view = new URLSearchParams(model.get("view") ?? "");
    view.delete("step"); // the kernel says it
    return view;
  };
  const keep = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const view = stepper?.view;
      view?.delete("step");
      if (!view || String(view) === seen) return;
      seen = String(view);
      model.set("view", seen);
      model.save_changes();
    }, 300);
  };
  const said = (/** @type {{problem: string}} */ one) => {
    clearInterval(watching);
    (editing ? stepper?.editor : stepper?.change)?.answer(one);
  };
  const lost = () => { if (!kernel.answers()) said({ problem: NO_KERNEL }); };
  // A change that comes from here is told to the kernel, which runs the text and answers.
  const ask = (/** @type {{[what: string]: any}} */ request) => {
    editing = "text" in request;
    if (!kernel.answers()) return lost();
    asked = ++number;
    model.set("request", { number, ...request });
    model.save_changes();
    clearInterval(watching);
    watching = setInterval(lost, PATIENCE);
  };
  const machine = { run: (/** @type {string} */ text) => ask({ text }), ask };
  const open = async () => {
    const mine = ++opened;
    opening = true;
    /** @type {ArrayBuffer[]|unknown} */
    const runs = await Promise.all([model.get("payload"), model.get("beside")].filter((run) => run?.byteLength).map(gunzip)).catch((error) => error);
    if (mine !== opened) return; // another run has come, or the stepper is gone
    opening = false;
    const view = stepper?.view ?? setUp(), typed = stepper?.editor?.state, put = stepper?.change?.state;
    const had = el.contains(document.activeElement);
    view.delete("step");
    seen = model.get("view") ?? "";
    stepper?.close();
    endKeys();
    el.replaceChildren();
    stepper = null;
    const root = el.appendChild(document.createElement("div"));
    try {
      if (!Array.isArray(runs)) throw runs;
      stepper = openRuns(root, runs, { step: model.get("step"), view, machine: model.get("runs") && kernel.machine ? machine : undefined, noMachine: model.get("runs") ? undefined : NO_CALL, undoable: model.get("undoable"), cells: cellsOf(model),
        onstep: (step) => { model.set("step", step); model.save_changes(); },
        onview: keep });
      endKeys = shareKeys(root);
      if (had) root.focus({ preventScroll: true });
      if (typed) stepper.editor?.restore(typed);
      if (put) stepper.change?.restore(put);
      answer();
    } catch (error) {
      root.setAttribute("role", "alert");
      root.textContent = `The stepper cannot show this run: ${messageOf(error)} Run the cell again.`;
    }
  };
  // A stepper that is being opened takes step and answer when it is open.
  const move = () => { if (stepper && !opening && stepper.replay.step !== model.get("step")) stepper.goto(model.get("step"), false); };
  const answer = () => { if (asked && !opening && model.get("answer")?.number === asked) said(model.get("answer")); };
  const changed = () => {
    if ((model.get("view") ?? "") === seen) return;
    stepper?.close();
    stepper = null;
    open();
  };
  await open();
  const endTheme = followTheme(el);
  model.on("change:view", changed);
  model.on("change:payload", open);
  model.on("change:step", move);
  model.on("change:answer", answer);
  return () => {
    opened++;
    clearTimeout(waiting);
    clearInterval(watching);
    stepper?.close();
    endKeys();
    endTheme();
    el.replaceChildren();
    stepper = null;
    model.off("change:view", changed);
    model.off("change:payload", open);
    model.off("change:step", move);
    model.off("change:answer", answer);
  };
}

export default { render };
