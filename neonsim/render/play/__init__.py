"""A program as a page runs it that has no machine in it: the playground's Python. Nothing here computes with numpy.

    open_text   a text and the words of its arguments -> what the page's engine runs, or what is wrong with the text
    price       what a run of it costs on a core, from the record that the engine made
    answer      both, as JSON: what the page asks its worker
    soft_words  floating point that JavaScript does not compute to the bit

The registers and the memory that a run begins with are those of `Machine.call`, to the byte.
"""

from neonsim.render.play.answers import answer
from neonsim.render.play.opened import OpenedProgram, TextMistakes, open_text
from neonsim.render.play.priced import price
from neonsim.render.play.soft import soft_words

__all__ = ["OpenedProgram", "TextMistakes", "answer", "open_text", "price", "soft_words"]
