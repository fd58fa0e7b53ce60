// The caches of a timed run as a picture that steps along: which line is in which way of which set, and whose it is.

import { h, s, setText } from "./dom.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {{rect: SVGElement, letter: SVGElement, title: SVGElement, shown: string}} WayCell
 */

const NO_LINE = 0xffffffff, ACROSS = 64, WAY = 12, SET_LEFT = 46, SET_GAP = 8; // sets in a row; px of a way, left of them, between rows
const WHERE = ["hit in L1", "in L1, but still on its way", "not in L1, found in L2", "in neither cache, from memory"];
const OWNERS = 8, MOST_WAYS = 4096; // colours; squares that are drawn

/**
 * What the caches hold after n touches, forwards and backwards. The touches are the model's; here they are only
 * played back (neonsim/render/stepper/cache_columns.py describes the columns).
 */
export class CacheState {
  /** @param {import("./state.js").Replay} replay @param {import("./payload.js").Caches} caches */
  constructor({ columns, steps }, { sets, ways }) {
    this.columns = columns;
    this.sets = sets;
    this.ways = ways;
    this.at = 0; // touches played
    this.lines = new Uint32Array(sets * ways).fill(NO_LINE);
    this.used = new Int32Array(sets * ways); // when each way was used last: the touch's number from 1 on
    columns.first_line.forEach((line, k) => {
      const way = this.place(line, columns.first_way[k]);
      this.lines[way] = line;
      this.used[way] = k - columns.first_line.length;
    });
    this.counts = new Uint32Array(5); // by where a line was; the last: those that were fetched ahead
    const { touch_step } = columns, count = touch_step.length;
    this.before = new Int32Array(count); // `used` before each touch
    this.ends = new Uint32Array(steps + 1); // touches that are over when a step and all before it have made theirs
    for (let k = 0; k < count; k++) this.ends[touch_step[k] + 1] = Math.max(this.ends[touch_step[k] + 1], k + 1);
    for (let k = 1; k <= steps; k++) this.ends[k] = Math.max(this.ends[k], this.ends[k - 1]);
    /** @type {number[][]} */
    this.own = Array.from({ length: steps + 1 }, () => []); // touches of each step
    for (let k = 0; k < count; k++) this.own[touch_step[k] + 1].push(k);
  }

  /** @param {number} line @param {number} way */
  place(line, way) {
    return line % this.sets * this.ways + way;
  }

  /** @param {number} step @param {(line: number, by: number) => void} second told of lines that enter and leave L2 */
  goto(step, second) {
    const { touch_line, touch_what, touch_way, touch_out, touch_out2 } = this.columns, to = this.ends[step];
    while (this.at !== to) {
      const back = this.at > to, k = back ? --this.at : this.at++, line = touch_line[k], what = touch_what[k], way = this.place(line, touch_way[k]);
      const by = back ? -1 : 1;
      if (!back) this.before[k] = this.used[way];
      this.used[way] = back ? this.before[k] : k + 1;
      this.counts[what > 3 ? 4 : what] += by;
      if ((what & 3) < 2) continue;
      this.lines[way] = back ? touch_out[k] : line;
      if ((what & 3) === 3) {
        second(line, by);
        if (touch_out2[k] !== NO_LINE) second(touch_out2[k], -by);
      }
    }
  }

  /** The way of a set whose line has not been used for longest; -1 while one is free. @param {number} set */
  oldest(set) {
    let best = -1;
    for (let k = set * this.ways; k < (set + 1) * this.ways; k++) {
      if (this.lines[k] === NO_LINE) return -1;
      if (best < 0 || this.used[k] < this.used[best]) best = k;
    }
    return best;
  }
}

export class CachesPane {
  tab = "caches";
  title = "Caches";

