"""CONTRIBUTING.md is true: each recipe done in a copy of the package, with the files of its table and no others. Its
command fails before, and then succeeds.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from neonsim.nn.backends.native import backend
from tests.arm.isa.test_one_file import ALONE, FAMILY
from tests.arm.timing.test_new_core import FRESH
from tests.native.test_rows import add_kernel, rows
from tests.nn.graph.test_layers import TOY

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
LEFT_OUT = (".*", "__pycache__", "build", "dist", "node_modules", "notebooks")
PLACEHOLDER = re.compile(r"\b(FAMILY|ISA|FOLDER|NAME|FILE|FUNCTION)\b")
RECIPES: dict[str, str] = dict(re.findall(r"^### (.+?)\n(.*?)(?=^### |\Z)", TEXT, re.M | re.S))


def places(recipe: str) -> list[str]:
    """The files that a recipe lists; words in capitals stand for any name."""
    return re.findall(r"^\| `([^`]+)` \|", RECIPES[recipe], re.M)


def command(recipe: str, **names: str) -> list[str]:
    """What says done, with names put in."""
    (line,) = re.findall(r"^Done when: `(.+)`$", RECIPES[recipe], re.M)
    for word, name in names.items():
        line = re.sub(rf"\b{word}\b", name, line)
    first, *rest = shlex.split(line)
    return [sys.executable, *(["-m", "neonsim"] if first == "neonsim" else []), *rest]


ABSOLUTE = '''class Absolute(Activated, tflite="ABS", onnx="Abs", real=np.abs):
    """|x|, rounded to the nearest step, ties away from zero."""

    kind = "absolute value"

    @staticmethod
    def factors_of(x_scale: float, out_scale: float) -> tuple[Factor, ...]:
        return (Factor.of(x_scale / out_scale),)

    @staticmethod
    def body(x: Lanes, *factors: Factor) -> Lanes:
        size = select(compare(x, ">=", 0), x, -x)
        return sat(_nearest(wide(wide(size) * factors[0].multiplier), 15 - factors[0].exponent), s16)[0]


'''


class House:
    """A checkout of your own, beside a place from where Python takes it and not the one that is installed."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        # With what Python has compiled: else every command does that again.
        left_out = shutil.ignore_patterns(*(name for name in LEFT_OUT if name != "__pycache__"))
        shutil.copytree(ROOT, self.root, ignore=left_out, symlinks=True)
        self.start = folder / "start"
        self.start.mkdir()
        (self.start / "sitecustomize.py").write_text(ALONE)

    def files(self) -> dict[str, str]:
        """File -> what it holds."""
        return {str(path.relative_to(self.root)): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in self.root.rglob("*") if path.is_file()
                and not any(part in LEFT_OUT or part.startswith(".") for part in path.relative_to(self.root).parts)}

    def run(self, *words: str) -> tuple[bool, str]:
        """(whether it succeeds, what it prints)."""
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.root, check=False, env=os.environ | {
            "PYTHONPATH": f"{self.start}{os.pathsep}{self.root}", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "120"})
        return done.returncode == 0, done.stdout + done.stderr

    def says_done(self, recipe: str, **names: str) -> str:
        """What the recipe's command prints when it succeeds."""
        good, said = self.run(*command(recipe, **names))
        assert good, said
        return said

    def misses(self, words: str, recipe: str, **names: str) -> None:
        """The recipe's command fails and says so."""
        good, said = self.run(*command(recipe, **names))
        assert not good and re.search(words, said), said

    def write(self, path: str, text: str) -> None:
        (self.root / path).write_text(text, "utf-8")

    def change(self, path: str, *changes: tuple[str, str]) -> None:
        text = (self.root / path).read_text("utf-8")
        for old, new in changes:
            assert text.count(old) == 1, (path, old)
            text = text.replace(old, new)
        self.write(path, text)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def held_to(listed: list[str], before: dict[str, str], after: dict[str, str]) -> None:
    """What is new or changed is listed, and all that is listed is new or changed."""
    touched = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    patterns = {place: PLACEHOLDER.sub("[^/]+", re.escape(place)) for place in listed}
    strange = [path for path in touched if not any(re.fullmatch(p, path) for p in patterns.values())]
    assert not strange, f"not in the recipe: {strange}"
    idle = [place for place, p in patterns.items() if not any(re.fullmatch(p, path) for path in touched)]
    assert not idle, f"the recipe names what is not needed: {idle}"


