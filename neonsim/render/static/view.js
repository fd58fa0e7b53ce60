// How the reader has set the page up, as a link can carry it: #step=42&lane=3&type=s16&break=12,30&watch=C[0,3];x0

import { LANE0 } from "./format.js";

/** @typedef {import("./stepper.js").Stepper} Stepper */

const MOST_OF_ONE = 64; // breakpoints, watches, types: a link is untrusted text
const SETTINGS = { type: /^\w{1,5}$/, lane0: /^(left|right)$/, size: /^\d(\.\d+)?$/, theme: /^(auto|light|dark)$/, speed: /^\d+$/, tab: /^\w{1,16}$/ };

/** @param {Stepper} app @returns {URLSearchParams} what differs from a fresh page */
export function viewOf(app) {
  const view = new URLSearchParams({ step: String(app.replay.step) });
  /** @param {string} name @param {string|number} value @param {string} usual */
  const set = (name, value, usual) => { if (String(value) !== usual) view.set(name, String(value)); };
  set("lane", app.lanes.selected, "0");
  set("type", app.registers.global, "auto");
  set("lane0", app.lane0, LANE0);
  set("size", app.size, "1");
  set("theme", app.theme, "auto");
  set("speed", app.speed, "4");
  set("tab", app.tab, app.tabs.first);
  set("panes", app.division.text, "");
  set("pipe", app.pipeline?.zoom ?? 1, "1");
  const turned = Object.entries(app.switches).filter(([, { checked, defaultChecked }]) => checked !== defaultChecked);
  set("turned", turned.map(([name]) => name).join(), "");
  set("types", [...app.registers.own].filter(([, type]) => type !== "auto").map((pair) => pair.join(":")).join(), "");
  set("follow", app.finder.what?.name ?? "", "");
  const plain = app.breakpoints.list.filter(({ on, text, line }) => on && text === `line ${line}`);
  set("break", plain.map(({ line }) => Number(line)).sort((x, y) => x - y).join(), "");
  set("stop", app.breakpoints.list.filter((one) => !plain.includes(one)).map(({ on, text }) => (on ? text : `~${text}`)).join(";"), "");
  set("mark", app.bookmarks.text, "");
  set("watch", app.watch.texts.join(";"), "");
  set("memory", app.matrices.chosen, "");
  return view;
}

/** Take over what a link says; what it says wrongly is left out. @param {Stepper} app @param {URLSearchParams} view */
export function applyView(app, view) {
  for (const [name, form] of Object.entries(SETTINGS)) {
    const value = view.get(name);
    if (value !== null && form.test(value)) app.choose(name, value);
  }
  app.division.take(view.get("panes") ?? "");
  if (/^\d{1,3}$/.test(view.get("lane") ?? "")) app.lanes.selected = Number(view.get("lane"));
  for (const name of list(view, "turned", ",")) {
    const box = Object.hasOwn(app.switches, name) ? app.switches[name] : null;
    if (!box || box.checked !== box.defaultChecked) continue;
    box.checked = !box.checked;
    box.dispatchEvent(new Event("change"));
  }
  for (const number of list(view, "break", ",")) app.breakpoints.take(`line ${number}`);
  for (const text of list(view, "stop", ";")) app.breakpoints.take(text);
  app.bookmarks.take(view.get("mark") ?? "");
  for (const [register, type] of list(view, "types", ",").map((pair) => pair.split(":"))) app.registers.setOwn(register, type);
  if (/^\d$/.test(view.get("pipe") ?? "")) app.pipeline?.scale(Number(view.get("pipe")) - app.pipeline.zoom);
  for (const [region, type] of (view.get("memory") ?? "").split(",").map((pair) => pair.split(":"))) app.matrices.choose(region, type);
  const follow = view.get("follow");
  if (follow) app.finder.take(follow);
  for (const text of list(view, "watch", ";")) app.watch.take(text);
}

/** @param {URLSearchParams} view @param {string} name @param {string} between */
function list(view, name, between) {
  return (view.get(name) ?? "").split(between, MOST_OF_ONE).filter(Boolean);
}
