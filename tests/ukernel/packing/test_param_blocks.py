"""Parameter blocks: whatever `quant` has for kernels has its bytes here."""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import is_dataclass
from pathlib import Path
from struct import calcsize
from typing import Any

import pytest

from neonsim import quant
from neonsim.errors import BadArgument
from neonsim.quant.params.elementwise import ClampParams
from neonsim.quant.params.gemm_steps import SchemeParams
from neonsim.quant.requant.double_scale import (
    DoubleAddParams,
    DoubleMeanParams,
    DoubleMultiplyParams,
    DoubleScaleParams,
    DoubleUnaryParams,
)
from neonsim.quant.requant.int16x8 import Int16x8Params
from neonsim.quant.requant.tengine import TengineParams
from neonsim.ukernel.contract import struct_name
from neonsim.ukernel.contracts import contracts
from neonsim.ukernel.packing import block_of
from neonsim.ukernel.packing.param_blocks import is_block, layouts

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
    assert {kind for kind in found if not any(name in layouts() for name in (
        struct_name(kind), struct_name(kind, "fp32")))} == {
        DoubleUnaryParams, SchemeParams, Int16x8Params, DoubleAddParams, TengineParams, DoubleScaleParams,
        DoubleMultiplyParams, DoubleMeanParams}
    assert not [kind for kind in found if hasattr(kind, "block")], "quant knows nothing of kernels"


def test_others_are_refused() -> None:
    assert is_block(ClampParams(1, 2)) and not is_block(7) and not is_block(b"1234")
    with pytest.raises(BadArgument, match="int is not a parameter block"):
        block_of(7)


def test_bytes_of_either_sign() -> None:
    assert block_of(ClampParams(-128, -1, dtype="int8")) == bytes((255, 128, 0, 0))


def test_every_struct_is_the_block_of_a_class() -> None:
    names = {struct_name(kind, scheme) for kind in _classes() for scheme in ("", "fp32", "rndnu")}
    assert set(layouts()) <= names
    taken = {re.findall(r"neonsim_\w+", argument.ctype)[0] for contract in contracts()
             for argument in contract.arguments if argument.kind == "params"}
    assert set(layouts()) == taken


def test_fields_lie_where_the_comments_of_the_header_say() -> None:
    """Without gaps, so that C lays them out alike; each comment opens with the place."""
    text = HEADER.read_text("utf-8")
    for struct, body in re.findall(r"struct (neonsim_\w+_params) \{(.*?)\n\};", text, re.S):
        at = 0
        said = [int(place) for place in re.findall(r"; */\* *(\d+)", body)]
        for place, (letters, field) in zip(said, layouts()[struct], strict=True):
            size = calcsize("<" + letters)
            assert place == at and at % calcsize("<" + letters[-1]) == 0, (struct, field)
            at += size
