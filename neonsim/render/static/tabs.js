// The panes below code, registers and lanes, one at a time. To add one: a class with
//   tab = "name"       what a link calls it (letters and digits)
//   title = "Title"    what stands on its tab
//   element            a section of the class nsim-pane; it scrolls inside a place of fixed height
//   update()           draws the state after app.replay.step; called only while the pane is shown, and when it comes to be
// and its name in the list of the constructor of Stepper. Going to a tab: app.choose("tab", "name").

import { h } from "./dom.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {{tab: string, title: string, element: HTMLElement, update: () => void}} Pane
 */

export class Tabs {
  /** @param {Stepper} app @param {Pane[]} panes */
  constructor(app, panes) {
    this.app = app;
    this.panes = panes;
    this.shown = panes[0];
    this.tabs = panes.map((pane) => {
      const id = `${app.id}-tab-${pane.tab}`, panel = `${app.id}-panel-${pane.tab}`;
      pane.element.id = panel;
      pane.element.setAttribute("role", "tabpanel");
      pane.element.setAttribute("aria-label", app.called(pane.element.getAttribute("aria-label") ?? pane.title));
      pane.element.setAttribute("tabindex", "0");
      return h("button", { type: "button", role: "tab", id, "aria-controls": panel, "data-tab": pane.tab, onclick: () => this.choose(pane.tab) }, pane.title);
    });
    this.list = h("div", { class: "nsim-tablist", role: "tablist", "aria-label": "more of this run", onkeydown: (event) => this.key(event) }, ...this.tabs);
    this.element = h("div", { class: "nsim-below" }, this.list, ...panes.map((pane) => pane.element));
    this.paint();
  }

  /** The tab that a fresh page shows. */
  get first() {
    return this.panes[0].tab;
  }

  get name() {
    return this.shown.tab;
  }

  /** @param {string} name one that this run has not is left alone */
  choose(name) {
    const pane = this.panes.find(({ tab }) => tab === name);
    if (!pane || pane === this.shown) return;
    this.shown = pane;
    this.paint();
    this.update();
    this.app.changed();
  }

  paint() {
    this.element.dataset.tab = this.name;
    this.panes.forEach((pane, k) => {
      const on = pane === this.shown;
      pane.element.hidden = !on;
      this.tabs[k].setAttribute("aria-selected", String(on));
      this.tabs[k].tabIndex = on ? 0 : -1; // one stop for Tab, then left and right
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = this.panes.indexOf(this.shown), last = this.panes.length - 1;
    /** @type {Object<string, number>} */
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last };
    if (!(event.key in to)) return;
    this.choose(this.panes[to[event.key]].tab);
    this.tabs[to[event.key]].focus();
    event.preventDefault();
    event.stopPropagation();
  }

  update() {
    this.shown.update();
  }
}
