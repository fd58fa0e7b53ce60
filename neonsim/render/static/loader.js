// What each stepper of a notebook carries: it takes the script and the style from a widget that they all share, so that
// they are sent, saved and read once.

/**
 * The parts of a host that are used. @typedef {{get: (name: string) => any, widget_manager?: any}} Model
 */

/** @type {{scripts: Map<string, Promise<any>>, styles: Map<string, CSSStyleSheet>}} of all notebooks on this page */
const loaded = /** @type {any} */ (globalThis)[Symbol.for("neonsim")] ??= { scripts: new Map(), styles: new Map() };

/** The script as a module. @param {string} text */
function load(text) {
  let script = loaded.scripts.get(text);
  if (!script) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    script = import(address).finally(() => URL.revokeObjectURL(address));
    loaded.scripts.set(text, script);
  }
  return script;
}

/** The style, where the element is or will be. @param {HTMLElement} el @param {string} text */
function dress({ ownerDocument }, text) {
  let style = loaded.styles.get(text);
  if (!style) {
    style = new CSSStyleSheet();
    style.replaceSync(text);
    loaded.styles.set(text, style);
  }
  if (!ownerDocument.adoptedStyleSheets.includes(style)) ownerDocument.adoptedStyleSheets.push(style);
}

/** @param {{model: Model, el: HTMLElement}} home */
async function render({ model, el }) {
  const code = await model.widget_manager.get_model(model.get("code").replace("IPY_MODEL_", ""));
  dress(el, code.get("style"));
  return (await load(code.get("script"))).default.render({ model, el });
}

export default { render };
