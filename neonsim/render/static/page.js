// Home 2: a file of its own, opened from disk: no kernel, no network.

import { elementOf, messageOf } from "./dom.js";
import { openRuns } from "./open.js";
import { gunzipBase64 } from "./payload.js";

/** @param {URLSearchParams} view */
function remember(view) {
  try {
    history.replaceState(null, "", `#${view}`);
  } catch {
    // A page inside a sandboxed frame may not change its address: then there is no link to copy.
  }
}

async function open() {
  const root = document.getElementById("neonsim");
  if (!root) throw new Error("The page has no element called neonsim.");
  try {
    const texts = [...document.querySelectorAll("#neonsim-run, #neonsim-beside")].map((text) => text.textContent ?? "");
    const runs = await Promise.all(texts.map((text) => gunzipBase64(text.trim())));
    const view = new URLSearchParams(location.hash.slice(1) || (document.getElementById("neonsim-view")?.textContent?.trim() ?? ""));
    let waiting = 0;
    // The address carries step and settings, so that a copied link opens the same page. Browsers limit how often.
    const moved = () => {
      document.documentElement.style.colorScheme = stepper.theme === "auto" ? "" : stepper.theme;
      clearTimeout(waiting);
      waiting = setTimeout(() => remember(stepper.view), 200);
    };
    const link = () => `${location.href.split("#")[0]}#${stepper.view}`;
    const stepper = openRuns(root, runs, { step: Number(view.get("step") ?? 0), view, onstep: moved, onview: moved, link });
    moved();
    // The page is the stepper: keys are its own, wherever the focus is. A link to this same page that is put into the
    // address changes its end only, for which browsers do not load anew.
    document.addEventListener("keydown", (event) => { if (!root.contains(elementOf(event))) stepper.key(event); });
    addEventListener("hashchange", () => location.reload());
    Object.assign(window, { neonsim: stepper });
  } catch (error) {
    root.setAttribute("role", "alert");
    root.textContent = `This page cannot show its run: ${messageOf(error)} The file may be damaged or cut short: write it again.`;
  }
}

open();
