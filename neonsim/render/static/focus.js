// Keys in a notebook: when they are the stepper's, and which of them the notebook still gets.

import { elementOf } from "./dom.js";

const TYPING = "textarea, select, input:not([type=checkbox]):not([type=range]), [contenteditable=true]";

/**
 * A stepper has the keys when it was clicked anywhere, reached by Tab, or when its cell was run in place (Ctrl Enter):
 * then the selected cell is the one it stands in, and the user does not type. It never takes them from an editor, nor from another
 * cell, which is selected after Shift Enter and the run button. Escape gives them back to the cell.
 * @param {HTMLElement} root what takes the focus
 * @returns {() => void} ends it
 */
export function shareKeys(root) {
  const cell = () => /** @type {HTMLElement|null} */ (root.closest(".jp-Cell"));
  root.tabIndex = -1;
  // A notebook asks for the output before it puts it on the page.
  const frame = requestAnimationFrame(() => { if (cell() && document.activeElement === cell()) root.focus({ preventScroll: true }); });
  // JupyterLab listens on the document, before any element does, and looks whether the focused element, or one around
  // it, opts out of its shortcuts. The window comes before the document.
  const before = (/** @type {KeyboardEvent} */ event) => {
    const target = elementOf(event);
    if (!(target instanceof Element) || !root.contains(target)) return;
    const theirs = !target.matches(TYPING) && (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
      && (event.key === "Enter" || (event.key === "s" && !event.shiftKey));
    for (let at = target; at && root.contains(at); at = /** @type {HTMLElement} */ (at.parentElement)) {
      if (theirs) delete at.dataset.lmSuppressShortcuts;
    }
    if (!theirs) root.dataset.lmSuppressShortcuts = target.dataset.lmSuppressShortcuts = "true";
  };
  const after = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !cell() || elementOf(event).matches(TYPING)) return;
    cell()?.focus({ preventScroll: true });
    event.stopPropagation();
  };
  addEventListener("keydown", before, true);
  root.addEventListener("keydown", after);
  return () => {
    cancelAnimationFrame(frame);
    removeEventListener("keydown", before, true);
    root.removeEventListener("keydown", after);
  };
}
