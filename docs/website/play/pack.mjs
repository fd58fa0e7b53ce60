// node pack.mjs FOLDER: what of the playground's Python is sent, made by its own interpreter. FOLDER holds `pyodide`, `source`, and
// `pack.py`; it gets `neonsim.tar.xz` and `python_stdlib.zip`.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , folder] = process.argv;
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${folder}/pyodide/` });
python.FS.mkdir("/work");
python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, "/work");
python.runPython("import sys; sys.dont_write_bytecode = True");
python.runPython(readFileSync(`${folder}/pack.py`, "utf8").replace("from __future__ import annotations", ""));
try {
  console.log(python.runPython("pack(*(Path('/work') / name for name in ('source', 'pyodide/python_stdlib.zip', 'neonsim.tar.xz', 'python_stdlib.zip')))"));
} catch (error) {
  console.error(error.message); // without the line of Pyodide that it comes from, which is a megabyte long
  process.exit(1);
}
