"""Core files: everything priced and sourced; whatever they may not say is refused with place and remedy."""

from __future__ import annotations

import json
import pickle
import re
import tomllib
from pathlib import Path

import pytest

from neonsim.cli import main
from neonsim.errors import TimingError
from neonsim.isa import meanings
from neonsim.timing import Op, Stream, cores, load_core, time
from neonsim.timing.classes import CLASSES
from neonsim.timing.corefile import CORES

GOOD = """
name = "mine"
title = "a core of my own"
kind = "in-order"
isa = ["aarch64"]
picture = "one box"
[source]
me = "a guess"
[issue]
width = 2
source = "me"
[unit.box]
count = 2
source = "me"
[class]
"*" = { latency = 2, unit = "box", source = "me" }
alu = { latency = 1, source = "me" }
"""


def write(tmp_path: Path, text: str, name: str = "mine.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(tmp_path: Path, old: str, new: str) -> str:
    assert old in GOOD
    with pytest.raises(TimingError) as caught:
        load_core(write(tmp_path, GOOD.replace(old, new)))
    return str(caught.value)


@pytest.mark.parametrize("name", sorted(cores()))
def test_every_class_has_a_price(name: str) -> None:
    missing, _ = load_core(name).check()
    assert missing == []


def test_every_instruction_names_a_known_class() -> None:
    names = {meaning.timing.format(count=n) for meaning in meanings().values() for n in range(1, 5)}
    assert names <= set(CLASSES), sorted(names - set(CLASSES))


@pytest.mark.parametrize("path", sorted(CORES.glob("*.toml")), ids=lambda path: path.stem)
def test_file_has_picture_notes_and_only_used_sources(path: Path) -> None:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    assert data["name"] == path.stem
    assert data["picture"].strip() and data["notes"].strip()
    used = set(" ".join(re.findall(r'^[^#\n]*source = "([^"]*)"', path.read_text(encoding="utf-8"), re.M)).split())
    assert used | ({data["inherited"]} if "inherited" in data else set()) == set(data["source"])


def test_own_core_from_a_path(tmp_path: Path) -> None:
    core = load_core(write(tmp_path, GOOD))
    assert core.price(Op("alu")).latency == 1
    assert core.price(Op("asimd_mul", width="q")).latency == 2
    assert pickle.loads(pickle.dumps(core)).title == "a core of my own"


def test_most_exact_row_wins(tmp_path: Path) -> None:
    text = GOOD + '"asimd_mul" = { latency = 3, source = "me" }\n"asimd_mul.q" = { busy = 2, source = "me" }\n' \
        '"asimd_mul.q.32" = { latency = 7, source = "me" }\n"asimd_*" = { latency = 9, source = "me" }\n'
    core = load_core(write(tmp_path, text))

    def latency_and_busy(width: str, bits: int) -> tuple[int, int]:
        price = core.price(Op("asimd_mul", width=width, bits=bits))
        return price.latency, price.busy

    assert latency_and_busy("d", 32) == (3, 1)
    assert latency_and_busy("q", 16) == (3, 2)
    assert latency_and_busy("q", 32) == (7, 2)
    assert core.price(Op("asimd_add", width="q")).latency == 9


def test_a_familys_own_class_is_unknown_until_a_core_prices_it(tmp_path: Path) -> None:
    core = load_core(write(tmp_path, GOOD.replace('"*" =', '"mul*" =')))
    alike, own = core.price(Op("mul")), core.price(Op("crc"))
    assert (own.latency, own.needs, own.unknown) == (alike.latency, alike.needs, True)
    assert "crc" in core.check()[1]
    assert "crc" not in core.check()[0]
    priced = load_core(write(tmp_path, GOOD + 'crc = { latency = 7, source = "me" }\n'))
    assert (priced.price(Op("crc")).latency, priced.price(Op("crc")).unknown) == (7, False)
    assert "crc" not in priced.check()[1]


def test_derived_core_says_only_differences(tmp_path: Path) -> None:
    text = 'name = "faster"\ntitle = "A53 with a quick multiplier"\nbased_on = "cortex-a53"\n[class]\n' \
        'asimd_mul = { latency = 1, source = "ib" }\n'
    core, base = load_core(write(tmp_path, text)), load_core("cortex-a53")
    multiply, add = Op("asimd_mul", width="q"), Op("asimd_add", width="q")
    assert core.price(multiply).latency == 1
    assert core.price(multiply).needs == base.price(multiply).needs
    assert core.price(add) == base.price(add)


@pytest.mark.parametrize(("old", "new", "says"), [
    ("width = 2", "widht = 2", r"\[issue\].*unknown key 'widht'.*'width'"),
    ("latency = 1, source", "latency = -1, source", r"\[class\] alu.*latency = -1 is negative"),
    ('latency = 1, source = "me"', "latency = 1", r"\[class\] alu.*no source"),
    ('latency = 1, source = "me"', 'latency = 1, source = "you"', r"source 'you' is not listed"),
    ("alu = {", "allu = {", r"'allu' fits no timing class.*'alu'"),
    ("alu = {", '"alu.z" = {', r"unknown suffix 'z'"),
    ('unit = "box"', 'unit = "bix"', r"unit 'bix' is not declared.*'box'"),
    ("count = 2", "count = 0", r"\[unit.box\].*too small"),
    ("count = 2", 'count = "two"', r"not of type int"),
    ('kind = "in-order"', 'kind = "inorder"', r"'in-order' or 'out-of-order'"),
    ("[class]", "[klass]", r"unknown key 'klass'.*'class'"),
    ('title = "a core of my own"', "", r"'title' is missing"),
    ("[issue]\nwidth = 2", "[issue]", r"width is missing"),
    ("width = 2", "width = = 2", r"not valid TOML"),
    ("width = 2", "width = " + 9999 * "[" + 9999 * "]", r"not valid TOML"),
    ('alu = { latency = 1, source = "me" }', "alu = 1", r"a table like"),
    ('[issue]', '[[forward]]\nto = ["alu"]\nsource = "me"\n[issue]', r"number 1.*either latency or earlier"),
    ('[issue]', '[[forward]]\nto = ["@alus"]\nlatency = 1\nsource = "me"\n[issue]', r"kinds are multiply"),
    ('[issue]', '[[rate]]\nunit = ["box"]\nrefill = 1\nburst = 1\ncost = { z = 1 }\nsource = "me"\n[issue]', r"cost ="),
    ("[class]", '[memory]\nline = 64\nsource = "me"\n[class]', r"\[memory\].*l1_size is missing"),
    ("[class]", '[memory]\nline = 64\nl1_size = 1000\nl1_ways = 4\nl2_size = 4096\nl2_ways = 4\nl2 = 9\ndram = 99\n'
     'misses = 1\nsource = "me"\n[class]', r"l1_size does not divide"),
    ('name = "mine"', 'name = "mine"\nbased_on = "cortex-a35"', r"no such core file.*cortex-a"),
], ids=["unknown_key", "negative_latency", "missing_source", "unlisted_source", "unknown_class", "unknown_suffix",
        "unknown_unit", "no_units", "wrong_type", "wrong_kind", "unknown_table", "missing_title", "missing_width",
        "not_toml", "deep_toml", "not_a_table", "empty_forward", "unknown_kind", "wrong_cost", "no_caches", "odd_cache",
        "unknown_parent"])
def test_malformed_file_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    message = refusal(tmp_path, old, new)
    assert "mine.toml" in message
    assert re.search(says, message, re.S), message


def test_inherited_numbers_carry_the_mark(tmp_path: Path) -> None:
    text = 'name = "guess"\ntitle = "like the A53"\nbased_on = "cortex-a53"\ninherited = "hope"\n[source]\n' \
        'hope = "nobody looked"\nme = "looked"\n[class]\nasimd_mul = { latency = 1, source = "me" }\n'
    core = load_core(write(tmp_path, text))
    assert core.price(Op("asimd_add", width="q")).source == "hope ib a55"
    assert core.price(Op("asimd_mul", width="q")).source == "me"
    with pytest.raises(TimingError, match=r"inherited = 'hope' is not listed"):
        load_core(write(tmp_path, text.replace('hope = "nobody looked"\n', "")))


def test_assumed_prices_are_listed() -> None:
    assert "vldm" in load_core("cortex-a53").assumed()
    assert len(load_core("cortex-a73").assumed()) > 60 > len(load_core("cortex-a72").assumed())


def test_command_lists_what_is_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cores", "--check"]) == 0
    text = capsys.readouterr().out
    assert all(f"{name}: 0 unpriced" in text for name in cores())
    assert main(["cores", "cortex-a53", "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cortex-a53"]["unpriced"] == []


def test_wrong_core_name_suggests() -> None:
    with pytest.raises(TimingError, match=r"no core 'cortex-a35' \(did you mean 'cortex-a"):
        load_core("cortex-a35")
    with pytest.raises(TimingError, match="'cortex-a53'"):
        load_core("Cortex-A53")
    with pytest.raises(TimingError, match=r"no core file .*nowhere\.toml"):
        load_core("nowhere.toml")


def test_missing_price_names_class_and_file(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace('"*" =', '"asimd_*" ='))
    with pytest.raises(TimingError, match=r"mine\.toml \(mine\) has no price for class 'ldr', needed by ldr x0"):
        time(Stream.of_ops([Op("ldr", "ldr x0, [x1]")]), core=path)


def test_unknown_class_of_an_op_is_refused() -> None:
    with pytest.raises(TimingError, match=r"no timing class 'asimd_ad' \(did you mean 'asimd_add'"):
        time(Stream.of_ops([Op("asimd_ad")]))


def test_unknown_price_is_visible_in_the_report(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("latency = 1, source", "latency = 1, unknown = true, source"))
    timing = time(Stream.of_ops([Op("alu"), Op("nop")], iterations=3), core=path)
    assert timing.unknown == {"alu": 3}
    assert "unknown   alu x3" in str(timing)
    assert timing.core.check()[1] == ["alu"]


def test_wrong_instruction_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TimingError, match="mine runs aarch64, but loop is aarch32"):
        time(Stream.of_ops([Op("alu")], isa="aarch32", name="loop"), core=write(tmp_path, GOOD))
