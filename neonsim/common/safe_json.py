"""Untrusted JSON: traces, results, recorded runs. Nesting and size are known before a value is built."""

from __future__ import annotations

import json
import re
from typing import Any

from neonsim.common.limits import MAX_JSON_DEPTH, MAX_JSON_VALUES

__all__ = ["load_json"]

# Strings are stepped over whole, an unclosed one to the end; what is left of the rest are brackets and commas.
_MARK = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|([\[{])|([\]}])|(,)', re.DOTALL)


def load_json(data: str | bytes, max_values: int | None = None) -> Any:
    """The value of a JSON text.

    max_values  values in it; None: MAX_JSON_VALUES

    Raises ValueError for what is no JSON in UTF-8, is nested deeper than MAX_JSON_DEPTH, holds more values
    or gives a key of one object twice, which readers would take differently.
    """
    limit = MAX_JSON_VALUES if max_values is None else max_values
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise ValueError(f"byte {problem.start} is not UTF-8") from problem
    depth = values = 0
    for mark in _MARK.finditer(text):
        kind = mark.lastindex
        if kind is None:
            continue
        values += kind != 2
        depth += (kind == 1) - (kind == 2)
        if depth > MAX_JSON_DEPTH:
            raise ValueError(f"its lists are nested deeper than {MAX_JSON_DEPTH} levels")
        if values > limit:
            raise ValueError(f"it has more than {limit:,} values")
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict[str, Any]()
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key[:40]!r} is in one object twice")
        found[key] = value
    return found
