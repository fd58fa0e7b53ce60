// Assembly in colours: text only ever becomes text nodes.

import { h } from "./dom.js";

const PART = /(\/\/.*|\/\*.*?(?:\*\/|$)|@.*|^\s*#.*)|(^\s*[\w.$]+:)|(#?-?\b0x[0-9a-f]+\b|#-?\d+|\b\d+\b)|([a-z_.][\w.]*)|(\s+)|(.)/giy;
const REGISTER = /^(?:[vqdshbxwr]\d+(?:\.\w+)?|sp|lr|pc|ip|xzr|wzr)$/i;

/** A line of assembly as coloured spans. @param {string} text @returns {(Node|string)[]} */
export function colored(text) {
  /** @type {(Node|string)[]} */
  const parts = [];
  let mnemonic = false;
  PART.lastIndex = 0;
  for (let match = PART.exec(text); match; match = PART.exec(text)) {
    const [all, comment, label, number, word] = match;
    let kind = comment ? "comment" : label ? "label" : number ? "number" : "";
    if (word) {
      kind = !mnemonic ? (word.startsWith(".") ? "directive" : "mnemonic") : REGISTER.test(word) ? "register" : "";
      mnemonic = true;
    }
    parts.push(kind ? h("span", { class: "nsim-" + kind }, all) : all);
  }
  return parts;
}

/**
 * Which lines begin inside a comment, where it ends in each line, and whether one is left open there.
 * @param {string[]} lines @returns {number[]} characters of each line that belong to a comment begun before
 */
export function commentStarts(lines) {
  let open = false;
  return lines.map((line) => {
    let at = 0;
    if (open) {
      const end = line.indexOf("*/");
      if (end < 0) return line.length;
      at = end + 2;
      open = false;
    }
    const begun = at;
    for (;;) {
      const next = line.slice(at).search(/\/\/|\/\*/);
      if (next < 0 || line[at + next + 1] === "/") return begun;
      const end = line.indexOf("*/", at + next + 2);
      if (end < 0) {
        open = true;
        return begun;
      }
      at = end + 2;
    }
  });
}
