"""The stepper as a widget, in a page that does what a notebook's manager of widgets does; a Stepper here answers it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest

import neonsim as ns
from tests.needs import needs

needs("anywidget", install="pip install anywidget")
pytestmark = [pytest.mark.browser]

TEXT = "f: mov x0, #3\n0: subs x0, x0, #1\n b.ne 0b\n ret\n"
# Models of widgets as their managers make them: set keeps what differs, saving tells a kernel that is there.
MANAGER = """class Model {
  constructor(manager, live) {
    Object.assign(this, { widget_manager: manager, comm_live: live, state: {}, heard: {}, changed: {}, sets: {} });
  }
  get(name) { return this.state[name]; }
  set(name, value) {
    if (JSON.stringify(this.state[name]) === JSON.stringify(value)) return;
    this.changed[name] = value;
    this.sets[name] = (this.sets[name] ?? 0) + 1;
    this.take({ [name]: value });
  }
  take(state) {
    const data = text => new DataView(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
    for (const [name, value] of Object.entries(state)) {
      this.state[name] = name === 'payload' || name === 'beside' ? data(value) : value;
    }
    for (const name of Object.keys(state)) for (const act of this.heard['change:' + name] ?? []) act();
  }
  on(event, act) { (this.heard[event] ??= []).push(act); }
  off(event, act) { this.heard[event] = this.heard[event].filter(one => one !== act); }
  async save_changes() {
    const told = this.changed, sets = { ...this.sets };
    this.changed = {};
    if (!this.comm_live || !Object.keys(told).length) return;
    // As in ipywidgets: an echo of a value that was set again since is none.
    const back = Object.entries(await window.kernel(this.state.own_id, told));
    this.take(Object.fromEntries(back.filter(([name]) => this.sets[name] === sets[name])));
  }
}
window.made = 0;
const blobs = URL.createObjectURL;
URL.createObjectURL = one => { window.made += one.size > 9999; return blobs.call(URL, one); };
window.open_ = async (states, { live = true, lab = true } = {}) => {
  const models = {}, manager = { get_model: async id => models[id], ...(lab ? { kernel: null } : {}) };
  for (const [id, state] of Object.entries(states)) (models[id] = new Model(manager, live)).take(state);
  window.models = models;
};
window.show = async id => {
  const model = window.models[id], el = document.body.appendChild(document.createElement('div'));
  const script = await import(URL.createObjectURL(new Blob([model.get('_esm')], { type: 'text/javascript' })));
  return { el, end: await script.default.render({ model, el }) };
};
0"""


def state_of(widget: Any) -> dict[str, Any]:
    return {name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
            for name, value in widget.get_state().items()}


class Notebook:
    """Steppers of this process on a page: `open` gives it their state, as a notebook that is loaded does."""

    def __init__(self, page: Any, *steppers: ns.Stepper) -> None:
        self.page, self.steppers = page, {one.model_id: one for one in steppers}
        page.expose_function("kernel", self.told)

    def told(self, own: str, state: dict[str, Any]) -> dict[str, Any]:
        """What the page has changed arrives; what that has changed goes back."""
        stepper = self.steppers[own]
        before = state_of(stepper)
        for name, value in state.items():
            setattr(stepper, name, value)
        return {name: value for name, value in state_of(stepper).items() if value != before[name]}

    def open(self, **host: bool) -> Any:
        """The page, loaded again with the steppers as they are."""
        self.page.goto("about:blank")
        self.page.evaluate(MANAGER)
        states = {one.model_id: state_of(one) for one in self.steppers.values()}
        states |= {one.code.model_id: state_of(one.code) for one in self.steppers.values()}
        self.page.evaluate("([states, host]) => window.open_(states, host)", [states, host])
        self.show()
        return self.page

    def show(self) -> None:
        """One more view of each."""
        self.page.evaluate("async ids => { for (const id of ids) (window.views ??= []).push(await window.show(id)); }",
                           list(self.steppers))


def run(view: Any, text: str) -> None:
    """Edit the program, and run it."""
    if not view.locator(".nsim-edit").is_visible():
        view.get_by_role("button", name="edit", exact=True).click()
    view.get_by_label("text of the program").fill(text)
    view.get_by_label("text of the program").press("Control+Enter")


def says(view: Any, text: str, pane: str = "edit") -> None:
    view.locator(f".nsim-{pane} .nsim-problem", has_text=text).wait_for()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    page = chromium.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    page.close()
    assert problems == []


def stepper() -> ns.Stepper:
    return ns.Stepper(ns.Machine(isa="aarch64").call(ns.assemble(TEXT, isa="aarch64"), trace=True).trace)


@pytest.mark.slow
def test_the_same_request_again_is_a_request(page: Any) -> None:
    notebook = Notebook(page, stepper())
    longer = TEXT.replace("#3", "#4")
    for _ in range(2):
        run(notebook.open().locator(".nsim"), longer)
        says(page.locator(".nsim"), "Run again: 10 steps")
    notebook.show()
    run(page.locator(".nsim").nth(1), longer)
    says(page.locator(".nsim").nth(1), "Run again: 10 steps")


@pytest.mark.nightly
def test_keys_step_after_a_text_was_run(page: Any) -> None:
    view = Notebook(page, stepper()).open().locator(".nsim")
    area = view.get_by_label("text of the program")
    run(view, TEXT.replace("#3", "#3x"))
    view.locator(".nsim-mistakes li").wait_for()
    assert area.evaluate("e => e.matches(':focus')"), "a mistake is chosen in the text"
    longer = TEXT.replace("#3", "#4")
    run(view, longer)
    says(view, "Run again: 10 steps")
    for key in ("n", "n", "ArrowRight", "p"):
        page.keyboard.press(key)
    assert view.get_attribute("data-step") == "2" and area.input_value() == longer


@pytest.mark.nightly
def test_without_a_kernel(page: Any) -> None:
    notebook = Notebook(page, stepper())
    view = notebook.open(live=False).locator(".nsim")
    run(view, TEXT)
    says(view, "No kernel answers: run the cell again.")
    view.get_by_role("button", name="close").click()
    view.press("e")
    view.get_by_label("register, flag or cell to change").fill("x0")
    view.get_by_label("new value").fill("7")
    view.get_by_label("new value").press("Enter")
    says(view, "No kernel answers: run the cell again.", "change")
    # One that is shut down, or falls, while it is to answer.
    view = notebook.open().locator(".nsim")
    page.evaluate("() => { window.kernel = () => new Promise(() => {}); }")
    run(view, TEXT)
    says(view, "Running ...")
    page.evaluate("id => { window.models[id].comm = { jsServicesComm: { isDisposed: true } }; }", *notebook.steppers)
    says(view, "No kernel answers: run the cell again.")


@pytest.mark.nightly
def test_a_page_made_of_a_notebook_has_no_run_button(page: Any) -> None:
    view = Notebook(page, stepper()).open(live=False, lab=False).locator(".nsim")
    view.get_by_role("button", name="edit", exact=True).click()
    assert view.locator('[data-act="rerun"]').count() == 0
    assert "there is no machine in it" in view.locator(".nsim-edit .nsim-hint").inner_text()


@pytest.mark.nightly
def test_script_and_style_are_shared_and_a_view_leaves_nothing(page: Any) -> None:
    notebook = Notebook(page, stepper(), stepper())
    view = notebook.open().locator(".nsim")
    assert view.count() == 2 and page.evaluate("[window.made, document.adoptedStyleSheets.length]") == [1, 1]
    assert view.first.evaluate("e => getComputedStyle(e).borderTopLeftRadius") == "8px"
    page.evaluate("() => window.views.forEach(({ end }) => end())")
    assert page.evaluate("() => window.views.map(({ el }) => el.childNodes.length)") == [0, 0]
    heard = "() => Object.values(window.models).flatMap(({ heard }) => Object.values(heard).flat()).length"
    assert page.evaluate(heard) == 0


@pytest.mark.nightly
@pytest.mark.parametrize("system", ["light", "dark"])
def test_the_theme_is_that_of_the_page(page: Any, system: str) -> None:
    page.emulate_media(color_scheme=system)
    view = Notebook(page, stepper()).open().locator(".nsim")

    def scheme(wanted: str) -> None:
        page.wait_for_function("wanted => getComputedStyle(document.querySelector('.nsim')).colorScheme === wanted",
                               arg=wanted)

    scheme("light")     # a page that says nothing is white
    page.evaluate("() => { document.body.style.background = 'oklch(0.2 0 0)'; }")
    scheme("dark")
    page.evaluate("() => { document.body.dataset.jpThemeLight = 'true'; }")
    scheme("light")     # as JupyterLab says it
    page.evaluate("() => { delete document.body.dataset.jpThemeLight; document.body.style.background = 'none'; "
                  "document.documentElement.style.colorScheme = 'light dark'; }")
    scheme("light dark")
    view.get_by_label("theme", exact=True).select_option("dark")
    scheme("dark")
