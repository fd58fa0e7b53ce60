// A link that is the experiment: text, arguments, expected values, core and step in the part behind #, which no browser sends.
// "p1." is the version, then JSON, deflated, in base64url. A link is untrusted text: how long it becomes is bounded.

/**
 * `isa`, `text`, `words` (arguments), `expected`, `core`, `step` to open at, `title`.
 * @typedef {{isa: string, text: string, words: string[], expected: string[], core: string, step: number, title: string}} Experiment
 */

const VERSION = "p1.";
export const MOST_LINK = 64 * 1024, MOST_INFLATED = 256 * 1024; // characters of a link; bytes that it becomes
const MOST_WORDS = 64;

/** @param {Experiment} experiment @returns {Promise<string>} what stands behind # */
export async function packed({ isa, text, words, expected, core, step, title }) {
  const said = { i: isa, t: text, ...(words.length ? { w: words } : {}), ...(expected.length ? { e: expected } : {}), ...(core ? { c: core } : {}), ...(step ? { s: step } : {}), ...(title ? { n: title } : {}) };
  const bytes = new TextEncoder().encode(JSON.stringify(said));
  if (bytes.length > MOST_INFLATED) throw new Error(`This experiment has ${bytes.length} bytes; the limit of a link is ${MOST_INFLATED}.`);
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const deflated = new Uint8Array(await new Response(stream).arrayBuffer());
  let plain = "";
  for (let k = 0; k < deflated.length; k += 8192) plain += String.fromCharCode(...deflated.subarray(k, k + 8192));
  const link = VERSION + btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (link.length > MOST_LINK) throw new Error(`This experiment makes a link of ${link.length} characters; the limit is ${MOST_LINK}.`);
  return link;
}

/** What stands behind # in an address; an Error says what is wrong with it. @param {string} hash @returns {Promise<Experiment>} */
export async function unpacked(hash) {
  if (!hash.startsWith(VERSION)) throw new Error("This link is not of this version of the playground. After the address of the page it must begin with #p1.");
  if (hash.length > MOST_LINK) throw new Error(`This link has ${hash.length} characters; the limit is ${MOST_LINK}.`);
  const cut = new Error("This link is damaged or cut short: copy it again, all of it.");
  /** @type {Uint8Array<ArrayBuffer>} */
  let deflated;
  try {
    deflated = Uint8Array.from(atob(hash.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  } catch {
    throw cut;
  }
  const bytes = await inflated(deflated, cut);
  /** @type {any} */
  let said;
  try {
    said = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw cut;
  }
  const texts = (/** @type {unknown} */ list) => Array.isArray(list) && list.length <= MOST_WORDS && list.every((one) => typeof one === "string");
  const { i: isa, t: text, w: words = [], e: expected = [], c: core = "", s: step = 0, n: title = "" } = said ?? {};
  if (!["aarch64", "aarch32"].includes(isa) || typeof text !== "string" || !texts(words) || !texts(expected) || typeof core !== "string" || !Number.isSafeInteger(step) || step < 0 || typeof title !== "string") {
    throw new Error("This link has no experiment of the playground: its text is missing, or its arguments are invalid.");
  }
  return { isa, text, words, expected, core, step, title: title.slice(0, 200) };
}

/** @param {Uint8Array<ArrayBuffer>} deflated @param {Error} cut @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function inflated(deflated, cut) {
  const reader = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  let length = 0;
  for (;;) {
    /** @type {{done: boolean, value?: any}} */
    const part = await reader.read().catch(() => { throw cut; });
    if (part.done) break;
    length += part.value.length;
    if (length > MOST_INFLATED) {
      await reader.cancel().catch(() => {});
      throw new Error(`This link expands to more than ${MOST_INFLATED} bytes, which is the limit.`);
    }
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
