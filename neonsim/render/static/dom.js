// Small helpers to make elements. Text always goes through textContent: assembly is somebody else's text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. Properties starting with "on" are listeners, "class" and "aria-*", "role", "data-*" attributes.
 * @param {string} tag
 * @param {Object<string, any>} [props]
 * @param {...(Node|string)} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * An SVG element, same rules as h().
 * @param {string} tag
 * @param {Object<string, any>} [props]
 * @param {...(Node|string)} children
 * @returns {any}
 */
export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children);
  return node;
}

/** Set text only when it differs: most cells keep their value in a step, and an untouched node costs no layout. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Scroll inside one pane only; scrollIntoView would also move the notebook. */
export function reveal(pane, row) {
  // More room below than above: what comes next matters, and the lower end of a tall pane may be off the screen.
  const margin = row.offsetHeight * 2, below = Math.max(margin, pane.clientHeight * 0.4);
  const top = row.offsetTop - margin, bottom = row.offsetTop + row.offsetHeight + below;
  if (top < pane.scrollTop) pane.scrollTop = top;
  else if (bottom > pane.scrollTop + pane.clientHeight) pane.scrollTop = bottom - pane.clientHeight;
}
