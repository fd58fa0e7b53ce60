"""What `neonsim check`, `prove` and `time` print with --json, as JSON Schema (draft 2020-12)."""

from __future__ import annotations

from typing import Any

__all__ = ["SCHEMAS", "json_schema"]

_TEXT, _WHOLE, _NUMBER, _FLAG = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_MAYBE_NUMBER: dict[str, Any] = {"type": ["number", "null"]}
_COUNTS: dict[str, Any] = {"type": "object", "additionalProperties": _NUMBER}


def _object(fields: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": [one for one in fields if one not in optional],
            "additionalProperties": False}


_FAILING = _object({
    "case": _TEXT, "sizes": {"type": "object", "additionalProperties": _WHOLE}, "message": _TEXT, "region": _TEXT,
    "index": {"type": ["array", "null"], "items": _WHOLE}, "expected": _MAYBE_NUMBER, "got": _MAYBE_NUMBER,
    "element": _TEXT, "arithmetic": _TEXTS, "inputs": _TEXTS, "writing_step": _TEXT, "report": _TEXT, "rule": _TEXT})
_PROOF = _object({
    "claim": _TEXT, "verdict": {"enum": ["proved", "refuted", "unknown"]}, "assumptions": _TEXTS, "seconds": _NUMBER,
    "reason": _TEXT, "counterexample": {"anyOf": [{"type": "null"}, _object({
        "where": _TEXT, "first": {"type": ["integer", "string"]}, "second": {"type": ["integer", "string"]},
        "inputs": {"type": "object", "additionalProperties": _WHOLE}})]}})
SCHEMAS: dict[str, dict[str, Any]] = {
    "check": _object({
        "ok": _FLAG, "name": _TEXT, "contract": _TEXT, "tile": _TEXT, "isa": {"enum": ["aarch64", "aarch32"]},
        "cases": _WHOLE, "sanitized_calls": _WHOLE, "failed": _WHOLE,
        "smallest": {"anyOf": [{"type": "null"}, _FAILING]}, "seconds": _NUMBER, "complete": _FLAG, "notes": _TEXTS,
        "called_sizes": {"type": "object", "additionalProperties": {"type": "array", "items": _WHOLE}}}),
    "prove": _object({"proofs": {"type": "array", "items": _PROOF}}),
    "time": {"type": "array", "items": _object({
        "name": _TEXT, "core": _TEXT, "isa": {"enum": ["aarch64", "aarch32"]},
        "counted": {"type": "object", "required": ["instructions", "neon", "macs", "classes"]},
        "modeled": {"type": "object", "required": [
            "cycles", "ipc", "cycles_per_iteration", "iterations", "calls", "cycles_per_call", "slots", "bounds",
            "binding", "unknown", "units", "lines", "caches", "traffic"],
            "properties": {"cycles": _WHOLE, "ipc": _NUMBER, "slots": _COUNTS, "bounds": _COUNTS, "unknown": _COUNTS,
                           "lines": _COUNTS, "binding": _TEXT}}})},
}


def json_schema(command: str) -> dict[str, Any]:
    """Return the schema of a command of SCHEMAS."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"neonsim {command} --json",
            **SCHEMAS[command]}
