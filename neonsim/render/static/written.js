// Uninitialized data looks so: no number, and hatched. A view of bytes may know which of its bytes that is.

/** @typedef {DataView & {known?: Uint8Array}} Bytes `known`: beside each byte 1 if it is initialized; left out, all */

export const UNWRITTEN = "·";
const HATCH = "repeating-linear-gradient(135deg, transparent 0 3px, var(--line) 3px 4px)";

/** @param {ArrayBuffer} buffer @param {Uint8Array} known @returns {Bytes} */
export function marked(buffer, known) {
  return Object.assign(new DataView(buffer), { known });
}

/** Whether all bytes have been written. @param {Bytes} view @param {number} at @param {number} size */
export function isWritten({ known }, at, size) {
  for (let b = at; known && b < at + size; b++) if (!known[b]) return false;
  return true;
}

/** Whether some have. @param {Bytes} view @param {number} at @param {number} size */
function isBegun({ known }, at, size) {
  for (let b = at; known && b < at + size; b++) if (known[b]) return true;
  return !known;
}

/**
 * Bytes of which some have not been written, as text: nothing but a dot, or the digits of those that have been, two dots
 * for each of the others, the most significant first.
 * @param {Bytes} view @param {number} at @param {number} size @param {false|"hex"|"bin"} digits
 */
export function unwrittenText(view, at, size, digits) {
  if (!digits && !isBegun(view, at, size)) return UNWRITTEN;
  let text = digits ? "" : "0x";
  for (let b = at + size - 1; b >= at; b--) {
    const [base, wide] = digits === "bin" ? [2, 8] : [16, 2];
    text += view.known?.[b] ? view.getUint8(b).toString(base).padStart(wide, "0") : UNWRITTEN.repeat(wide);
  }
  return text;
}

/** @param {Bytes} view @param {number} at @param {number} size @returns {string} what of it is uninitialized, in words; "" if nothing */
export function unwrittenWords(view, at, size) {
  if (isWritten(view, at, size)) return "";
  if (!isBegun(view, at, size)) return "not written yet";
  const open = Array.from({ length: size }, (_, b) => b).filter((b) => !view.known?.[at + b]);
  return `byte${open.length > 1 ? "s" : ""} ${open.join(", ")} not written yet`;
}

/**
 * Hatch a cell where its bytes have not been written: all of it by its class, else byte by byte, the most significant on
 * the left as the digits stand.
 * @param {HTMLElement} cell @param {Bytes} view @param {number} at @param {number} size @returns {string} classes to add
 */
export function hatched(cell, view, at, size) {
  const whole = isWritten(view, at, size), none = !whole && !isBegun(view, at, size);
  let layers = "";
  if (!whole && !none) {
    const each = 100 / size;
    for (let b = 0; b < size; b++) if (!view.known?.[at + b]) layers += `${layers && ", "}${HATCH} ${(size - 1 - b) * 100 / (size - 1)}% 0 / ${each}% 100% no-repeat`;
  }
  if (cell.dataset.hatch !== layers && (layers || cell.dataset.hatch)) {
    cell.style.background = layers;
    cell.dataset.hatch = layers;
  }
  return whole ? "" : none ? " nsim-unknown" : " nsim-partly";
}
