"""Fuzzing of the playground's Python: any text, any words of a call, any question comes back as JSON, with a sentence.

    python tests/fuzz/fuzz_play.py --inputs 100000 --seed 1

Texts are those of fuzz_text; words, fields and records are drawn here. What is checked beyond `harness`: every answer
is JSON; one that is refused has a sentence, and its mistakes lie within the text.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

from fuzz_text import BOX, make, mutate
from harness import CANARY, Escape, Fuzz

from neonsim.errors import NeonsimError
from neonsim.render.play import answer

WORDS = ("12", "0x10", "-3", "1.5", "f32:1.5", "u64:1", "a=u8:1,2,3", "a=s16*8", "b=s16*8:7", "c=out:s32*4", "a+4",
         "c+0", "+d=u8:1,2", "stack=u8*4", "a", "=", "+", "a=", "u8:", "u8:300", "f16:inf", "f64:nan", "u8*9999999999",
         "a=u8*-1", "s32*2x3", "a=f32*4:1e400", "é=u8:1", "a=u8:1,,2", "9" * 40, "a+99999999999999999999", "p=+a", "",
         "a\0=u8:1")


def check(data: bytes, rng: random.Random) -> str:
    text = data.decode("utf-8", "replace")
    isa = rng.choice(("mips", "", "AArch64")) if rng.random() < 0.02 else (
        "aarch32" if text.startswith("//isa aarch32") else "aarch64")
    words, expected = (rng.choices(WORDS, k=rng.randrange(5)) for _ in range(2))
    said = asked({"ask": "open", "text": text, "isa": isa, "words": words, "expected": expected if rng.random() < 0.3
                  else [], "entry": rng.choice(("", "entry", "main"))})
    lines = text.count("\n") + 1
    for one in said.get("mistakes", ()):
        assert one["message"] and one["column"] >= 0 and (one["path"] != "<text>" or 0 <= one["line"] <= lines), one
    if CANARY in json.dumps(said):
        raise Escape("a file outside was read")
    if "header" not in said:
        return "refused"
    again = asked({"ask": "call", "words": rng.choices(WORDS, k=rng.randrange(4))})
    return "opened" if "problem" in again else "opened, called"


def asked(question: dict[str, Any]) -> dict[str, Any]:
    found = json.loads(answer(json.dumps(question), [BOX.folder]))
    if "problem" in found:
        assert str(found["problem"]).strip() and "Traceback" not in str(found["problem"]), found
    return dict(found)


if __name__ == "__main__":
    sys.exit(Fuzz("play", make, mutate, check, NeonsimError, BOX).main())
