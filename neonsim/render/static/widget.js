// Home 1: a notebook, through anywidget.

import { Stepper } from "./stepper.js";

function render({ model, el }) {
  let stepper = null;
  const open = () => {
    stepper?.close();
    el.replaceChildren();
    const root = el.appendChild(document.createElement("div"));
    try {
      stepper = new Stepper(root, model.get("payload"), {
        step: model.get("step"),
        onstep: (step) => { model.set("step", step); model.save_changes(); },
      });
    } catch (error) {
      root.textContent = `The stepper cannot show this run: ${error.message}`;
    }
  };
  const move = () => { if (stepper && stepper.replay.step !== model.get("step")) stepper.goto(model.get("step"), false); };
  open();
  model.on("change:payload", open);
  model.on("change:step", move);
  return () => {
    stepper?.close();
    model.off("change:payload", open);
    model.off("change:step", move);
  };
}

export default { render };
