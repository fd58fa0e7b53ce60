"""Core files: everything priced and sourced; whatever they may not say is refused with place and remedy."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.isa import all_semantics
from neonsim.arm.timing import (
    CoreFilter,
    InstructionStream,
    StaticInstruction,
    chosen_as,
    cores,
    load_core,
    load_cores,
    requirements_of,
    time,
)
from neonsim.arm.timing.cores import loader
from neonsim.arm.timing.cores.instruction_classes import CLASSES
from neonsim.arm.timing.cores.loader import CORES
from neonsim.arm.timing.cores.model import features
from neonsim.cli import main
from neonsim.cli.calls import core_names
from neonsim.errors import TimingError, UnknownCore
from neonsim.ukernel.header import FEATURES as HEADER_FEATURES

GOOD = """
name = "mine"
title = "a core of my own"
kind = "in-order"
isa = ["aarch64"]
picture = "one box"
[source]
me = "a guess"
[features]
has = ["neon", "dotprod"]
source = "me"
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
    names = {meaning.timing.format(count=n) for meaning in all_semantics().values() for n in range(1, 5)}
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
    assert core.price(StaticInstruction("alu")).latency == 1
    assert core.price(StaticInstruction("asimd_mul", width="q")).latency == 2
    assert pickle.loads(pickle.dumps(core)).title == "a core of my own"


def test_most_exact_row_wins(tmp_path: Path) -> None:
    text = GOOD + '"asimd_mul" = { latency = 3, source = "me" }\n"asimd_mul.q" = { busy = 2, source = "me" }\n' \
        '"asimd_mul.q.32" = { latency = 7, source = "me" }\n"asimd_*" = { latency = 9, source = "me" }\n'
    core = load_core(write(tmp_path, text))

    def latency_and_busy(width: str, bits: int) -> tuple[int, int]:
        price = core.price(StaticInstruction("asimd_mul", width=width, bits=bits))
        return price.latency, price.busy

    assert latency_and_busy("d", 32) == (3, 1)
    assert latency_and_busy("q", 16) == (3, 2)
    assert latency_and_busy("q", 32) == (7, 2)
    assert core.price(StaticInstruction("asimd_add", width="q")).latency == 9


def test_a_familys_own_class_is_unknown_until_a_core_prices_it(tmp_path: Path) -> None:
    good = GOOD.replace('"dotprod"]', '"dotprod", "crc32"]')
    core = load_core(write(tmp_path, good.replace('"*" =', '"mul*" =')))
    alike, own = core.price(StaticInstruction("mul")), core.price(StaticInstruction("crc"))
    assert (own.latency, own.unit_choices, own.unknown) == (alike.latency, alike.unit_choices, True)
    assert "crc" in core.check()[1]
    assert "crc" not in core.check()[0]
    priced = load_core(write(tmp_path, good + 'crc = { latency = 7, source = "me" }\n'))
    assert (priced.price(StaticInstruction("crc")).latency,
            priced.price(StaticInstruction("crc")).unknown) == (7, False)
    assert "crc" not in priced.check()[1]


