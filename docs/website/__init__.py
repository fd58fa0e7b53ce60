"""The site, put together from what is there already.

    pages/         written by hand: the start, how-tos (each is run by a test), benchmarks
    start          the run on the start page
    course         the notebooks as they are stored, their steppers as pages that replay
    instructions   the manual: a page a family, a heading an instruction
    kernels        the gallery: a heading a kernel, counted and modelled
    machines       the cores, and what they are held to
    reference      every public name

All of it goes into one folder of sources, and Sphinx makes pages of it: myst-nb reads Markdown and notebooks alike, the
theme furo has light, dark and the keyboard, the search is a script and an index beside the pages. Nothing is asked for
from outside. Not Sphinx's autodoc: our docstrings are plain text with columns, which it would read as markup.
"""
