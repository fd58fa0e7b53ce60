// node live.mjs MODULE: runs of the playground, one JSON text a line: {header, columns: name -> base64, script}; of each the columns of
// its record and what it leaves, one line that begins with "= ". MODULE is playsoft.js, joined. Words of floating point are asked
// for on the standard output, and come back on the standard input.

import { readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { Replay, softRun } = await import(pathToFileURL(process.argv[2]).href);
const chunk = new Uint8Array(1 << 16);
let text = "";

function line() {
  const parts = [text];
  for (let end = text.indexOf("\n"); end < 0;) {
    const n = readSync(0, chunk);
    if (!n) return "";
    const part = Buffer.from(chunk.subarray(0, n)).toString("latin1");
    parts.push(part);
    end = part.indexOf("\n");
  }
  const whole = parts.join(""), end = whole.indexOf("\n");
  text = whole.slice(end + 1);
  return whole.slice(0, end);
}

const compute = (...asked) => {
  writeSync(1, `${asked.join(" ")}\n`);
  return BigInt(line());
};
const packed = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

for (let asked = line(); asked; asked = line()) {
  const { header, columns, script } = JSON.parse(asked);
  const plain = Object.fromEntries(Object.entries(columns).map(([name, data]) => [name, Uint8Array.from(Buffer.from(data, "base64"))]));
  const { data, problem } = softRun({ data: { header, columns: plain }, script, changes: [] }, () => compute);
  const replay = new Replay(data), kept = {};
  replay.goto(replay.steps);
  for (const name of ["pc", "executed", "access_count", "access_buffer", "access_offset", "access_bytes", "access_store"]) kept[name] = [...data.columns[name]];
  const answer = JSON.stringify({ problem, columns: kept, registers: packed(replay.now), memory: packed(replay.memory) });
  let at = 0; // a pipe takes 64 kB at a time
  const bytes = Buffer.from(`= ${answer}\n`);
  while (at < bytes.length) {
    try {
      at += writeSync(1, bytes, at);
    } catch (problem) {
      if (problem.code !== "EAGAIN") throw problem;
    }
  }
}