def test_derived_core_says_only_differences(tmp_path: Path) -> None:
    text = 'name = "faster"\ntitle = "A53 with a quick multiplier"\nbased_on = "cortex-a53"\n' \
        'inherits = ["kind", "isa", "features", "issue", "unit", "writeback", "forward", "apart", "class"]\n' \
        'picture = "as it"\n[class]\n' \
        'asimd_mul = { latency = 1, source = "ib" }\n'
    core, base = load_core(write(tmp_path, text)), load_core("cortex-a53")
    multiply, add = StaticInstruction("asimd_mul", width="q"), StaticInstruction("asimd_add", width="q")
    assert core.price(multiply).latency == 1
    assert core.price(multiply).unit_choices == base.price(multiply).unit_choices
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
    ("count = 2", "count = 3_000_000_000", r"\[unit.box\]: count is too large"),
    ("count = 2", f"count = {'9' * 5000}", r"not valid TOML"),
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
    ('has = ["neon", "dotprod"]', 'has = ["neon", "dotprodd"]', r"\[features\].*no feature 'dotprodd'.*'dotprod'"),
    ('[features]\nhas = ["neon", "dotprod"]\nsource = "me"\n', "", r"'features' is missing"),
    ('has = ["neon", "dotprod"]\nsource = "me"', 'has = ["neon"]', r"\[features\].*no source"),
    ("[issue]", '[[kernel]]\nisa = "aarch32"\ntile = "4x8"\ntechnique = "neon"\nsource = "me"\n[issue]',
     r"\[\[kernel\]\] number 1.*'aarch32', which the core does not run"),
    ("[issue]", '[[kernel]]\nisa = "aarch64"\ntile = "4x8"\nsource = "me"\n[issue]', r"technique is missing"),
    ("[issue]", '[measured]\ntable = "insn_bench"\nsource = "me"\n[issue]', r"no table 'insn_bench'.*insn_bench.tsv"),
    ("[issue]", '[dual_issue]\ndepth = 0\nsource = "me"\n[issue]', r"too small"),
    ('isa = ["aarch64"]', 'isa = ["arm64"]', r"isa = \['arm64'\]; it is a list of aarch32 and aarch64"),
    ('isa = ["aarch64"]', 'isa = "aarch64"', r"isa = 'aarch64'; it is a list"),
    ('kind = "in-order"', 'kind = "in-order"\nteaching = "yes"', r"teaching = 'yes'; it is true or left out"),
    ('name = "mine"', 'name = "mine"\ninherits = ["class"]', r"inherits needs based_on"),
    ('name = "mine"', 'name = "mine"\nbased_on = "cortex-a53"',
     r"inherits is missing: list the inherited tables, out of kind, isa, features"),
    ('name = "mine"', 'name = "mine"\nbased_on = "cortex-a53"\ninherits = []', r"inherits is missing"),
    ('name = "mine"', 'name = "mine"\nbased_on = "cortex-a53"\ninherits = ["clas"]',
     r"inherits: 'clas' is nothing that can be taken over \(did you mean 'class'"),
    ('name = "mine"', 'name = "mine"\nbased_on = "cortex-a53"\ninherits = ["rate"]', r"cortex-a53 has no \[rate\]"),
    ('name = "mine"', 'name = "mine"\nbased_on = "cortex-a53"\ninherits = ["llvm"]', r"'llvm' is nothing that can be"),
    ("[class]", '[memory]\nline = 64\nsource = "me"\n[class]', r"\[memory\].*l1_size is missing"),
    ("[class]", '[memory]\nline = 64\nl1_size = 1000\nl1_ways = 4\nl2_size = 4096\nl2_ways = 4\nl2 = 9\ndram = 99\n'
     'misses = 1\nsource = "me"\n[class]', r"l1_size does not divide"),
    ('name = "mine"', 'name = "mine"\nbased_on = "cortex-a35"', r"no such core file.*cortex-a"),
], ids=["unknown_key", "negative_latency", "missing_source", "unlisted_source", "unknown_class", "unknown_suffix",
        "unknown_unit", "no_units", "units_without_end", "a_number_of_5000_digits",
        "wrong_type", "wrong_kind", "unknown_table", "missing_title", "missing_width",
        "not_toml", "deep_toml", "not_a_table", "empty_forward", "unknown_kind", "wrong_cost",
        "unknown_feature", "no_features", "unsourced_features", "choice_of_another_isa", "choice_of_nothing",
        "unknown_table_of_numbers", "dual_issue_from_0", "unknown_isa", "isa_no_list", "teaching_no_bool",
        "inherits_of_nobody", "no_inherits", "empty_inherits", "misspelt_inherits", "nothing_to_inherit",
        "others_opinion_inherited", "no_caches", "odd_cache",
        "unknown_parent"])
