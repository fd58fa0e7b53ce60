// node wheel.mjs FOLDER WHEEL: installs a wheel without C in the CPython for browsers that lies in FOLDER/pyodide, as micropip does: by
// unpacking it. Assembles and runs a word with it, without numpy, which comes from elsewhere. Prints one JSON object.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , folder, wheel] = process.argv;
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${folder}/pyodide/` });
python.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel");
python.FS.writeFile("/absent_numpy.py", readFileSync(new URL("../../docs/website/play/absent_numpy.py", import.meta.url)));
try {
  console.log(
    python.runPython(`
import importlib.metadata, json, sys

sys.path.insert(0, "/")
import absent_numpy
absent_numpy.install()
from neonsim.render.play import answer
absent_numpy.seal()
opened = json.loads(answer(json.dumps({"ask": "open", "isa": "aarch64", "text": "fadd v0.8h, v1.8h, v2.8h\\nret", "words": []})))
json.dumps({"platform": sys.platform, "version": importlib.metadata.version("neonsim"), "problem": opened.get("problem"),
            "instructions": [one["text"] for one in opened.get("header", {}).get("instructions", [])],
            "requires": importlib.metadata.requires("neonsim")})
`),
  );
} catch (error) {
  console.error(error.message); // without the line of Pyodide that it comes from, which is a megabyte long
  process.exit(1);
}
