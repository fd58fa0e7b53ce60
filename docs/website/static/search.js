// How the site's search orders and shows what Sphinx's finds. Sphinx puts this file behind its own scripts
// (html_search_scorer); docs/website/search.py writes the pages' texts, and spells words alike.
window.siteSearch = (() => {
  const KINDS = [[/^course\/\d/, "lesson"], [/^howto\//, "how-to"], [/^instructions\//, "instructions"], [/^kernels\//, "kernels"],
    [/^cores\//, "core"], [/^api\//, "reference"], [/^(topics|course)\//, "topic"], [/^project\//, "project"]];
  const LAST = ["instructions", "kernels", "core", "reference", "page", "project"]; // pages that list
  const FIRST = 3; // so many lessons come before the very thing that was asked for, an instruction or a core
  const AROUND = [70, 190]; // characters of an excerpt before and behind the word
  const texts = new Map();
  const waiting = new Map();

  const kindOf = (page) => KINDS.find(([pattern]) => pattern.test(page))?.[1] ?? "page";
  const american = (word) =>
    word.replace(/is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)/, "iz").replace(/(?<=\w{3})our/g, "or");

  const Plain = window.Stemmer;
  window.Stemmer = function () {
    const plain = new Plain();
    this.stemWord = (word) => plain.stemWord(american(word));
  };

  // Is a page about the words: by its name, a heading, an entry of the index?
  const isAbout = ([, , , , score, , kind]) => score >= (kind === "index" ? 100 : kind === "object" ? 16 : 15);

  // Results of Sphinx, [page, title, anchor, description, score, file, kind], best first, in the order that they are shown in.
  function ordered(results, query) {
    const narrower = new Set(results.filter(([, , anchor]) => anchor).map(([page]) => page));
    const kept = results.filter(([page, , anchor]) => anchor || !narrower.has(page));
    const of = (wanted) => kept.filter(([page]) => (kindOf(page) === "lesson") === wanted);
    const lessons = of(true).sort((a, b) => b[4] - a[4] || a[0].localeCompare(b[0])); // as good: as in the course
    const about = of(false).filter(isAbout);
    const rest = of(false).filter((one) => !isAbout(one))
      .sort(([one], [other]) => LAST.indexOf(kindOf(one)) - LAST.indexOf(kindOf(other)));
    const named = /[._]/.test(query); // neonsim.assemble, or a kernel's name: no lesson comes before that
    return [...(named ? about : []), ...lessons.slice(0, FIRST), ...(named ? [] : about), ...lessons.slice(FIRST), ...rest];
  }

  // A page's text: [[anchors, heading, text], ...], loaded as a script.
  function textOf(page) {
    if (!texts.has(page)) {
      texts.set(page, new Promise((done) => {
        waiting.set(page, done);
        const script = document.createElement("script");
        script.src = `${document.documentElement.dataset.content_root}_static/texts/${page}.js`;
        script.onerror = () => done([]);
        document.body.append(script);
      }));
    }
    return texts.get(page);
  }

  // What may stand in a text for a stem, which has i for y and is American.
  const written = (stem) => `${stem.replace(/i$/, "[iy]").replaceAll("z", "[sz]").replaceAll("or", "ou?r")}\\w*`;

  // The heading of what an anchor leads to, and the words where they stand in the text; of a page named so, its beginning.
  function excerpt(pieces, title, anchor, stems) {
    const each = new RegExp(`\\b(?:${stems.map(written).join("|")})`, "giu");
    const all = new RegExp(`\\b${stems.map(written).join("\\W+")}`, "iu");
    const asked = pieces.filter(([anchors]) => !anchor || anchors.includes(anchor));
    const places = [...(all.test(title) ? asked.slice(0, 1) : []), ...asked.filter(([, , text]) => all.test(text)),
      ...asked.filter(([, , text]) => text.search(each) >= 0), ...asked];
    const [, heading, text] = places[0] ?? [[], "", ""];
    const at = all.test(title) ? 0 : Math.max(0, all.test(text) ? text.search(all) : text.search(each));
    const from = at < AROUND[0] ? 0 : text.indexOf(" ", at - AROUND[0]) + 1;
    const to = at + AROUND[1] >= text.length ? text.length : text.lastIndexOf(" ", at + AROUND[1]);
    const shown = document.createElement("p");
    shown.className = "context";
    shown.append(from ? "… " : "");
    let done = from;
    for (const word of text.slice(from, to).matchAll(each)) {
      const mark = document.createElement("mark");
      mark.textContent = word[0];
      shown.append(text.slice(done, from + word.index), mark);
      done = from + word.index + word[0].length;
    }
    shown.append(text.slice(done, to), to < text.length ? " …" : "");
    return [heading, shown];
  }

  function item([page, title, anchor, description], stems, seen) {
    const shown = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${page}.html${anchor}`;
    link.textContent = title;
    const kind = document.createElement("span");
    kind.className = "kind";
    kind.textContent = kindOf(page);
    shown.append(link, " ", kind);
    shown.fill = async () => {
      const [heading, text] = excerpt(await textOf(page), title, anchor.slice(1), stems);
      if (anchor && heading && !title.includes(heading) && !description) {
        link.textContent = `${heading}: ${title}`;
      }
      shown.append(text);
      shown.dataset.filled = "";
    };
    seen.observe(shown);
    return shown;
  }

  Search.query = (query) => {
    const [asked, stems, ...more] = Search._parseQuery(query);
    const results = ordered(Search._performSearch(asked, stems, ...more).reverse(), asked);
    const seen = new IntersectionObserver((entries) => {
      for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting)) {
        seen.unobserve(target);
        target.fill();
      }
    }, { rootMargin: "50%" });
    Search.output.append(...results.map((one) => item(one, [...stems], seen)));
    _finishSearch(new Set(results.map(([page]) => page)).size);
  };

  return { take: (page, pieces) => waiting.get(page)(pieces) };
})();