def test_malformed_file_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    message = refusal(tmp_path, old, new)
    assert "mine.toml" in message
    assert re.search(says, message, re.S), message


def test_inherited_numbers_carry_the_mark(tmp_path: Path) -> None:
    text = 'name = "guess"\ntitle = "like the A53"\nbased_on = "cortex-a53"\ninherited = "hope"\n' \
        'inherits = ["kind", "isa", "features", "issue", "unit", "class"]\npicture = "as it"\n[source]\n' \
        'hope = "nobody looked"\nme = "looked"\n[class]\nasimd_mul = { latency = 1, source = "me" }\n'
    core = load_core(write(tmp_path, text))
    assert core.price(StaticInstruction("asimd_add", width="q")).source == "hope ib a55"
    assert core.price(StaticInstruction("asimd_mul", width="q")).source == "me"
    with pytest.raises(TimingError, match=r"inherited = 'hope' is not listed"):
        load_core(write(tmp_path, text.replace('hope = "nobody looked"\n', "")))


def test_only_what_is_named_is_inherited(tmp_path: Path) -> None:
    """Rules, kernels, caches of the base come with the word; without it they are not there."""
    text = 'name = "part"\ntitle = "part of the A72"\nbased_on = "cortex-a72"\npicture = "as it"\ninherits = WORDS\n' \
        '[source]\nme = "looked"\n[features]\nhas = ["neon", "dotprod"]\nsource = "me"\n' \
        '[[kernel]]\nisa = "aarch64"\ntile = "4x16c4"\ntechnique = "neondot_ld64"\nfeature = "dotprod"\nsource = "me"\n'
    words = ["kind", "isa", "dispatch", "unit", "class"]
    part = load_core(write(tmp_path, text.replace("WORDS", json.dumps(words))))
    base = load_core("cortex-a72")
    assert base.forwards and base.rates and base.memory and base.dual_issue == 64 and base.measured
    assert (part.forwards, part.rates, part.memory, part.dual_issue, part.measured) == ((), (), None, None, None)
    assert part.features == {"neon", "dotprod"} and [c.tile for c in part.choices] == ["4x16c4"]
    assert part.inherits == tuple(words) and part.based_on == "cortex-a72"
    assert "QNNPACK" not in part.sources and "uan" in part.sources
    words += ["forward", "rate", "kernel", "dual_issue", "memory"]
    whole = load_core(write(tmp_path, text.replace("WORDS", json.dumps(words))))
    assert (whole.forwards, whole.rates, whole.memory, whole.dual_issue) == (base.forwards, base.rates, base.memory, 64)
    assert [c.tile for c in whole.choices] == ["4x16c4", "2x8c8", "2x8c2s4"]
    missing = write(tmp_path, text.replace("WORDS", '["isa", "dispatch", "unit", "class"]'))
    with pytest.raises(TimingError, match="'kind' is missing: say it, or put it into inherits to take it over from"):
        load_core(missing)


def test_every_feature_of_kernels_and_instructions_is_a_word() -> None:
    assert set(HEADER_FEATURES) <= set(features())
    assert {meaning.feature for meaning in all_semantics().values()} - {""} <= set(features())


NOT_IN_GCC = {"apple-m1-firestorm"}


