// Two runs and where in one a place of the other is: by step, by iteration of the main loop, by modelled cycle.

/** The main loop of a run, the branch backwards that is taken most often, as marks on the line of steps. */
export class Iterations {
  /** @param {import("./state.js").Replay} replay */
  constructor(replay) {
    const { columns, steps } = replay, taken = new Map();
    for (let k = 1; k < steps; k++) {
      if (columns.pc[k] > columns.pc[k - 1]) continue;
      const edge = columns.pc[k - 1] * 0x100000 + columns.pc[k];
      taken.set(edge, (taken.get(edge) ?? 0) + 1);
    }
    const [edge] = [...taken].reduce((best, one) => (one[1] > best[1] ? one : best), [-1, 0]);
    /** Steps at which a part of the run begins: the way to the loop, each iteration, what follows; last the end. */
    this.marks = [0];
    this.count = 0;
    if (edge >= 0) {
      const head = edge % 0x100000, tail = Math.floor(edge / 0x100000);
      let last = 0;
      for (let k = 0; k < steps; k++) {
        if (columns.pc[k] === head) (this.marks.push(k), this.count++);
        if (columns.pc[k] === tail) last = k + 1;
      }
      this.marks.push(Math.max(last, ...this.marks.slice(-1)));
    }
    this.marks.push(steps);
  }

  /** @param {number} step @returns {[number, number]} number of the part that it lies in, and how far in, 0 to 1 */
  place(step) {
    const { marks } = this;
    let part = 0, end = marks.length - 1;
    while (end - part > 1) {
      const middle = (part + end) >> 1;
      if (marks[middle] <= step) part = middle; else end = middle;
    }
    const long = marks[part + 1] - marks[part];
    return [part, long ? (step - marks[part]) / long : 0];
  }

  /** The step at the same place of this run as `step` is in another. @param {Iterations} other @param {number} step */
  counterpart(other, step) {
    const [part, far] = other.place(step), { marks } = this;
    const mine = other.count === 0 || this.count === 0 ? (part === 0 ? 0 : marks.length - 2)
      : part === 0 ? 0 : part > other.count ? this.count + 1 : Math.min(part, this.count);
    return marks[mine] + Math.round(far * (marks[mine + 1] - marks[mine]));
  }

  /** @param {number} step @returns {string} "iteration 3 of 8" */
  say(step) {
    const [part] = this.place(step);
    if (!this.count) return "no loop";
    return part === 0 ? "before the loop" : part > this.count ? "behind the loop" : `iteration ${part} of ${this.count}`;
  }
}

/**
 * Last step of a run that has issued by the modelled cycle in which `step` of another has.
 * @param {import("./state.js").Replay} mine @param {import("./state.js").Replay} theirs @param {number} step
 */
export function byCycle(mine, theirs, step) {
  if (!step) return 0;
  const cycle = issuedBy(theirs)[step - 1], at = issuedBy(mine);
  let low = 0, high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle] <= cycle) low = middle + 1; else high = middle;
  }
  return low;
}

/**
 * Cycles by which a step and all before it have issued: on a core out of order they do not rise by themselves.
 * @param {import("./state.js").Replay} replay
 */
export function issuedBy(replay) {
  replay.issued ??= replay.columns.issue_cycle.reduce((list, cycle, k) => {
    list[k] = Math.max(cycle, k ? list[k - 1] : 0);
    return list;
  }, new Uint32Array(replay.steps));
  return replay.issued;
}