def test_the_page_is_whole() -> None:
    assert list(RECIPES) == ["An instruction", "A family of instructions", "A kernel", "A contract", "A core",
                             "A rounding", "An activation", "An operator", "A layer of networks", "A network",
                             "An exercise"]
    for recipe in RECIPES:
        assert places(recipe) and command(recipe)
    named = re.findall(r"`(?:python )?((?:tests|neonsim|native)/[\w/]+\.\w+)[ `]", TEXT)
    there = [path for path in named if not PLACEHOLDER.search(path)]
    for path in [*re.findall(r"\]\(([^)#:]+)[)#]", TEXT), *there]:
        assert (ROOT / path).is_file(), path
    assert len(there) > 10
    targets = " ".join(re.findall(r"(?:^|`)make ([a-z -]+?)(?= *(?:#|`|$))", TEXT, re.M)).split()
    assert {"test", "lint", "native", "instructions"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M), target
    anchors = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in RECIPES}
    assert set(re.findall(r"\]\(#([\w-]+)\)", TEXT)) == anchors


def test_the_numbers_of_places() -> None:
    """What is written by hand: two commands make the rest of an instruction."""
    made = (".npz", "docs/instructions.md", "neonsim.h", "contracts.h", "roundings.h")
    count = {recipe: sum(not place.endswith(made) for place in places(recipe)) for recipe in RECIPES}
    assert count == {"An instruction": 1, "A family of instructions": 1, "A kernel": 1, "A contract": 3, "A core": 1,
                     "A rounding": 1, "An activation": 1, "An operator": 3, "A layer of networks": 3, "A network": 1,
                     "An exercise": 1}
    assert len({*places("An operator"), *places("A layer of networks")}) == 5


@pytest.mark.slow
def test_a_core(house: House) -> None:
    before, path = house.files(), "neonsim/arm/timing/cores/acme-one.toml"
    head, _, rest = FRESH.partition("[class]\n")
    house.write(path, head + '[class]\nasimd_arith_sat = { latency = 2, unit = "box", source = "me" }\n')
    house.misses("unpriced  ", "A core", NAME="acme-one")
    house.write(path, f"{head}[class]\n{rest}")
    assert "acme-one: 0 unpriced" in house.says_done("A core", NAME="acme-one")
    held_to(places("A core"), before, house.files())


@pytest.mark.nightly
@pytest.mark.skipif(not find_spec("tflite") or not find_spec("onnx"), reason="needs pip install 'neonsim[models]'")
def test_an_activation(house: House) -> None:
    before, path = house.files(), "neonsim/nn/ops/quantized/lut.py"
    house.misses("deselected", "An activation", NAME="ABS")
    house.change(path, ("class Elu(_Activation):", ABSOLUTE + "class Elu(_Activation):"))
    # uint8 and int8, by the words of .tflite and of .onnx
    assert "4 passed" in house.says_done("An activation", NAME="ABS")
    held_to(places("An activation"), before, house.files())


@pytest.mark.nightly
def test_a_kernel(house: House) -> None:
    before = house.files()
    path = add_kernel(house.root)
    names = {"FOLDER": path.parent.name, "NAME": path.stem}
    whole = path.read_text()
    path.write_text(re.sub(r"^//! contract: .*\n", "", whole, flags=re.M))
    house.misses("the header has no line `//! contract: ...`", "A kernel", **names)
    path.write_text(whole)
    said = house.says_done("A kernel", **names)
    assert "keeps the rules" in said and "run `make native`" in said
    held_to(places("A kernel"), before, house.files())


CHECKED = '''
from neonsim.ukernel import cases, contract_named, kernels, run_cases
contract = contract_named("qs8_vsub")
print(contract.doc, contract.prototype())
for each in kernels(contract="qs8_vsub"):
    assert not run_cases(each.program(), each.name, cases("qs8_vsub", each.tile), reads_before=each.header.reads_before)
print(len(kernels(contract="qs8_vsub")), "kernels")
'''
ROW = '''
BINARY.row("qs8_vsub", _combine, t="int8", params=ScaledAddParams, says="Subtract two vectors of int8.",
           formula="y[i] <- clamp(((ma * (a[i] - za) + mb * (b[i] - zb) + 2**(shift-1)) >> shift) + zp)")
'''


