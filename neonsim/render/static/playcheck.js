// An exercise of the course in the playground: its stored calls, the budget of the timed one, and the file that grades it again. The
// verdict that counts is that of `neonsim course grade`, which draws other calls.

import { altered, atEnd, differing, recordOf, unpackedColumns } from "./playcall.js";
import { PlayRun } from "./playrun.js";

/**
 * An exercise: `calls` that its answer is checked by, the last of them timed; none, and a sentence in `rest`, where the page cannot.
 * `budget`: of the timed call, see neonsim.arm.timing.counts.Budget; `steps` of a call at most; `outputs`: buffers with the result;
 * `entry`: the function; `result`: what a file of results says of it.
 * @typedef {{calls: Call[], rest: string, budget: object, steps: number, outputs: string[], entry: string,
 *   result: {format: string, exercise: string, isa: string}}} Exercise
 * @typedef {{name: string, words: string[], expected: string[]}} Call
 * @typedef {import("./playasker.js").Asker} Asker
 */

/** @param {string} name of the example */
export function fileName(name) {
  return `${name.replace(/\.exercise$/, "")}.json`;
}

/** @param {string} name */
export function gradeText(name) {
  return `Save the answer; what counts is: neonsim course grade ${fileName(name)}`;
}

/** A file of results, as neonsim.learn.course.classroom.gradebook reads it. @param {Exercise} exercise @param {string} answer @param {boolean} passed in this page */
export function resultFile({ result: { format, exercise, isa } }, answer, passed) {
  const row = { exercise, isa, passed, attempts: 1, when: new Date().toISOString().replace(/\.\d+/, ""), message: "checked in the playground", answer };
  return `${JSON.stringify({ format, who: "", passed: Number(passed), tried: 1, results: [row] }, null, 1)}\n`;
}

/**
 * Every stored call by the text that was opened last, and the budget of the last one.
 * @param {Exercise} exercise @param {import("./play.js").Opened} opened @param {Asker} asker @returns {Promise<{passed: boolean, sentences: string[]}>}
 */
export async function judged({ calls, budget, steps, outputs }, opened, asker) {
  let right = 0, first = "", record = {};
  for (const { name, words, expected } of calls) {
    const answer = await asker.ask({ ask: "call", words, expected }), live = /** @type {any} */ (opened.header.live);
    const header = { ...opened.header, buffers: answer.buffers ?? [], live: { ...live, regions: answer.regions, limit: steps } };
    /** @type {{wrong?: string, record?: object}} */
    const found = answer.problem ? { wrong: answer.problem } : await called(header, answer, opened.script, asker);
    if (found.wrong) first ||= `The first that is wrong, ${name}: ${found.wrong}`;
    else {
      right++;
      record = found.record ?? {};
    }
  }
  const said = `${right} of ${calls.length} calls are right.`;
  if (right < calls.length) return { passed: false, sentences: [said, first] };
  const { kept = [], missed = [], problem } = await asker.ask({ ask: "judge", budget, outputs, ...record });
  return { passed: !missed.length && !problem, sentences: [said, ...kept, ...missed.map((/** @type {string} */ words) => `but ${words}`), problem ?? ""].filter(Boolean) };
}

/**
 * One call: what is wrong with it, or its record. @param {import("./payload.js").Header} header
 * @param {{columns: Object<string, string>, expected: import("./playcall.js").Expected[]}} call @param {string} script @param {Asker} asker
 * @returns {Promise<{wrong?: string, record?: object}>}
 */
async function called(header, { columns, expected }, script, asker) {
  const made = new PlayRun({ header, columns: unpackedColumns(columns) }, script, asker), { live } = made;
  await made.settle();
  if (live.problem) return { wrong: live.problem };
  const changed = altered(live), wrong = differing(atEnd(live.data), expected);
  if (wrong) return { wrong };
  if (changed.length) return { wrong: (await asker.ask({ ask: "returned", isa: header.isa, changed })).problem };
  return { record: recordOf(live.data) };
}
