// node links.mjs MODULE: links, one JSON text a line, from the standard input; what each holds, or the sentence that refuses it. A line
// that is an object is packed first.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { packed, unpacked } = await import(pathToFileURL(process.argv[2]).href);
for await (const line of createInterface({ input: process.stdin })) {
  const given = JSON.parse(line);
  const link = typeof given === "string" ? given : await packed(given).catch((error) => error.message);
  const held = await unpacked(link).then((found) => found, (error) => ({ refused: error.message }));
  console.log(JSON.stringify({ link, held }));
}