@pytest.mark.nightly
def test_a_contract(house: House) -> None:
    """Of a known family: a row, and its kernels, which are those of the sum, for it is a sum with a negative factor."""
    before, recipe, name = house.files(), "A contract", "qs8_vsub"
    path = "neonsim/ukernel/contracts/elementwise.py"
    house.write(path, (house.root / path).read_text("utf-8") + ROW)
    house.misses("older than neonsim/ukernel/contracts: run `make headers`", recipe, NAME=name)
    good, said = house.run(sys.executable, "-m", "neonsim.ukernel.kernelgen.contracts_c")
    assert good and said.count("written") == 2, said
    for old in sorted((house.root / "kernels" / "elementwise").glob("qs8_vadd_*.S")):
        text = old.read_text("utf-8").replace("qs8_vadd", name)
        house.write(f"kernels/elementwise/{old.name.replace('qs8_vadd', name)}", text)
    twin = "NEONSIM_KERNEL(binary, qs8_vadd_1x__scalar) { add(n, a, b, 1, y, params, 1); }\n"
    house.change("native/src/contracts/scalar/elementwise.c", (twin, twin + twin.replace("vadd", "vsub")))
    house.says_done(recipe, NAME=name)
    held_to(places(recipe), before, house.files())
    # The page, the prototype and the cases are there, and the kernels keep them.
    good, said = house.run(sys.executable, "-c", CHECKED)
    assert good and "const struct neonsim_scaled_add_params *params);" in said and "2 kernels" in said, said
    if shutil.which("cmake") and shutil.which("gcc"):
        assert f"{name}_1x__scalar" in rows(house.root, house.start / "variant_rows.h")
        good, said = house.run("gcc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", "-Inative/include",
                               "-Inative/src", f"-I{house.start}", "native/src/contracts/scalar/elementwise.c",
                               "native/src/contracts/call.c")
        assert good, said


EXERCISE = '''
"""Bits."""

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.ukernel.contract import Array


def _exclusive_or(a: Array, b: Array, y: Array) -> None:
    """Bits of sixteen bytes that differ.

    y[i] <- a[i] xor b[i]

    a, b   uint8 [16]
    y      uint8 [16]   written
    """
    y[...] = a ^ b


def _either(a: Array, b: Array, y: Array) -> None:
    y[...] = a | b


TASKS = (
    define(
        "exclusive-or", "bits that differ",
        prototype="void exclusive_or(const uint8_t a[16], const uint8_t b[16], uint8_t y[16])",
        definition=_exclusive_or,
        story="Encrypting with a stream of keys is an exclusive or.",
        limits=Limits(instructions=1, neon=0.5),
        hints=("It is a logical instruction.", "EOR works on bits, so lanes do not matter."),
        mistakes=((_either, "This is ORR: bits that both have are set."),),
        answers=Answers(
            correct={"aarch64": """
exclusive_or:
        ldr     q0, [x0]
        ldr     q1, [x1]
        eor     v0.16b, v0.16b, v1.16b
        str     q0, [x2]
        ret
"""},
            wrong={"aarch64": (
                ("eor     v0", "orr     v0", "This is ORR"),
                ("eor     v0.16b", "eor     v0.8b", "its registers have one size"),
                ("ldr     q1, [x1]", "ldr     q1, [x0]", "y[0] should be"),
                ("ldr     q0, [x0]", "ldr     q0, [x0, #1]", "past its end"),
                ("        str     q0, [x2]\\n", "", "no step wrote it"),
            )}),
    ),
)
'''


@pytest.mark.nightly
def test_an_exercise(house: House) -> None:
    before, path = house.files(), "neonsim/learn/course/tasks/bits.py"
    house.write(path, re.sub(r"\n            wrong=.*\)}\),\n", "),\n", EXERCISE, flags=re.S))
    house.misses(r"fewer than five wrong answers .*exclusive-or", "An exercise", NAME="exclusive-or")
    house.write(path, EXERCISE)
    assert " passed" in house.says_done("An exercise", NAME="exclusive-or")
    held_to(places("An exercise"), before, house.files())


