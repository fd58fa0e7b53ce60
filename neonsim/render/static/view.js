// How the reader has set the page up, as a link can carry it: #step=42&type=s16&break=12,30&watch=C[0,3];x0

/** @typedef {import("./stepper.js").Stepper} Stepper */

const SETTINGS = { type: /^\w{1,5}$/, lane0: /^(left|right)$/, size: /^\d(\.\d+)?$/, theme: /^(auto|light|dark)$/, speed: /^\d+$/, tab: /^\w{1,16}$/ };

/** @param {Stepper} app @returns {URLSearchParams} what differs from a fresh page */
export function viewOf(app) {
  const view = new URLSearchParams({ step: String(app.replay.step) });
  /** @param {string} name @param {string|number} value @param {string} usual */
  const set = (name, value, usual) => { if (String(value) !== usual) view.set(name, String(value)); };
  set("type", app.registers.global, "auto");
  set("lane0", app.lane0, "right");
  set("size", app.size, "1");
  set("theme", app.theme, "auto");
  set("speed", app.speed, "4");
  set("tab", app.tab, app.tabs.first);
  set("pipe", app.pipeline?.zoom ?? 1, "1");
  set("parts", app.parts ? 1 : 0, "0");
  set("types", [...app.registers.own].filter(([, type]) => type !== "auto").map((pair) => pair.join(":")).join(), "");
  set("follow", app.finder.what?.name ?? "", "");
  set("break", [...app.code.breaks].map((row) => app.code.lines[row].number).sort((x, y) => x - y).join(), "");
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
  for (const number of (view.get("break") ?? "").split(",").filter(Boolean)) {
    const row = app.code.lines.findIndex((line) => line.number === Number(number));
    if (!app.code.breaks.has(row)) app.code.toggleBreak(row);
  }
  for (const [register, type] of (view.get("types") ?? "").split(",").map((pair) => pair.split(":"))) app.registers.setOwn(register, type);
  if (/^\d$/.test(view.get("pipe") ?? "")) app.pipeline?.scale(Number(view.get("pipe")) - app.pipeline.zoom);
  for (const [region, type] of (view.get("memory") ?? "").split(",").map((pair) => pair.split(":"))) app.matrices.choose(region, type);
  const follow = view.get("follow");
  if (follow) app.finder.take(follow);
  for (const text of (view.get("watch") ?? "").split(";").filter(Boolean)) app.watch.add(text);
}
