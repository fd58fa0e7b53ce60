"""Untrusted JSON: what is taken is what the standard library takes, what is too deep or too much is refused."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from neonsim.common.fileio import load_json


def _value(rng: random.Random, depth: int) -> Any:
    kind = rng.randrange(7 if depth else 5)
    if kind == 0:
        return rng.choice([0, -5, 1.5, True, None])
    if kind < 5:
        return "".join(rng.choice('ab"\\[]{},:\n é') for _ in range(rng.randrange(9)))
    if kind == 5:
        return [_value(rng, depth - 1) for _ in range(rng.randrange(5))]
    return {f'{i}"[\\': _value(rng, depth - 1) for i in range(rng.randrange(5))}


def test_values_come_back() -> None:
    rng = random.Random(1)
    for _ in range(500):
        value = _value(rng, 6)
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
        assert load_json(text) == value and load_json(text.encode()) == value


def test_too_deep_and_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_json("[" * 32 + "]" * 32) and load_json('["' + "[" * 1000 + '"]')
    for text in ("[" * 33, "[" * 33 + "]" * 33, '{"a":' * 33, '["\\"", ' + "[" * 33, '"' + "[" * 33 + '"' + "[" * 33):
        with pytest.raises(ValueError, match="nested deeper than 32 levels"):
            load_json(text)
    monkeypatch.setattr("neonsim.common.fileio.MAX_JSON_VALUES", 100)
    assert len(load_json("[" + "1," * 98 + "1]")) == 99
    for text in ("[" + "1," * 100 + "1]", "[" + "[]," * 51 + "[]]"):
        with pytest.raises(ValueError, match="more than 100 values"):
            load_json(text)


def test_keys_stand_once() -> None:
    assert load_json('[{"a": 1}, {"a": 2, "b": {"a": 3}}]') == [{"a": 1}, {"a": 2, "b": {"a": 3}}]
    with pytest.raises(ValueError, match="'a' is in one object twice"):
        load_json('[{"a": 1, "b": 2, "a": 1}]')


def test_no_json() -> None:
    for text in ("", "{", '"', '"\\', '"\\"' * 200_000, "nan1", b"\xff\xfe"):
        with pytest.raises(ValueError):
            load_json(text)