NETWORK = '''
"""Two layers."""

from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models.builder import GraphBuilder


def little(size: int = 224, quantization: str = "qu8", seed: int = 0) -> Graph:
    """A convolution and a classifier."""
    make = GraphBuilder("little", size, quantization, seed)
    x = make.conv("stem", make.input, 16, 3, stride=2, padding=1, activation="relu")
    return make.finish(make.linear("classifier", make.global_pool("pool", x), 10))
'''


@pytest.mark.nightly
def test_a_network(house: House) -> None:
    before = house.files()
    house.write("neonsim/nn/graph/models/little.py", NETWORK)
    house.misses("deselected", "A network", NAME="little")
    house.write("neonsim/nn/graph/models/little.py", NETWORK + "\n\nNETWORKS = (little,)\n")
    assert re.search(r"[1-9]\d* passed|skipped", house.says_done("A network", NAME="little"))
    held_to(places("A network"), before, house.files())
    good, said = house.run(sys.executable, "-m", "neonsim", "run", "little", "--size", "64", "--backend", "reference")
    assert good, said


FUNCTION = '''

def channel_unshuffle(x, *, groups, backend=None, threads=1, kernel=None, out_array=None):
    """The other way."""
    operator = Unshuffle(scheme_of(x), groups=groups)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)
'''
RUN_DEAL = '''static void run_deal(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer);
  const size_t last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer)), channels = layer->output_channels;
  for (size_t pixel = first; pixel < last; pixel++) {
    const uint8_t *in = step->arena + layer->input + pixel * layer->input_stride;
    uint8_t *out = step->arena + layer->output + pixel * layer->output_stride;
    for (size_t i = 0; i < channels; i++) {
      out[i % layer->groups * (channels / layer->groups) + i / layer->groups] = in[i];
    }
  }
}

'''
IMPORTS = """from neonsim.errors import BadArgument
from neonsim.common.integers import as_int
from neonsim.nn.ops.quantized.channels import ChannelShuffle
from neonsim.nn.ops.operator import Operator
"""
GROUPS = """        self.groups = as_int(groups, "groups", 0, 1 << 20)
        if self.groups < 2:
            raise BadArgument(f"groups must be at least 2; got {groups}.")
"""
CHANNELS = """        if not shapes[0] or shapes[0][-1] == 0 or shapes[0][-1] % self.groups:
            raise BadArgument(f"x has channels in {self.groups} equal groups, at least one each.")
        return shapes[0]
"""
SHUFFLE = 'NativeLayer("shuffle", {"groups": shapes[0][-1] // self.groups})'
OPERATOR = {"FUNCTION": "channel_unshuffle"}


def add_operator(house: House, layer: str) -> None:
    """Unshuffle of tests/nn/graph/test_layers.py, as the house has its own: the class and the export."""
    text = TOY
    for old, new in (
        ("import check_scheme", "import check_scheme, scheme_of"),
        ("from neonsim.nn.ops import ChannelShuffle, Operator\n", IMPORTS),
        ("        self.groups = groups\n", GROUPS),
        ("        return shapes[0]\n", CHANNELS),
        (SHUFFLE, layer),
    ):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    house.write("neonsim/nn/ops/unshuffle.py", text + FUNCTION)
    row, exports = "    pad(x, amounts=), copy(x) ", '__all__ = ["Add",'
    house.change("neonsim/nn/ops/__init__.py",
                 (row, f"    channel_unshuffle(x)     Unshuffle     the other way\n{row}"),
                 (exports, "from neonsim.nn.ops.unshuffle import Unshuffle, channel_unshuffle\n\n"
                  '__all__ = ["Unshuffle", "channel_unshuffle", "Add",'))


def add_its_tests(house: House) -> None:
    # The kernel has as many groups as there are channels in one of the operator's.
    text = (house.root / "tests/nn/operator_cases/each/channel_shuffle.py").read_text("utf-8")
    for old, new in (("ChannelShuffle", "Unshuffle"), ("range(1, 41)", "range(2, 41)"), ("(0, 9)", "(0, 18)")):
        text = text.replace(old, new)
    house.write("tests/nn/operator_cases/each/channel_unshuffle.py", text)