  /** @param {Stepper} app @param {import("./payload.js").Timing} timing @param {import("./payload.js").Caches} caches */
  constructor(app, timing, caches) {
    this.app = app;
    this.caches = caches;
    this.state = new CacheState(app.replay, caches);
    const { buffers } = app.replay;
    this.names = [...buffers.map(({ name }) => name), "other"];
    this.held = new Uint32Array(this.names.length); // lines in L2, by owner
    for (const line of app.replay.columns.first_line2) this.held[this.owner(line)]++;
    const { sets, ways, line, sets2, ways2, state, prefetch } = caches, drawn = Math.min(sets, Math.floor(MOST_WAYS / ways)), across = Math.min(ACROSS, drawn), rows = Math.ceil(drawn / across);
    /** @type {WayCell[]} */
    this.cells = Array.from({ length: drawn * ways }, (_, k) => {
      const set = Math.floor(k / ways), x = SET_LEFT + set % across * WAY, y = Math.floor(set / across) * (ways * WAY + SET_GAP) + 12 + k % ways * WAY;
      const title = s("title", {});
      return { rect: s("rect", { x, y, width: WAY - 1, height: WAY - 1, rx: 1.5, class: "nsim-way" }, title), title, shown: "",
        letter: s("text", { x: x + (WAY - 1) / 2, y: y + WAY - 3.5, "aria-hidden": "true" }) };
    });
    const labels = Array.from({ length: rows }, (_, row) => s("text", { class: "nsim-set-label", x: SET_LEFT - 5, y: row * (ways * WAY + SET_GAP) + 12 + WAY - 3.5 }, `set ${row * across}`));
    const width = SET_LEFT + across * WAY + 2, height = rows * (ways * WAY + SET_GAP) + 12;
    this.picture = h("div", { class: "nsim-sets", tabindex: "0", role: "group", "aria-label": "L1, sets across, ways down" },
      s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", style: `max-width:${1.4 * width}px;min-width:${Math.min(0.75 * width, 620)}px`,
        "aria-label": "ways of the sets of L1; the lines of this step are written out above" }, ...labels, ...this.cells.flatMap(({ rect, letter }) => [rect, letter])));
    this.words = h("ul", { class: "nsim-touches" });
    this.totals = h("p", { class: "nsim-hint" });
    this.legend = h("p", { class: "nsim-legend nsim-owners" });
    this.share = h("p", { class: "nsim-hint" });
    this.parts = this.names.map((_, k) => s("rect", { class: `nsim-way nsim-owner-${k % OWNERS}`, y: 0, height: 10 }));
    this.element = h("section", { class: "nsim-pane nsim-caches", "aria-label": "caches" },
      h("header", {}, h("h3", {}, "Caches"), h("span", { class: "nsim-hint" }, `modelled, ${timing.core}, ${state} at first, prefetcher ${prefetch ? "on" : "off"}; L1 ${kilobytes(sets * ways * line)}: ${sets} sets of ${ways} ways of ${line} bytes, L2 ${kilobytes(sets2 * ways2 * line)}; the line not used for longest goes out${drawn < sets ? `; the first ${drawn} sets are drawn` : ""}`)),
      this.words, this.picture, this.legend, this.totals, this.share,
      s("svg", { class: "nsim-second", viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" }, ...this.parts));
    this.legend.append(...this.names.map((name, k) => h("span", { class: "nsim-cell" }, h("i", { class: `nsim-key nsim-owner-${k % OWNERS}` }), ` ${name}`)));
  }

  /** The buffer that a line belongs to, by number. @param {number} line */
  owner(line) {
    const first = line * this.caches.line, end = first + this.caches.line, { buffers } = this.app.replay;
    const found = buffers.findIndex(({ address, skipped, size: nbytes }) => address - skipped < end && first < address - skipped + nbytes);
    return found < 0 ? this.names.length - 1 : found;
  }

  /** A line in words: a, bytes 64 to 127. @param {number} line */
  say(line) {
    const owner = this.owner(line), buffer = this.app.replay.buffers[owner], first = line * this.caches.line;
    if (!buffer) return `the line at 0x${first.toString(16)}`;
    const from = first - (buffer.address - buffer.skipped);
    return `${buffer.name}, bytes ${Math.max(from, 0)} to ${Math.min(from + this.caches.line, buffer.size) - 1}`;
  }

  /** One touch in words. @param {number} k */
  touch(k) {
    const { touch_line, touch_what, touch_way, touch_out, touch_out2 } = this.app.replay.columns, line = touch_line[k], what = touch_what[k];
    const who = what & 8 ? "asked for ahead: " : what & 4 ? "the stream prefetcher brings " : "";
    const out = touch_out[k] === NO_LINE ? "" : `; ${this.say(touch_out[k])} goes out of L1 for it`;
    const out2 = touch_out2[k] === NO_LINE ? "" : `; ${this.say(touch_out2[k])} goes out of L2`;
    return `${who}${this.say(line)} (set ${line % this.caches.sets}, way ${touch_way[k]}): ${WHERE[what & 3]}${out}${out2}`;
  }

  /** Scroll sideways to a way, where the picture is wider than its place. @param {Element} way */
  reveal(way) {
    const { picture } = this, { left, width } = picture.getBoundingClientRect(), at = way.getBoundingClientRect().left - left;
    if (at < 0 || at > width - WAY) picture.scrollLeft += at - width / 2;
  }

  update() {
    const { app: { replay }, state, caches: { ways, sets2, ways2 } } = this, { step } = replay, own = state.own[step];
    state.goto(step, (line, by) => { this.held[this.owner(line)] += by; });
    this.words.replaceChildren(...(own.length ? own.map((k) => h("li", {}, this.touch(k))) : [h("li", { class: "nsim-hint" }, step ? "This step touches no line." : "Before the first step.")]));
    const lit = new Map(own.map((k) => [state.place(replay.columns.touch_line[k], replay.columns.touch_way[k]), replay.columns.touch_what[k] & 3]));
    const sets = new Set([...lit.keys()].map((way) => Math.floor(way / ways))), next = new Set([...sets].map((set) => state.oldest(set)));
    this.cells.forEach((cell, k) => {
      const line = state.lines[k], there = line !== NO_LINE, owner = there ? this.owner(line) : -1, now = lit.get(k);
      const shown = `nsim-way${there ? ` nsim-owner-${owner % OWNERS}` : ""}${now === undefined ? "" : now < 2 ? " nsim-hit" : " nsim-miss"}${next.has(k) ? " nsim-goes" : ""}`;
      if (cell.shown === `${shown} ${line}`) return;
      cell.shown = `${shown} ${line}`;
      cell.rect.setAttribute("class", shown);
      setText(cell.letter, there ? this.names[owner][0] : "");
      setText(cell.title, `set ${Math.floor(k / ways)}, way ${k % ways}: ${there ? this.say(line) : "empty"}${next.has(k) ? "; goes out next from this set" : ""}`);
    });
    const [first] = lit.keys();
    if (first < this.cells.length && this.app.follow) requestAnimationFrame(() => this.reveal(this.cells[first].rect));
    const { counts } = state, held = this.held.reduce((sum, n) => sum + n, 0), all = sets2 * ways2;
    setText(this.totals, `up to here (modelled): ${counts[0] + counts[1]} hits in L1${counts[1] ? `, ${counts[1]} of them still on their way` : ""}, ${counts[2] + counts[3]} misses, of these ${counts[2]} found in L2 and ${counts[3]} in memory; ${counts[4]} lines fetched ahead`);
    setText(this.share, `L2: ${held} of ${all} lines${held ? `: ${this.names.map((name, k) => [name, this.held[k]]).filter(([, n]) => n).map(([name, n]) => `${name} ${n}`).join(", ")}` : ""}`);
    let x = 0;
    this.parts.forEach((part, k) => {
      const wide = this.held[k] ? Math.max(3, 1000 * this.held[k] / all) : 0;
      part.setAttribute("x", String(x));
      part.setAttribute("width", String(wide));
      x += wide;
    });
  }
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return bytes % 1024 ? `${bytes} bytes` : `${bytes / 1024} KB`;
}
