// One run or two: the face that fits.

import { Compare } from "./compare.js";
import { Stepper } from "./stepper.js";

/** @param {HTMLElement} root @param {any[]} payloads @param {any} options as of Stepper */
export function openRuns(root, payloads, options) {
  return payloads.length > 1 ? new Compare(root, [payloads[0], payloads[1]], options) : new Stepper(root, payloads[0], options);
}
