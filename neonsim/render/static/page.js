// Home 2: a file of its own, opened from disk: no kernel, no network.

import { gunzipBase64 } from "./payload.js";
import { Stepper } from "./stepper.js";

function remember(view) {
  try {
    history.replaceState(null, "", `#${view}`);
  } catch {
    // A page inside a sandboxed frame may not change its address: then there is no link to copy.
  }
}

async function open() {
  const root = document.getElementById("neonsim");
  try {
    const bytes = await gunzipBase64(document.getElementById("neonsim-run").textContent.trim());
    const view = new URLSearchParams(location.hash.slice(1));
    let waiting = 0;
    // The address carries step and settings, so that a copied link opens the same page. Browsers limit how often.
    const moved = () => {
      document.documentElement.style.colorScheme = stepper.theme === "auto" ? "" : stepper.theme;
      clearTimeout(waiting);
      waiting = setTimeout(() => remember(stepper.view), 200);
    };
    const stepper = new Stepper(root, bytes, { step: Number(view.get("step") ?? 0), view, onstep: moved, onview: moved });
    moved();
    window.neonsim = stepper;
  } catch (error) {
    root.textContent = `This page cannot show its run: ${error.message}`;
  }
}

open();
