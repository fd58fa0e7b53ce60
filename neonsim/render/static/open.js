// One run or two: the face that fits.

import { Compare } from "./compare.js";
import { Stepper } from "./stepper.js";

/**
 * @param {HTMLElement} root @param {(import("./payload.js").Payload|import("./payload.js").Parsed)[]} payloads one or two
 * @param {import("./stepper.js").Options} options
 */
export function openRuns(root, payloads, options) {
  return payloads.length > 1 ? new Compare(root, [payloads[0], payloads[1]], options) : new Stepper(root, payloads[0], options);
}
