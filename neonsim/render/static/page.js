// Home 2: a file of its own, opened from disk: no kernel, no network.

import { gunzipBase64 } from "./payload.js";
import { Stepper } from "./stepper.js";

function remember(step) {
  try {
    history.replaceState(null, "", `#step=${step}`);
  } catch {
    // A page inside a sandboxed frame may not change its address: then there is no link to copy.
  }
}

async function open() {
  const root = document.getElementById("neonsim");
  try {
    const bytes = await gunzipBase64(document.getElementById("neonsim-run").textContent.trim());
    const wanted = Number(new URLSearchParams(location.hash.slice(1)).get("step") ?? 0);
    let waiting = 0;
    const stepper = new Stepper(root, bytes, {
      step: wanted,
      // The address carries the step, so that a copied link opens at the same place. Browsers limit how often.
      onstep: (step) => {
        clearTimeout(waiting);
        waiting = setTimeout(() => remember(step), 200);
      },
    });
    window.neonsim = stepper;
  } catch (error) {
    root.textContent = `This page cannot show its run: ${error.message}`;
  }
}

open();
