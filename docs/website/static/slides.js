// Groups the cells of a notebook to slides and shows one: a heading begins a slide, and what comes after a prediction does.
const main = document.querySelector("#slides");
const slides = [];
let after = true;
for (const cell of [...main.children]) {
  if (after || cell.querySelector("h1, h2")) {
    slides.push(document.createElement("section"));
    after = false;
  }
  slides.at(-1).append(cell);
  after = [...cell.querySelectorAll("strong")].some((words) => /^Predict/.test(words.textContent));
}
main.replaceChildren(...slides);

const [back, on, where] = ["back", "on", "where"].map((id) => document.getElementById(id));
let current = 0;

function show(n) {
  current = Math.max(0, Math.min(slides.length - 1, n));
  for (const [i, slide] of slides.entries()) slide.hidden = i !== current;
  back.disabled = current === 0;
  on.disabled = current === slides.length - 1;
  where.textContent = `${current + 1} of ${slides.length}`;
  history.replaceState(null, "", `${location.pathname}#${current + 1}`);
  window.scrollTo(0, 0);
}

back.addEventListener("click", () => show(current - 1));
on.addEventListener("click", () => show(current + 1));
window.addEventListener("hashchange", () => show(Number(location.hash.slice(1)) - 1));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("pre, table, button")) {
    return;
  }
  const steps = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1, Home: -slides.length, End: slides.length };
  if (event.key in steps) {
    event.preventDefault();
    show(current + steps[event.key]);
  }
});
document.querySelector("nav").hidden = false;
show((Number(location.hash.slice(1)) || 1) - 1);
