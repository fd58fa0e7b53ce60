// A run saved as a file of its own, opened from disk: no kernel, no network.

import { elementOf, messageOf } from "./dom.js";
import { openRuns } from "./open.js";
import { gunzipBase64, parsePayload } from "./payload.js";

const NO_ASSEMBLER = "This page computes with other values, but it has no assembler: copy the text, save it as kernel.S and record it anew.";
const CHANGED = "The run on the left has been changed in this page: where data begin to differ is known of the recorded runs alone.";
const MOST_SET = 16; // changes that a link may carry: it is untrusted text

/** @param {URLSearchParams} view */
function remember(view) {
  try {
    history.replaceState(null, "", `#${view}`);
  } catch {
    // A page inside a sandboxed frame may not change its address: then there is no link to copy.
  }
}

/** The program of a page that computes; the page's policy lets it make a script of its own. @returns {Promise<import("./engine.js").Generated|null>} */
async function generated() {
  const packed = document.getElementById("neonsim-program")?.textContent;
  if (!packed) return null;
  const script = document.createElement("script");
  script.textContent = `globalThis.neonsimProgram = ${new TextDecoder().decode(await gunzipBase64(packed.trim()))};`;
  document.head.append(script);
  script.remove();
  return /** @type {any} */ (globalThis).neonsimProgram ?? null;
}

/**
 * @param {{live: (data: import("./payload.js").Parsed, program: import("./engine.js").Generated) => import("./live.js").Live,
 *   bar: NonNullable<import("./stepper.js").Machine["bar"]>}} [computing] what a page that computes has in addition
 */
export async function openSaved(computing) {
  const root = document.getElementById("neonsim");
  if (!root) throw new Error("The page has no element called neonsim.");
  try {
    const texts = [...document.querySelectorAll("#neonsim-run, #neonsim-beside")].map((text) => text.textContent ?? "");
    /** @type {(ArrayBuffer|import("./payload.js").Parsed)[]} */
    let runs = await Promise.all(texts.map((text) => gunzipBase64(text.trim())));
    const program = computing ? await generated() : null;
    const live = computing && program ? computing.live(parsePayload(/** @type {ArrayBuffer} */ (runs[0])), program) : null;
    const first = new URLSearchParams(location.hash.slice(1) || (document.getElementById("neonsim-view")?.textContent?.trim() ?? ""));
    const other = runs.length > 1 ? parsePayload(/** @type {ArrayBuffer} */ (runs[1])) : null;
    // The run beside stays as it was recorded.
    const computed = (/** @type {import("./payload.js").Parsed} */ run) => [run, ...(other ? [live?.changes.length ? { ...other, header: { ...other.header, differs: { said: CHANGED, results: [], followed: false, every: [] } } } : other] : [])];
    if (live) runs = computed(started(live, first));
    /** @type {ReturnType<typeof openRuns>} */
    let stepper;
    let waiting = 0;
    const setUp = () => {
      const { view } = stepper, set = (live?.changes ?? []).map(({ step, name, asked }) => `${step}:${name}=${asked}`).join(";");
      if (set) view.set("set", set);
      return view;
    };
    // The address carries step and settings, so that a copied link opens the same page. Browsers limit how often.
    const moved = () => {
      document.documentElement.style.colorScheme = stepper.theme === "auto" ? "" : stepper.theme;
      clearTimeout(waiting);
      waiting = setTimeout(() => remember(setUp()), 200);
    };
    const link = () => `${location.href.split("#")[0]}#${setUp()}`;
    /** @param {URLSearchParams} view @param {number} step @param {HTMLElement} home */
    const show = (view, step, home) => {
      stepper = openRuns(home, runs, { step, view, onstep: moved, onview: moved, link, machine: live ? { ask, bar: computing?.bar } : undefined, noMachine: live ? NO_ASSEMBLER : undefined, undoable: live?.changes.length });
      Object.assign(window, { neonsim: stepper, neonsimLive: live });
    };
    // What is asked of a page that computes is answered with another run in the place of the one shown.
    const ask = (/** @type {{[what: string]: any}} */ asked) => {
      if (!live) return;
      /** @type {import("./live.js").Answer} */
      let answer;
      try {
        answer = asked.reset ? live.reset() : asked.undo ? live.undo() : live.change(asked.change.step, asked.change.name, String(asked.change.value));
      } catch (error) {
        return stepper.change?.answer({ problem: messageOf(error) });
      }
      const { view } = stepper, put = stepper.change?.state, focused = /** @type {HTMLElement|null} */ (document.activeElement);
      const again = focused?.dataset.input ? `[data-input="${focused.dataset.input}"]` : focused?.dataset.act ? `[data-act="${focused.dataset.act}"]` : "";
      const step = asked.change ? Math.max(stepper.replay.step, answer.step) : answer.step;
      stepper.close();
      const fresh = child(root);
      runs = computed(answer.data);
      show(view, step, fresh);
      if (put) stepper.change?.restore(put);
      stepper.change?.answer(answer);
      if (again) fresh.querySelector(/** @type {"button"} */ (again))?.focus();
      moved();
    };
    show(first, Number(first.get("step") ?? 0), live ? child(root) : root);
    moved();
    // The page is the stepper: keys are its own, wherever the focus is. A link to this same page that is put into the
    // address changes its end only, for which browsers do not load anew.
    document.addEventListener("keydown", (event) => { if (!root.contains(elementOf(event))) stepper.key(event); });
    addEventListener("hashchange", () => location.reload());
  } catch (error) {
    root.setAttribute("role", "alert");
    root.textContent = `This page cannot show its run: ${messageOf(error)} The file may be damaged or cut short: write it again.`;
  }
}

/** An element alone in another. @param {HTMLElement} root */
function child(root) {
  const fresh = document.createElement("div");
  root.replaceChildren(fresh);
  return fresh;
}

/** The run with the changes that a link carries; what it says wrongly is left out. @param {import("./live.js").Live} live @param {URLSearchParams} view */
function started(live, view) {
  for (const text of (view.get("set") ?? "").split(";", MOST_SET).filter(Boolean)) {
    const found = /^(\d{1,9}):([^=]{1,200})=(.{1,200})$/.exec(text);
    try {
      if (found) live.change(Math.min(Number(found[1]), live.now.header.steps), found[2], found[3]);
    } catch {
      // untrusted text
    }
  }
  return live.now;
}
