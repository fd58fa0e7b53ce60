// The playground's worker: Python without numpy, which has the assembler and the cost models. It is asked in JSON, and answers so.
// What it needs lies beside it: nothing comes from anywhere else. A program that needs Python at every step runs here.

import { softRun } from "./playsoft.js";

const ARCHIVE = "neonsim.tar.xz", LIBRARY = "python_stdlib.zip", HOME = "/play";

const START = `
import sys
sys.path.insert(0, "${HOME}")
import absent_numpy
absent_numpy.install()
from neonsim.render.play import answer, soft_words
absent_numpy.seal()
(lambda asked: answer(asked, ["${HOME}/kernels"]), soft_words)`;

/** @param {string} path beside this file */
function beside(path) {
  return new URL(path, import.meta.url).href;
}

/** @returns {Promise<[answer: (asked: string) => string, soft: (words: string) => import("./playsoft.js").SoftWords]>} */
async function started() {
  const archive = fetch(beside(ARCHIVE)).then((found) => {
    if (!found.ok) throw new Error(`${ARCHIVE} is not there (${found.status})`);
    return found.arrayBuffer();
  });
  const { loadPyodide } = await import(beside("pyodide/pyodide.mjs"));
  const python = await loadPyodide({ indexURL: beside("pyodide/"), stdLibURL: beside(LIBRARY) });
  python.unpackArchive(await archive, "xztar", { extractDir: HOME });
  const [answer, soft] = python.runPython(START);
  return [answer, soft];
}

const ready = started();
ready.then(() => postMessage({ ready: true }), (error) => postMessage({ failed: String(error?.message ?? error).slice(-500) }));
addEventListener("message", async ({ data: { number, asked, run } }) => {
  try {
    const [answer, words] = await ready;
    postMessage({ number, answer: asked ? JSON.parse(answer(JSON.stringify(asked))) : softRun(run, words) });
  } catch (error) {
    postMessage({ number, answer: { problem: `Python stopped: ${String(error instanceof Error ? error.message : error).trim().split("\n").at(-1)}`, mistakes: [] } });
  }
});
