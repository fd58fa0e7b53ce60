// A link to what is on the screen.

import { h, setText } from "./dom.js";

const SAID_FOR = 2500; // milliseconds
const COPIES = "copy link";

/** Into the clipboard; a page that came over plain http has none. @param {string} text */
async function put(text) {
  await navigator.clipboard.writeText(text);
}

/** A button, and what it says to those who hear the page. @param {() => string} link the address that opens the page as it is set up now */
export function linkButton(link) {
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  const live = h("span", { class: "nsim-unseen", role: "status" });
  const button = h("button", { type: "button", class: "nsim-copies", "data-act": "link", title: "copy an address that opens this page as it is set up now: step, types, breakpoints, bookmarks",
    onclick: async () => {
      const copied = await put(link()).then(() => true, () => false);
      setText(live, copied ? "copied" : "not copied: the address of this page is the link");
      setText(button, copied ? "copied" : "see address");
      clearTimeout(timer);
      timer = setTimeout(() => setText(button, COPIES), SAID_FOR);
    } }, COPIES);
  return [button, live];
}
