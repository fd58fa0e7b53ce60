// node native/wasm/run.mjs build/wasm/neonsim.wasm                           families, a JSON line
// node native/wasm/run.mjs build/wasm/neonsim.wasm FAMILY < NETWORK          the arena after a run
// node native/wasm/run.mjs build/wasm/neonsim.wasm FAMILY RUNS < NETWORK     milliseconds of so many runs, and the peak: a JSON line
import { readFile } from "node:fs/promises"
import { argv, exit, stderr, stdin, stdout } from "node:process"
import { load } from "./neonsim.mjs"

const [path, family, runs] = argv.slice(2)

async function main() {
  const library = await load(await WebAssembly.compile(await readFile(path)))
  if (family === undefined) return JSON.stringify(library.families()) + "\n"
  const parts = []
  for await (const part of stdin) parts.push(part)
  const network = library.network(new Uint8Array(Buffer.concat(parts)), family)
  if (runs === undefined) {
    network.run()
    return network.arena
  }
  const times = Array.from({ length: Number(runs) }, () => network.run())
  return JSON.stringify({ times, peak: library.peak(family) }) + "\n"
}

try {
  stdout.write(await main())
} catch (problem) {
  stderr.write(`${problem instanceof Error ? problem.message : problem}\n`)
  exit(2)
}
