// Small helpers to make elements. Text always goes through textContent: assembly is untrusted text.

/**
 * Properties of an element, and its listeners.
 * @typedef {{[name: string]: any, onclick?: (event: MouseEvent) => void, onkeydown?: (event: KeyboardEvent) => void,
 *   onpointerover?: (event: PointerEvent) => void, onpointerdown?: (event: PointerEvent) => void}} Props
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. Properties starting with "on" are listeners, "class" and "aria-*", "role", "data-*" attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...(Node|string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * An SVG element, same rules as h().
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...(Node|string)} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** @template {Element} E @param {E} node @param {Props} props @param {(Node|string)[]} children */
function fill(node, props, children) {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children);
  return node;
}

/**
 * Set text only when it differs: most cells keep their value in a step, and an untouched node costs no layout.
 * @param {Node} node @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Scroll inside one pane only; scrollIntoView would also move the notebook.
 * @param {HTMLElement} pane @param {HTMLElement} row
 */
export function reveal(pane, row) {
  // More room below than above: what comes next matters, and the lower end of a tall pane may be off the screen.
  const margin = row.offsetHeight * 2, below = Math.max(margin, pane.clientHeight * 0.4);
  const high = row.offsetHeight, top = row.offsetTop - margin, bottom = row.offsetTop + high + below;
  // By whole rows: the first one in sight is not cut.
  if (top < pane.scrollTop) pane.scrollTop = Math.floor(top / high) * high;
  else if (bottom > pane.scrollTop + pane.clientHeight) pane.scrollTop = Math.ceil((bottom - pane.clientHeight) / high) * high;
}

/** The element that an event is about. @param {Event} event of an element */
export function elementOf(event) {
  return /** @type {HTMLElement} */ (event.target);
}

/** What went wrong, in words. @param {unknown} problem what a catch was given */
export function messageOf(problem) {
  return problem instanceof Error ? problem.message : String(problem);
}
