// The theme of the page that a stepper stands in, which need not be the system's.

const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

/** Whether a colour is a dark one, however it is written; null for one that can be seen through. @param {string} color */
function isDark(color) {
  if (!paint) return null;
  paint.clearRect(0, 0, 1, 1);
  paint.fillStyle = color;
  paint.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
  return alpha < 128 ? null : 0.3 * red + 0.59 * green + 0.11 * blue < 128;
}

/** What is behind an element: null if nothing says it, and the system decides. @param {HTMLElement} el */
function onDark(el) {
  for (let at = /** @type {Node|null} */ (el.parentNode ?? el); at; at = at.parentNode ?? /** @type {ShadowRoot} */ (at).host) {
    const dark = at instanceof Element ? isDark(getComputedStyle(at).backgroundColor) : null;
    if (dark !== null) return dark;
  }
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return scheme === "normal" || scheme === "light" ? false : scheme === "dark" ? true : null;
}

/**
 * Mark an element as JupyterLab marks its pages, by the paper that it stands on; where the page is one of JupyterLab's
 * it is marked. Follows a page that changes its theme.
 * @param {HTMLElement} el @returns {() => void} ends it
 */
export function followTheme(el) {
  const look = () => {
    delete el.dataset.jpThemeLight;
    const dark = el.isConnected && !el.closest("[data-jp-theme-light]") ? onDark(el) : null;
    if (dark !== null) el.dataset.jpThemeLight = String(!dark);
  };
  const observer = new MutationObserver(look), frame = requestAnimationFrame(look); // not yet on the page, perhaps
  for (const one of [document.documentElement, document.body]) observer.observe(one, { attributes: true });
  look();
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
  };
}