@pytest.mark.parametrize("name", [core.name for core in load_cores() if not core.teaching])
def test_features_are_those_that_gcc_has(name: str) -> None:
    """What GCC says of -mcpu=NAME; of AArch32 that it knows the core at all. Cryptography is an option there."""
    for isa, compiler in (("aarch64", "aarch64-linux-gnu-gcc"), ("aarch32", "arm-linux-gnueabihf-gcc")):
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not installed; make system-packages")
        more = [] if isa == "aarch64" else ["-mfpu=auto"]
        if name in NOT_IN_GCC:
            pytest.skip(f"GCC does not know {name}: LLVM's word is taken")
        done = subprocess.run([compiler, f"-mcpu={name}", *more, "-dM", "-E", "-"], input="", capture_output=True,
                              text=True, check=False)
        assert (done.returncode == 0) == (isa in load_core(name).isas), done.stderr
        words = {"DOTPROD": "dotprod", "QRDMX": "rdm", "FP16_VECTOR_ARITHMETIC": "fp16", "MATMUL_INT8": "i8mm",
                 "BF16_VECTOR_ARITHMETIC": "bf16", "FRINT": "frint", "ATOMICS": "lse", "COMPLEX": "fcma",
                 "JCVT": "jscvt", "FP16_FML": "fhm"}
        found = {word for macro, word in words.items() if f"#define __ARM_FEATURE_{macro} " in done.stdout}
        if isa == "aarch32":        # instructions of AArch64 only; GCC has no macro for JSCVT, FCMA and FHM there
            found |= load_core(name).features & {"frint", "lse", "jscvt", "fcma", "fhm"}
        assert done.returncode or found == load_core(name).features & set(words.values())
        assert done.returncode or ("#define __ARM_NEON 1" in done.stdout and "neon" in load_core(name).features)


@pytest.mark.parametrize(("line", "without", "having"), [
    ("casal w0, w1, [x2]", "cortex-a53", "cortex-x1"), ("sha512h q0, q1, v2.2d", "cortex-a78", "neoverse-v1"),
    ("fcmla v0.4s, v1.4s, v2.4s, #90", "cortex-a78", "neoverse-n2"), ("fjcvtzs w0, d0", "cortex-a76", "cortex-a510"),
    ("fmlal v0.4s, v1.4h, v2.4h", "cortex-x1", "cortex-a710"), ("eor3 v0.16b, v1.16b, v2.16b, v3.16b", "cortex-a78",
                                                                 "apple-m1-firestorm"),
    ("sm4e v0.4s, v1.4s", "apple-m1-firestorm", "neoverse-v1"), ("bfdot v0.4s, v1.8h, v2.8h", "cortex-x1",
                                                                 "cortex-a510"),
])
def test_newer_instructions_by_core(line: str, without: str, having: str) -> None:
    """What Linux, or GCC, says of a core decides which programs it is asked about; sources stand in the files."""
    program = assemble(f"top: {line}\n subs x9, x9, #1\n b.ne top\n", "aarch64")
    with pytest.raises(TimingError, match=f"{without} has no "):
        time(program, core=without)
    assert time(program, core=having).cycles > 0


def test_what_a_core_lacks_is_refused_not_priced() -> None:
    dot = assemble("top: sdot v0.4s, v1.16b, v2.16b\n subs x0, x0, #1\n b.ne top\n", "aarch64")
    with pytest.raises(TimingError, match=r"cortex-a53 has no dotprod, which .* needs"):
        time(dot, core="cortex-a53")
    assert time(dot, core="cortex-a55").unknown == {} and time(dot, core="cortex-a75").unknown
    able = CoreFilter()
    assert able.cores(["cortex-a53", "cortex-a57", "cortex-a76"], requirements_of(dot, "dot.S")) == ["cortex-a76"]
    assert able.sentences() == ("Left out: cortex-a53, cortex-a57 have no dotprod, which dot.S needs.",)
    with pytest.raises(TimingError, match=r"cortex-a53 has no dotprod and no i8mm, which dot\.S needs"):
        CoreFilter().require_some(["cortex-a53"], requirements_of(dot, "dot.S", ["i8mm"]))


