"""Parameter blocks: whatever `quant` has for kernels has its bytes here."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import is_dataclass
from typing import Any

import pytest

from neonsim import quant
from neonsim.errors import BadArgument
from neonsim.packing import block_of
from neonsim.packing.params import is_block, low_byte
from neonsim.quant.params import ClampParams
from neonsim.quant.product_params import SchemeParams
from neonsim.quant.sixteen import SixteenParams
from neonsim.quant.tengine import TengineParams
from neonsim.quant.wide import ByteParams, PairParams, SumParams, WideParams


def _classes() -> set[type[Any]]:
    modules = [importlib.import_module(f"neonsim.quant.{found.name}") for found in pkgutil.iter_modules(quant.__path__)]
    return {kind for module in modules for name, kind in vars(module).items()
            if isinstance(kind, type) and name.endswith("Params") and is_dataclass(kind) and not kind.__subclasses__()}


def test_all_parameters_have_a_block() -> None:
    found = _classes()
    assert len(found) >= 16
    # What no kernel can do yet has none.
    assert {kind for kind in found if block_of.dispatch(kind) is block_of.dispatch(object)} == {
        ByteParams, SchemeParams, SixteenParams, SumParams, TengineParams, WideParams, PairParams}
    assert not [kind for kind in found if hasattr(kind, "block")], "quant knows nothing of kernels"


def test_others_are_refused() -> None:
    assert is_block(ClampParams(1, 2)) and not is_block(7) and not is_block(b"1234")
    with pytest.raises(BadArgument, match="int is no block of parameters"):
        block_of(7)


def test_bytes_of_either_sign() -> None:
    assert [low_byte(value) for value in (-128, -1, 0, 127, 255)] == [128, 255, 0, 127, 255]
    assert block_of(ClampParams(-128, -1, dtype="int8")) == bytes((255, 128, 0, 0))
