// A run beside Python: what floating point JavaScript does not compute to the bit, Python computes by its definition.

import { Live } from "./live.js";
import { generatedFrom } from "./playrun.js";

/** @typedef {(word: number, rules: number, ...patterns: (number|bigint)[]) => number|bigint} SoftWords exceptions << 64 | bit pattern */

const BITS = 64;

/**
 * @param {import("./playrun.js").Begun} begun @param {(words: string) => SoftWords} wordsOf neonsim.render.play.soft_words
 * @returns {{data: import("./live.js").Data, problem: string}}
 */
export function softRun({ data, script, changes }, wordsOf) {
  const compute = wordsOf(JSON.stringify(data.header.live?.words ?? []));
  const live = new Live(data, generatedFrom(script), (...asked) => {
    const found = BigInt(compute(...asked));
    return [BigInt.asUintN(BITS, found), Number(found >> BigInt(BITS))];
  });
  if (changes.length) {
    live.changes = changes;
    live.again(0);
  }
  return { data: live.now, problem: live.problem };
}
