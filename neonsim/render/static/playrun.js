// A run of the playground: in the page. A program that meets floating point which JavaScript does not compute to the bit runs whole
// in the worker, beside Python, which has the definitions: slower, and to the bit.

import { Live } from "./live.js";

/** @typedef {{data: import("./live.js").Data, script: string, changes: import("./live.js").Change[]}} Begun what a run begins with */

/** The functions of a text: words of a closed vocabulary, see neonsim/arm/machine/translate/to_javascript.py. @param {string} script */
export function generatedFrom(script) {
  return new Function(`return ${script};`)();
}

export class PlayRun {
  /** Whether it needs Python. */
  soft = false;

  /** @param {import("./live.js").Data} data of no steps @param {string} script @param {import("./playasker.js").Asker} asker */
  constructor(data, script, asker) {
    this.begun = data;
    this.script = script;
    this.asker = asker;
    this.live = new Live(data, generatedFrom(script), () => {
      this.soft = true;
      throw "is floating point that the worker computes";
    });
  }

  /** Done anew beside Python, if it has to be. */
  async settle() {
    if (!this.soft) return;
    const { live } = this, { changes } = live;
    const { data, problem } = await this.asker.run({ data: this.begun, script: this.script, changes });
    live.problem = problem;
    if (!data) return; // stopped
    live.now = data;
    if (!changes.length) live.data = data;
  }

  /** What is asked of a page that computes: another value, the change before undone, all of them. @param {{[what: string]: any}} asked @returns {Promise<import("./live.js").Answer>} */
  async ask({ reset, undo, change }) {
    const { live } = this, answer = reset ? live.reset() : undo ? live.undo() : live.change(change.step, change.name, String(change.value));
    if (!this.soft || !live.changes.length) return answer;
    await this.settle();
    return { ...answer, data: live.now, problem: live.problem, said: change ? live.changeText : answer.said };
  }
}
