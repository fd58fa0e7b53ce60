"""What the site's search is given: words of either spelling, excerpts of pages, lessons by their subject."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.website.links import ROOT, lessons
from docs.website.search import american, pieces, write_text

BODY = """<section class="tex2jax" id="a-title"><h1>A title<a class="headerlink" href="#a-title">#</a></h1>
<span id="index-0"></span><p>One <code><span class="pre">long_</span><wbr><span>name</span></code> &lt;here&gt;.</p>
<svg><text>drawn</text></svg><section id="below"><h2>Below</h2><pre>ret</pre></section></section>"""


def test_a_page_is_cut_at_its_headings(tmp_path: Path) -> None:
    assert pieces(BODY) == [(["a-title", "index-0"], "A title", "One long_name <here>."), (["below"], "Below", "ret")]
    write_text(tmp_path, "course/a", BODY)
    text = (tmp_path / "_static/texts/course/a.js").read_text("utf-8")
    assert text.startswith('siteSearch.take("course/a", [[["a-title", "index-0"], "A title"')


@pytest.mark.parametrize(("british", "one"), [("requantization", "requantization"), ("quantized", "quantized"),
                                              ("neighbors", "neighbors"), ("four", "four"), ("this", "this")])
def test_a_word_is_found_in_either_spelling(british: str, one: str) -> None:
    assert american(british) == american(one) == one


def test_every_lesson_has_a_subject_and_words() -> None:
    found = lessons((ROOT / "notebooks" / "README.md").read_text("utf-8"))
    assert sorted(found) == sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert found["09_the_dual_issue_kernel"] == (
        "09 The dual-issue kernel", ["bounds", "row sums", "when a trick pays"])
    for subject, words in found.values():
        assert words and not any(word.count("(") != word.count(")") for word in words), subject
