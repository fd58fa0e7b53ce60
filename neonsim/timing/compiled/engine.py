"""The compiled model: a pipeline of the plain one, translated, built by the host's compiler, and run.

The plain model is its judge: it makes the machine, and what comes back is what it would have made of it. Where the
compiled one cannot be used, `why_not` says why, and the plain model runs: no compiler of C++ here, a rule that the
translation does not know, a text that the compiler does not take.
"""

from __future__ import annotations

import functools
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neonsim.errors import BackendError
from neonsim.machine.compiled import SourceText, compiler, find_or_build, is_built
from neonsim.timing.caches import MemoryHierarchy
from neonsim.timing.compiled.kinds import Kind, Refused, fields_of
from neonsim.timing.compiled.translate import Translation, translate
from neonsim.timing.compiled.wire import Receiver, Sender
from neonsim.timing.pipeline import Execution, Latencies

__all__ = ["Built", "built", "text_of", "why_not"]

_OBJECTS = Path(__file__).with_name("objects.h")
_OPTIONS = ("-std=c++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics")
_lock = threading.Lock()
WORTH = 150_000     # instructions that take the plain model about as long as a compiler takes


def text_of(translation: Translation) -> str:
    """The whole C++ file of a translation."""
    return f"{_OBJECTS.read_text(encoding='utf-8')}\n{translation.text}"


def _source(pipeline: type) -> SourceText:
    """A pipeline's C++, to be built."""
    text = text_of(translate(pipeline, MemoryHierarchy, Latencies))
    return SourceText(text, f"neonsim_{pipeline.__name__.lower()}", ".cc", _OPTIONS)


class Built:
    """A pipeline's library, loaded."""

    def __init__(self, pipeline: type) -> None:
        import ctypes

        self.pipeline = pipeline
        self.translation = translate(pipeline, MemoryHierarchy, Latencies)
        path, _ = find_or_build(_source(pipeline))
        try:
            library = ctypes.CDLL(str(path))
            pointer, word = ctypes.c_void_p, ctypes.c_int64
            self._ask = ctypes.CFUNCTYPE(None, ctypes.POINTER(word), ctypes.POINTER(word))
            self._run, self._forget = library.neonsim_run, library.neonsim_forget
        except (OSError, AttributeError) as problem:
            raise BackendError(f"the translation of {pipeline.__name__} was built and does not load ({problem})"
                               ) from None
        self._run.argtypes = [pointer, word, ctypes.c_char_p, pointer, word, self._ask, pointer]
        self._run.restype = ctypes.c_int
        self._forget.argtypes = [pointer]
        self._forget.restype = None
        self._root: Kind = ("ref", pipeline)
        self._memory: Kind = ("ref", MemoryHierarchy)
        self._answers = [name for name, kind in self.translation.classes[Latencies].items() if kind[0] == "dict"]

    def run(self, machine: Any, latencies: Latencies, memory: MemoryHierarchy | None
            ) -> tuple[Execution, list[Any]] | None:
        """Run a machine that was just made; -> (what it did, what it left out), None where the plain one would raise.

        machine     of `pipeline`; it is not changed
        latencies   its own
        memory      its own, which is as it is after the run
        """
        sender = Sender(self.translation.classes, self.translation.words)
        sender.send(machine, self._root)
        sender.send(memory, self._memory)
        words = sender.words()
        texts = [text.encode() for text in sender.texts]
        lengths = np.array([len(text) for text in texts], np.int64)
        answer = np.zeros(5, np.int64)

        problem: list[BaseException] = []

        def ask(key: Any, place: Any) -> None:
            try:
                asked = key[0], key[1], key[2], key[3]
                place[0] = latencies(*asked)
                for k, name in enumerate(self._answers):
                    value = getattr(latencies, name).get(asked)
                    place[1 + 2 * k], place[2 + 2 * k] = value is not None, value or 0
            except BaseException as wrong:      # raised again below: nothing passes through C
                problem.append(wrong)
                place[0] = 1
                for k in range(len(self._answers)):
                    place[1 + 2 * k] = 0

        asking = self._ask(ask)
        status = self._run(words.ctypes.data, len(words), b"".join(texts), lengths.ctypes.data, len(texts), asking,
                           answer.ctypes.data)
        if problem:
            raise problem[0]
        return None if status else self._received(answer, memory)

    def _received(self, answer: Any, memory: MemoryHierarchy | None) -> tuple[Execution, list[Any]]:
        import ctypes

        try:
            words = np.frombuffer(ctypes.string_at(int(answer[0]), 8 * int(answer[1])), np.int64)
            letters = ctypes.string_at(int(answer[4]), int(answer[2]))
        finally:
            self._forget(answer.ctypes.data)
        receiver = Receiver(self.translation.classes, words, letters.decode().split("\0")[:-1])
        result: Execution = receiver.value(("ref", Execution))
        skips: list[Any] = receiver.value(_kind(fields_of(self.pipeline)["skips"]))
        receiver.value(self._memory, memory)
        return result, skips


def _kind(found: Kind | Refused) -> Kind:
    if isinstance(found, Refused):
        raise found
    return found


@functools.lru_cache(maxsize=8)
def _try(pipeline: type, using: tuple[str | None, ...]) -> Built | str:
    """A pipeline's library, or why there is none. `using`: the compiler, so that another one is tried anew."""
    if using[0] is None:
        return "no C++ compiler here: install g++ or clang, or name one in NEONSIM_CC"
    try:
        return Built(pipeline)
    except Refused as why:
        return f"a rule of the plain model that is not translated ({why})"
    except BackendError as why:
        return str(why)


@functools.lru_cache(maxsize=8)
def _ready(pipeline: type, using: tuple[str | None, ...]) -> bool:
    """Whether a library was there when it was first asked for, or whether there is nothing to wait for."""
    try:
        return is_built(_source(pipeline))
    except (Refused, BackendError):
        return True


def _using() -> tuple[str | None, ...]:
    return compiler(), os.environ.get("NEONSIM_CACHE")


@dataclass
class _Plain:
    """Instructions that ran through the plain model for want of a library, in this process."""

    count: int = 0


_plain = _Plain()


def built(pipeline: type, instructions: int = WORTH) -> Built | None:
    """The compiled pipeline, for so many instructions; None: take the plain one. Any thread may ask.

    It is made where that pays: it takes some seconds once, so the first `WORTH` instructions on a machine run plain.
    Also None where `why_not` has a reason.
    """
    with _lock:
        if _plain.count < WORTH and not _ready(pipeline, _using()):
            _plain.count += instructions
            if _plain.count < WORTH:
                return None
        found = _try(pipeline, _using())
    return None if isinstance(found, str) else found


def why_not(pipeline: type) -> str:
    """Why a pipeline runs as the plain model here; empty if it is compiled. It is made now, if it has to be."""
    with _lock:
        found = _try(pipeline, _using())
    return found if isinstance(found, str) else ""
