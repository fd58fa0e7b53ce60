"""What build servers read: annotations, JUnit, SARIF, and JSON as its schema says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.verify.reporting.ci_report import ReportedItem, report
from neonsim.verify.reporting.json_schema import SCHEMAS, json_schema

SUMS = "qu8_sumrows_4x__aarch64_neon"
GEMM = "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane"
ITEMS = [ReportedItem("a is b", "check", "notice", "wrong-bytes", "right", "all\nright", "k.S"),
         ReportedItem("c, d: 100 %", "check", "error", "read-outside", "reads \x1b[2J", "reads\n100 %", "/tmp/k.S",
                      7, 1.5),
         ReportedItem("claim", "prove", "warning", "unknown", "unknown: <no> & why", "text")]
# What of the published schema of SARIF 2.1.0 is said of these parts.
SARIF: dict[str, Any] = {
    "type": "object", "required": ["version", "runs"], "properties": {
        "version": {"const": "2.1.0"}, "$schema": {"type": "string"}, "runs": {"type": "array", "items": {
            "type": "object", "required": ["tool"], "properties": {
                "tool": {"type": "object", "required": ["driver"], "properties": {"driver": {
                    "type": "object", "required": ["name"], "properties": {"rules": {"type": "array", "items": {
                        "type": "object", "required": ["id"], "properties": {
                            "shortDescription": {"$ref": "#/$defs/text"}, "help": {"$ref": "#/$defs/text"}}}}}}}},
                "results": {"type": "array", "items": {
                    "type": "object", "required": ["message"], "additionalProperties": False, "properties": {
                        "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": -1},
                        "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
                        "level": {"enum": ["none", "note", "warning", "error"]}, "message": {"$ref": "#/$defs/text"},
                        "locations": {"type": "array", "items": {"type": "object", "properties": {
                            "physicalLocation": {"type": "object", "properties": {
                                "artifactLocation": {"type": "object", "properties": {"uri": {"type": "string"}}},
                                "region": {"type": "object", "properties": {
                                    "startLine": {"type": "integer", "minimum": 1}}}}}}}}}}}}}}},
    "$defs": {"text": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}}}


def validated(value: Any, schema: dict[str, Any]) -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(value, schema)
    return value


@pytest.fixture
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kernel's file in the current folder, with a sum that does not fit its lane."""
    source = ns.kernel(SUMS).source
    assert "uadalp" in source
    (tmp_path / "sums.S").write_text(source.replace("uadalp", "saddlp", 1))
    monkeypatch.chdir(tmp_path)
    return "sums.S"


def test_annotations_escape_what_ends_them() -> None:
    first, second, third = report("github", ITEMS).splitlines()
    assert first == "::notice file=k.S,title=a is b::right"
    assert second == "::error file=/tmp/k.S,line=7,title=c%2C d%3A 100 %25::reads%0A100 %25"
    assert third == "::warning title=claim::text"


def test_junit_counts_what_fails() -> None:
    root = ElementTree.fromstring(report("junit", ITEMS))
    assert root.tag == "testsuites" and root.attrib == {"tests": "3", "failures": "1", "errors": "0", "time": "1.500"}
    cases = list(root.iter("testcase"))
    assert [(one.get("classname"), one.get("name"), one.get("line")) for one in cases] == [
        ("neonsim.check", "a is b", None), ("neonsim.check", "c, d: 100 %", "7"), ("neonsim.prove", "claim", None)]
    failure = cases[1].find("failure")
    assert failure is not None and failure.get("type") == "read-outside" and failure.text == "reads\n100 %"


def test_sarif_is_as_its_schema_says() -> None:
    (run,) = validated(json.loads(report("sarif", ITEMS)), SARIF)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["wrong-bytes", "read-outside", "unknown"]
    passed, failed, unknown = run["results"]
    assert passed["kind"] == "pass" and passed["level"] == "none" and failed["level"] == "error"
    assert failed["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    assert "\x1b" not in failed["message"]["text"] and "locations" not in unknown


@pytest.mark.parametrize("kind", ["github", "junit", "sarif"])
def test_a_kernel_that_is_wrong(kind: str, wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", wrong, "--quick", "--format", kind]) == 1
    said = capsys.readouterr().out
    if kind == "sarif":
        ((result,),) = [run["results"] for run in validated(json.loads(said), SARIF)["runs"]]
        place = result["locations"][0]["physicalLocation"]
        line, path = place["region"]["startLine"], place["artifactLocation"]["uri"]
    elif kind == "junit":
        (case,) = ElementTree.fromstring(said).iter("testcase")
        line, path = int(case.get("line", "0")), case.get("file")
    else:
        words = dict(word.split("=", 1) for word in said.partition(" ")[2].partition("::")[0].split(","))
        line, path = int(words["line"]), words["file"]
    # The line is that of the store that wrote the wrong element.
    assert path == "sums.S" and "st1" in (Path(wrong).read_text().splitlines()[line - 1])


def test_claims_and_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "overflow", GEMM, "--shapes", "1x8x1", "--format", "github"]) == 0
    assert capsys.readouterr().out.startswith("::notice title=")
    assert main(["time", SUMS, "--core", "a53,a72", "--format", "junit"]) == 0
    names = [case.get("name") for case in ElementTree.fromstring(capsys.readouterr().out).iter("testcase")]
    assert len(names) == 2 and names[0].endswith("on cortex-a53")


def test_two_formats_are_one_too_many(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["time", SUMS, "--format", "junit", "--json"]) == 2
    assert "--format and --json exclude each other" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "words"), [
    ("check", ["check", SUMS, "--quick", "--json"]),
    ("prove", ["prove", "overflow", GEMM, "--shapes", "1x8x1", "--json"]),
    ("time", ["time", SUMS, "--core", "a53,a72", "--json"]),
    ("time", ["time", "TEXT.s", "3", "--isa", "aarch64", "--json"]),
])
def test_json_is_as_its_schema_says(command: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
                                    ) -> None:
    (tmp_path / "TEXT.s").write_text("f: add x0, x0, #1\n ret\n")
    main([str(tmp_path / word) if word == "TEXT.s" else word for word in words])
    validated(json.loads(capsys.readouterr().out), json_schema(command))


def test_what_is_wrong_is_in_the_schema_too(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", wrong, "--quick", "--json"]) == 1
    assert validated(json.loads(capsys.readouterr().out), json_schema("check"))["smallest"]["writing_step"]


def test_the_schemas_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "schema"]) == 0
    assert json.loads(capsys.readouterr().out).keys() == SCHEMAS.keys()
