// Cells of %%neon and %%neon_exercise in JupyterLab and Notebook 7: coloured as assembly, and an exercise with a long
// text folded to the part to write. The host colours every cell as Python; it has no hook for a magic, so these colours
// lie over its own.
//
// JupyterLab loads this file as it is: what a bundler would make of it, a container of webpack's module federation, is
// written by hand. `init` gets the modules that the host shares, `get` gives the plugin. CodeMirror is the host's own.

(() => {
  const MAGIC = /^%%neon(?:_exercise)?(?=\s|$)/;
  const EXERCISE = /^%%neon_exercise\s/;
  const OPEN = /^\s*\/\/ your instructions\s*$/; // neonsim/learn/course/exercise.py
  const STAGE = /^\s*\/\/ ----/;
  const LONG = 24;          // lines of a cell that is folded
  const MOST = 3000;        // lines of a cell that is coloured
  // As neonsim/render/static/colour.js has them.
  const PART = /(\/\/.*|\/\*.*?(?:\*\/|$)|@.*|^\s*#.*)|(^\s*[\w.$]+:)|(#?-?\b0x[0-9a-f]+\b|#-?\d+|\b\d+\b)|([a-z_.][\w.]*)|(\s+)|(.)/giy;
  const REGISTER = /^(?:[vqdshbxwr]\d+(?:\.\w+)?|sp|lr|pc|ip|xzr|wzr)$/i;
  // The theme's own colours, so that both themes and those of others fit.
  const COLORS = { comment: "comment", label: "def", number: "number", directive: "meta", mnemonic: "keyword",
    register: "variable-2", plain: "variable" };

  /** The pieces of a line: [from, to, kind]. */
  function pieces(text) {
    const found = [];
    let mnemonic = false;
    PART.lastIndex = 0;
    for (let match = PART.exec(text); match; match = PART.exec(text)) {
      const [all, comment, label, number, word, blank] = match;
      let kind = comment ? "comment" : label ? "label" : number ? "number" : "plain";
      if (word) {
        kind = !mnemonic ? (word.startsWith(".") ? "directive" : "mnemonic") : REGISTER.test(word) ? "register" : "plain";
        mnemonic = true;
      }
      if (!blank) found.push([match.index, match.index + all.length, kind]);
    }
    return found;
  }

  /** Whether a comment of several lines is open behind a line, where it was open before it or not. */
  function openBehind(text, open) {
    let at = 0;
    for (;;) {
      if (open) {
        const end = text.indexOf("*/", at);
        if (end < 0) return true;
        at = end + 2;
        open = false;
      }
      const next = text.slice(at).search(/\/\/|\/\*/);
      if (next < 0 || text[at + next + 1] === "/") return false;
      open = true;
      at += next + 2;
    }
  }

  /** What of an exercise is given: [from, to] of the document, the ends of the lines that stay included. */
  function given(doc) {
    const lines = Array.from({ length: doc.lines }, (_, k) => doc.line(k + 1));
    if (lines.length <= LONG || !EXERCISE.test(lines[0].text)) return [];
    const open = lines.flatMap(({ text }, k) => (OPEN.test(text) ? [k] : []));
    if (!open.length) return [];
    const stages = lines.flatMap(({ text }, k) => (STAGE.test(text) ? [k] : []));
    const ranges = [];
    let last = 0; // the last line that stays
    for (const k of open) {
      const first = Math.max(...stages.filter((stage) => stage <= k), last + 1);
      if (first - 1 > last) ranges.push([lines[last].to, lines[first - 1].to]);
      last = Math.min(...stages.filter((stage) => stage > k), lines.length - 1);
    }
    if (lines.length - 1 > last) ranges.push([lines[last].to, doc.length]);
    return ranges;
  }

  /** The extension of an editor, from the host's CodeMirror. */
  function cells({ Decoration, EditorView, ViewPlugin }, { Prec, RangeSetBuilder }, { codeFolding, foldEffect }) {
    const marks = Object.fromEntries(Object.keys(COLORS).map((kind) => [kind, Decoration.mark({ class: `neonsim-${kind}` })]));
    const drawn = (view) => {
      const { doc } = view.state, builder = new RangeSetBuilder();
      if (!MAGIC.test(doc.line(1).text) || doc.lines > MOST) return builder.finish();
      let open = false;
      for (let number = 2; number <= doc.lines; number++) {
        const { from, text } = doc.line(number), end = open ? text.indexOf("*/") : 0;
        const begun = !open ? 0 : end < 0 ? text.length : end + 2;
        if (begun) builder.add(from, from + begun, marks.comment);
        for (const [start, to, kind] of pieces(text.slice(begun))) builder.add(from + begun + start, from + begun + to, marks[kind]);
        open = openBehind(text, open);
      }
      return builder.finish();
    };
    const plugin = ViewPlugin.fromClass(class {
      constructor(view) {
        this.decorations = drawn(view);
        const ranges = given(view.state.doc);
        // Behind the making of the view, in which nothing may be changed.
        if (ranges.length) setTimeout(() => view.dispatch({ effects: ranges.map(([from, to]) => foldEffect.of({ from, to })) }));
      }

      update(update) {
        if (update.docChanged) this.decorations = drawn(update.view);
      }
    }, { decorations: (value) => value.decorations });
    const style = Object.fromEntries(Object.entries(COLORS).map(([kind, color]) => [`.neonsim-${kind}`, {
      color: `var(--jp-mirror-editor-${color}-color)`, fontStyle: kind === "comment" ? "italic" : "normal",
      fontWeight: kind === "mnemonic" ? "bold" : "normal", textDecoration: "none" }]));
    style[".neonsim-given"] = { background: "none", border: "1px solid currentColor", borderRadius: "3px", color: "inherit",
      cursor: "pointer", font: "inherit", fontSize: "85%", margin: "0 4px", opacity: "0.8", padding: "0 4px" };
    const folding = codeFolding({
      preparePlaceholder: (state, { from, to }) => state.doc.lineAt(to).number - state.doc.lineAt(from).number,
      placeholderDOM: (_, onclick, count) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "cm-foldPlaceholder neonsim-given";
        button.textContent = `${count} lines given`;
        button.title = "show them";
        button.onclick = onclick;
        return button;
      } });
    // The innermost span has the colour: what comes first is innermost.
    return [Prec.highest(plugin), EditorView.baseTheme(style), folding];
  }

  let scope = {};

  /** A module that the host shares. */
  async function shared(name) {
    const versions = Object.values(scope[name] ?? {});
    const chosen = versions.find(({ loaded }) => loaded) ?? versions[0];
    if (!chosen) throw new Error(`neonsim: this host shares no ${name}; cells stay as it colours them`);
    return (await chosen.get())();
  }

  async function extension() {
    const [codemirror, view, state, language] = await Promise.all(["@jupyterlab/codemirror", "@codemirror/view", "@codemirror/state", "@codemirror/language"].map(shared));
    const plugin = {
      id: "neonsim:cells",
      description: "Cells of assembly in colours, exercise cells folded to the part to write.",
      autoStart: true,
      requires: [codemirror.IEditorExtensionRegistry],
      activate: (_, registry) => {
        const made = cells(view, state, language);
        registry.addExtension({ name: "neonsim:cells", factory: () => ({ instance: () => made, reconfigure: () => null }) });
      },
    };
    return { __esModule: true, default: plugin };
  }

  window._JUPYTERLAB = window._JUPYTERLAB ?? {};
  window._JUPYTERLAB.neonsim = {
    init: (modules) => { scope = modules; },
    get: async (name) => {
      if (name !== "./extension") throw new Error(`neonsim has no module ${name}`);
      const made = await extension();
      return () => made;
    },
  };
})();
