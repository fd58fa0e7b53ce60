// The notebook around a widget, where its host lets a page reach it: JupyterLab and Notebook give the widget's manager
// the document. Elsewhere there is the clipboard.

/**
 * The parts of JupyterLab's shared model of a notebook that are used.
 * @typedef {{id?: string, getId?: () => string, getSource: () => string, setSource: (text: string) => void}} SharedCell
 * @typedef {{cells: SharedCell[], insertCell: (index: number, cell: {cell_type: string, source: string, metadata: object}) => unknown}} SharedNotebook
 */

/** The cells of the notebook, or null where the host keeps them to itself. @param {any} model of anywidget @returns {SharedNotebook|null} */
function sharedNotebook(model) {
  try {
    const notebook = model.widget_manager?.context?.model?.sharedModel;
    return notebook && Array.isArray(notebook.cells) && typeof notebook.insertCell === "function" ? notebook : null;
  } catch {
    return null;
  }
}

/**
 * A cell of a magic and a text. A text from below a magic has an empty line in its place, so that its lines have the
 * numbers of the cell's. @param {string} line @param {string} text
 */
export function cellText(line, text) {
  return `${line}\n${text.replace(/^\n|\n$/g, "")}`;
}

/**
 * What can be done with a changed text. `line`: the first line of a cell that runs it; insert and replace are there
 * where the host and the cell permit them, and say what they did.
 * @param {any} model of anywidget
 * @returns {{line: string, insert?: (text: string) => string, replace?: (text: string) => string}}
 */
export function cellsOf(model) {
  const { line = "%%neon", id = "", own = false } = model.get("cell") ?? {}, notebook = sharedNotebook(model);
  if (!notebook) return { line };
  const index = () => notebook.cells.findIndex((cell) => id && (cell.id ?? cell.getId?.()) === id);
  const source = (/** @type {string} */ text) => cellText(line, text);
  return {
    line,
    insert: (text) => {
      const at = index();
      notebook.insertCell(at < 0 ? notebook.cells.length : at + 1, { cell_type: "code", source: source(text), metadata: {} });
      return at < 0 ? "Put into a new cell at the end of the notebook." : "Put into a new cell below this one.";
    },
    replace: own && index() >= 0 ? (text) => {
      const cell = notebook.cells[index()];
      if (!cell) return "The cell is no longer there: put the text into a new one.";
      cell.setSource(source(text));
      return "The cell has this text now; ctrl Z in the cell takes it back.";
    } : undefined,
  };
}

/**
 * The kernel behind a widget. `machine`: whether changes can be asked for here at all, which a page made of a notebook
 * cannot; `answers` says whether the kernel is there now: one that was shut down or restarted knows nothing of the run.
 * @param {any} model of anywidget
 * @returns {Promise<{machine: boolean, answers: () => boolean}>}
 */
export async function kernelOf(model) {
  const manager = model.widget_manager, own = await manager?.get_model(model.get("own_id"));
  // JupyterLab ends the channels of a kernel with the kernel; other hosts, and a restart, mark the widget alone.
  const answers = () => own?.comm_live !== false && !own?.comm?.jsServicesComm?.isDisposed;
  return { machine: answers() || "kernel" in manager, answers };
}
