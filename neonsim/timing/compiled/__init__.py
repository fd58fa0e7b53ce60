"""The pipelines as compiled code: the plain model's own text, translated to C++ and built by the host's compiler.

    kinds       of values, read from annotations       translate   a pipeline's classes as C++
    wire        machines as words, there and back      engine      the library: built, loaded, run
    objects.h   lists, dictionaries and words in C++

Nothing of a rule is written twice. What the translation does not know of the plain model it refuses, with the place,
and the plain model runs: `why_not` says so.
"""

from __future__ import annotations

from neonsim.timing.compiled.engine import Built, built, why_not

__all__ = ["Built", "built", "why_not"]
