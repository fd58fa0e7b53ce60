// node archive.mjs FOLDER: questions, one JSON text a line, from the standard input to the playground's Python as it was built; the
// digest of each answer, one a line.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [, , folder] = process.argv;
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${folder}/pyodide/`, stdLibURL: `${folder}/python_stdlib.zip` });
python.unpackArchive(new Uint8Array(readFileSync(`${folder}/neonsim.tar.xz`)), "xztar", { extractDir: "/play" });
const worker = readFileSync(`${folder}/playworker.js`, "utf8");
const [answer] = python.runPython(/const START = `([\s\S]*?)`;/.exec(worker)[1].replaceAll("${HOME}", "/play"));
for await (const line of createInterface({ input: process.stdin })) {
  let said;
  try {
    said = answer(line);
  } catch (error) {
    said = error.message; // what Python raised: no digest is like it
  }
  console.log(said.includes("Traceback") ? said.trim().split("\n").at(-1) : createHash("sha256").update(said).digest("hex"));
}
