"""Parameter blocks: whatever `quant` has for kernels has its bytes here."""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from neonsim import quant
from neonsim.errors import BadArgument
from neonsim.quant.params.elementwise import ClampParams
from neonsim.quant.params.gemm_steps import SchemeParams
from neonsim.quant.requant.double_scale import ByteParams, DoubleScaleParams, PairParams, SumParams
from neonsim.quant.requant.int16x8 import Int16x8Params
from neonsim.quant.requant.tengine import TengineParams
from neonsim.ukernel.contract import STRUCTS
from neonsim.ukernel.packing import block_of
from neonsim.ukernel.packing.param_blocks import LAYOUTS, is_block

HEADER = Path(__file__).parents[3] / "native/include/neonsim.h"


def _classes() -> set[type[Any]]:
    modules = [importlib.import_module(found.name)
               for found in pkgutil.walk_packages(quant.__path__, "neonsim.quant.") if not found.ispkg]
    return {kind for module in modules for name, kind in vars(module).items()
            if isinstance(kind, type) and name.endswith("Params") and is_dataclass(kind) and not kind.__subclasses__()}


def test_all_parameters_have_a_block() -> None:
    found = _classes()
    assert len(found) >= 16
    # What no kernel can do yet has none.
    assert found - {key[0] if isinstance(key, tuple) else key for key in LAYOUTS} == {
        ByteParams, SchemeParams, Int16x8Params, SumParams, TengineParams, DoubleScaleParams, PairParams}
    assert not [kind for kind in found if hasattr(kind, "block")], "quant knows nothing of kernels"


def test_others_are_refused() -> None:
    assert is_block(ClampParams(1, 2)) and not is_block(7) and not is_block(b"1234")
    with pytest.raises(BadArgument, match="int is no block of parameters"):
        block_of(7)


def test_bytes_of_either_sign() -> None:
    assert block_of(ClampParams(-128, -1, dtype="int8")) == bytes((255, 128, 0, 0))


def test_fields_are_those_of_the_c_library() -> None:
    """Names, types and order: what follows without a gap lies at the same place in C."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text("utf-8"), flags=re.S)
    structs = dict(re.findall(r"struct (neonsim_\w+_params) \{(.*?)\n\};", text, re.S))
    letters = {"uint8_t": "B", "int16_t": "h", "int32_t": "i", "int64_t": "q", "float": "f"}
    inside = {}
    for struct, body in structs.items():
        fields = re.findall(r"(\w+) (\w+)(?:\[(\d+)\])?;", body)
        inside[struct] = ", ".join(f"{many}x" if name == "reserved" else f"{many}{letters[kind]} {name}"
                                   for kind, name, many in fields)
    # A contract names a block of two layouts as Annotated[class, layout].
    assert {struct: LAYOUTS[get_args(hint) or hint] for hint, struct in STRUCTS.items()} == inside
