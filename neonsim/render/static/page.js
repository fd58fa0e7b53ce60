// Home 2: a file of its own, opened from disk: no kernel, no network.

import { gunzipBase64 } from "./payload.js";
import { Stepper } from "./stepper.js";

async function open() {
  const root = document.getElementById("neonsim");
  try {
    const bytes = await gunzipBase64(document.getElementById("neonsim-run").textContent.trim());
    const wanted = Number(new URLSearchParams(location.hash.slice(1)).get("step") ?? 0);
    const stepper = new Stepper(root, bytes, {
      step: wanted,
      // The address carries the step, so that a copied link opens at the same place.
      onstep: (step) => history.replaceState(null, "", `#step=${step}`),
    });
    window.neonsim = stepper;
  } catch (error) {
    root.textContent = `This page cannot show its run: ${error.message}`;
  }
}

open();