def test_only_what_is_timed_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file with a loop for cores with dot products and one for others: each is refused or priced by itself."""
    path = tmp_path / "both.s"
    path.write_text("f: cbz x1, plain\ndot: sdot v0.4s, v1.16b, v2.16b\n subs x0, x0, #1\n b.ne dot\n ret\n"
                    "plain: mul v0.8h, v1.8h, v2.8h\n subs x0, x0, #1\n b.ne plain\n ret\n", encoding="utf-8")
    what = ["time", str(path), "--isa", "aarch64", "--core", "cortex-a53"]
    assert main([*what, "--loop", "plain"]) == 0 and main([*what, "3", "0"]) == 0
    assert "no dotprod" not in capsys.readouterr().err
    assert main([*what, "--loop", "dot"]) == 2 and main([*what, "3", "1"]) == 2
    assert capsys.readouterr().err.count("cortex-a53 has no dotprod, which") == 2


def test_a_core_that_another_stands_for() -> None:
    assert chosen_as("cortex-a55r0") is load_core("cortex-a53")
    with pytest.raises(UnknownCore, match="Its kernels are chosen as for cortex-a53, but its cycles are unknown"):
        load_core("cortex-a55r0")


def test_assumed_prices_are_listed() -> None:
    assert "vldm" in load_core("cortex-a53").assumed()
    assert len(load_core("cortex-a73").assumed()) > 60 > len(load_core("cortex-a72").assumed())


def test_command_lists_what_is_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cores", "validate"]) == 0
    text = capsys.readouterr().out
    assert all(f"{name}: 0 unpriced" in text for name in cores())
    assert main(["cores", "validate", "cortex-a53", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cortex-a53"]["unpriced"] == []


def test_names_and_titles_are_told_without_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    """`neonsim time` reads the file of the core that it is asked for, not those of all."""
    assert cores() == {core.name: core.title for core in load_cores()}
    read: list[Path] = []
    monkeypatch.setattr(loader, "_data", lambda path, *_: read.append(path))
    assert core_names("Cortex_A72", cores) == ["cortex-a72"] and len(cores()) > 17 and not read


def test_short_names_of_cores() -> None:
    """By the end of the name, in any letters; each means one core, also among those that are only stood for."""
    for name in cores():
        end = name.rpartition("-")[2]
        if not end.isdigit():
            assert load_core(end).name == load_core(name.upper().replace("-", " ")).name == name
    assert chosen_as("A55r0").name == "cortex-a53"
    for nobody in ("1", "x9", "cortex", "-a53", "", "a5"):
        with pytest.raises(TimingError, match="There is no core"):
            load_core(nobody)


def test_wrong_core_name_suggests() -> None:
    with pytest.raises(TimingError, match=r"no core 'cortex-a35' \(did you mean 'cortex-a"):
        load_core("cortex-a35")
    with pytest.raises(TimingError, match=r"no core 'a54' \(did you mean 'cortex-a53'\?\)"):
        load_core("a54")
    with pytest.raises(TimingError, match=r"no core file .*nowhere\.toml"):
        load_core("nowhere.toml")


def test_missing_price_names_class_and_file(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace('"*" =', '"asimd_*" ='))
    with pytest.raises(TimingError, match=r"mine\.toml \(mine\) has no price for class 'ldr', needed by ldr x0"):
        time(InstructionStream.of_ops([StaticInstruction("ldr", "ldr x0, [x1]")]), core=path)


def test_unknown_class_of_an_op_is_refused() -> None:
    with pytest.raises(TimingError, match=r"no timing class 'asimd_ad' \(did you mean 'asimd_add'"):
        time(InstructionStream.of_ops([StaticInstruction("asimd_ad")]))


def test_unknown_price_is_visible_in_the_report(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("latency = 1, source", "latency = 1, unknown = true, source"))
    timing = time(InstructionStream.of_ops([StaticInstruction("alu"), StaticInstruction("nop")], iterations=3),
                  core=path)
    assert timing.unknown == {"alu": 3}
    assert "unknown   alu x3" in str(timing)
    assert timing.core.check()[1] == ["alu"]


def test_wrong_instruction_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TimingError, match="mine runs aarch64, but loop is aarch32"):
        time(InstructionStream.of_ops([StaticInstruction("alu")], isa="aarch32", name="loop"),
             core=write(tmp_path, GOOD))
