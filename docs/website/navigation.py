"""The navigation beside every page, as furo has it, put together once.

Furo asks Sphinx for the whole tree on each page, which was two thirds of the time of a build. Pages differ in what is
marked, the way to the page, and in where links begin: both are written into the text of one tree here.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache

from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment.adapters.toctree import global_toctree_for_doc

__all__ = ["marked", "of_no_page"]

NOWHERE = "no page has this name"
_LIST = re.compile(r"<(/?)(?:ul|li)\b[^>]*>")
_HREF = re.compile(r'(?<=href=")[^"#:]+(?=")')
_SWITCH = re.compile(r"""<input aria-label=(?:"[^"]*"|'[^']*')""")


@cache
def of_no_page(builder: StandaloneHTMLBuilder) -> str:
    """Sphinx's tree as it is on a page that is not in it: nothing is marked, links begin at the root."""
    found = global_toctree_for_doc(builder.env, NOWHERE, builder, tags=builder.tags, collapse=False, titles_only=True,
                                   maxdepth=-1, includehidden=True)
    return str(builder.render_partial(found)["fragment"])


def marked(tree: str, builder: StandaloneHTMLBuilder, page: str) -> str:
    """What furo made of that tree, for a page: the page and what it stands in are marked, links begin at its folder."""
    folder = posixpath.dirname(page)
    return _HREF.sub(lambda link: posixpath.relpath(link[0], folder or "."),
                     _current_page(tree, builder.get_target_uri(page)))


def _current_page(tree: str, link: str) -> str:
    """With a link, and the lists and entries around it, as those of the page that is shown."""
    plain = f'<a class="reference internal" href="{link}">'
    at = tree.find(plain)
    if at < 0:
        return tree
    around: list[re.Match[str]] = []
    for tag in _LIST.finditer(tree, 0, at):
        if tag[1]:
            around.pop()
        else:
            around.append(tag)
    parts, done = [], 0
    for tag in around:
        parts += [tree[done:tag.start()], _current(tag[0], own=tag is around[-1])]
        done = tag.end()
        if "has-children" in tag[0] and (switch := _SWITCH.search(tree, done)):
            parts += [tree[done:switch.end()], ' checked=""']
            done = switch.end()
    text = "".join([*parts, tree[done:]])
    return text.replace(plain, '<a class="current reference internal" href="#">')


def _current(tag: str, *, own: bool) -> str:
    """A list or an entry that leads to the page; `own`: the page's entry."""
    if tag == "<ul>":
        return '<ul class="current">'
    name, children = re.subn(" has-children", "", tag[:-2])
    return f'{name} current{" has-children" * children}{" current-page" * own}">'
