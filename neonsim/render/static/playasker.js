// The playground's worker as the page sees it.

/** A worker that is asked questions. */
export class Asker {
  /** @type {Worker} */
  worker;
  ready = false;

  /** @param {() => void} onready @param {(problem: string) => void} onfail */
  constructor(onready, onfail) {
    this.onready = onready;
    this.onfail = onfail;
    this.number = 0;
    /** @type {Map<number, (answer: any) => void>} */
    this.waiting = new Map();
    this.start();
  }

  start() {
    this.ready = false;
    this.worker = new Worker(new URL("playworker.js", document.baseURI), { type: "module" });
    this.worker.onerror = () => this.onfail("the worker could not be started");
    this.worker.onmessage = ({ data }) => {
      if (data.ready) {
        this.ready = true;
        this.onready();
      } else if (data.failed) this.onfail(data.failed);
      else {
        this.waiting.get(data.number)?.(data.answer);
        this.waiting.delete(data.number);
      }
    };
  }

  /** @param {{[what: string]: any}} asked of Python @returns {Promise<any>} */
  ask(asked) {
    return this.post({ asked });
  }

  /** A run beside Python. @param {import("./playrun.js").Begun} run @returns {Promise<{data?: import("./live.js").Data, problem: string}>} */
  run(run) {
    return this.post({ run });
  }

  /** @param {object} message @returns {Promise<any>} */
  post(message) {
    const number = ++this.number;
    const answer = new Promise((resolve) => this.waiting.set(number, resolve));
    this.worker.postMessage({ number, ...message });
    return answer;
  }

  /** Whatever it does is given up; a new one begins. */
  stop() {
    this.worker.terminate();
    for (const tell of this.waiting.values()) tell({ problem: "Stopped.", mistakes: [] });
    this.waiting.clear();
    this.start();
  }
}