@pytest.mark.nightly
def test_an_operator(house: House) -> None:
    """With a layer of a kind that is there."""
    if (reason := backend.available()) is not None:
        pytest.skip(reason)
    before, library = house.files(), "build/native/libneonsim.so"
    (house.root / library).parent.mkdir(parents=True)
    shutil.copy2(ROOT / library, house.root / library)
    add_operator(house, SHUFFLE)
    house.misses("channel_unshuffle has no cases", "An operator", **OPERATOR)
    add_its_tests(house)
    said = house.says_done("An operator", **OPERATOR)
    assert " passed" in said and "skipped" not in said
    held_to(places("An operator"), before, house.files())


def build(house: House) -> None:
    """What `make native` runs."""
    for words in (["-S", "native", "-B", "build/native", "-DCMAKE_BUILD_TYPE=Release", "-DNEONSIM_WERROR=ON"],
                  ["--build", "build/native", "--target", "neonsim", "--parallel", "2"]):
        good, said = house.run("cmake", *words)
        assert good, said


@pytest.mark.nightly
@pytest.mark.skipif(not all(map(shutil.which, ("cmake", "cc"))), reason="needs cmake and a C compiler: run `make`")
def test_an_operator_with_a_layer_of_a_new_kind(house: House) -> None:
    before = house.files()
    add_operator(house, 'NativeLayer("deal", {"groups": self.groups})')
    add_its_tests(house)
    build(house)
    house.misses("has no kind of layer 'deal'|assert 'deal' in", "A layer of networks", **OPERATOR)
    house.change("native/include/neonsim_network.h", (
        "integers of 16 bits, times scale[0] */\n",
        "integers of 16 bits, times scale[0] */ \\\n  X(DEAL) /* channels collected */\n"))
    build(house)
    house.misses(r"FAILED .*\[channel_unshuffle\]", "A layer of networks", **OPERATOR)
    layers = "native/src/network/layers/weightless_layers.c"
    house.change(layers, ("static void run_copy(", RUN_DEAL + "static void run_copy("), (
        "    case NEONSIM_LAYER_COPY:",
        "    case NEONSIM_LAYER_DEAL: step->run = run_deal; return NEONSIM_SUCCESS;\n    case NEONSIM_LAYER_COPY:"))
    build(house)
    said = house.says_done("A layer of networks", **OPERATOR)
    assert " passed" in said and "skipped" not in said
    held_to([*places("An operator"), *places("A layer of networks")], before, house.files())


def vectors(house: House) -> None:
    for words in (["tests/conformance/record.py", FAMILY], ["tests/instruction_table.py"]):
        good, said = house.run(sys.executable, *words)
        assert good, said


def needs_oracle() -> None:
    sys.path.insert(0, str(ROOT / "tests" / "conformance"))
    import oracle

    for isa in ("aarch64", "aarch32"):
        if reason := oracle.missing(isa):
            pytest.skip(reason)


@pytest.mark.nightly
def test_an_instruction(house: House) -> None:
    """One of a family, taken away and added again."""
    needs_oracle()
    path = f"neonsim/arm/isa/{FAMILY}.py"
    whole = (house.root / path).read_text("utf-8")
    first = re.findall(r"^@insn\(.*?(?=^@insn\()", whole, re.M | re.S)[0]
    house.write(path, whole.replace(first, ""))
    vectors(house)
    house.says_done("An instruction")
    before = house.files()
    house.write(path, whole)
    house.misses("no recorded line for .*record again", "An instruction")
    vectors(house)
    house.says_done("An instruction")
    held_to(places("An instruction"), before, house.files())


@pytest.mark.nightly
def test_a_family(house: House) -> None:
    needs_oracle()
    path = house.root / f"neonsim/arm/isa/{FAMILY}.py"
    whole = path.read_text("utf-8")
    path.unlink()
    for isa in ("aarch64", "aarch32"):
        (house.root / f"tests/conformance/golden/{isa}/{FAMILY}.npz").unlink()
    good, said = house.run(sys.executable, "tests/instruction_table.py")
    assert good, said
    house.says_done("A family of instructions")
    before = house.files()
    path.write_text(whole, "utf-8")
    house.misses("no recorded line for .*record again", "A family of instructions")
    vectors(house)
    house.says_done("A family of instructions")
    held_to(places("A family of instructions"), before, house.files())
