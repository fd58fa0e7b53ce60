"""A sentence where a package of an extra is missing."""

from __future__ import annotations

import sys

import pytest

import neonsim as ns
from neonsim.errors import MissingPackage

GEMM = "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane"


@pytest.mark.parametrize("package", ["pyarrow", "distributed"])
def test_packages_that_are_not_installed(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if package != "pyarrow":
        pytest.importorskip("pyarrow", reason="pip install 'neonsim[sweep]'")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackage, match=rf"a sweep needs {package}: pip install 'neonsim\[sweep\]'"):
        ns.sweep(GEMM, measures="counts", shapes="1x8x1", scheduler="tcp://127.0.0.1:8786")
