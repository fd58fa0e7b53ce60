"""A sentence where a package of an extra, a file of certificates or room on the disk is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import neonsim as ns
from neonsim.errors import BadArgument, MissingPackage

GEMM = "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane"


@pytest.mark.parametrize("package", ["pyarrow", "distributed"])
def test_packages_that_are_not_installed(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if package != "pyarrow":
        pytest.importorskip("pyarrow", reason="pip install 'neonsim[sweep]'")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackage, match=rf"a sweep needs {package}: pip install 'neonsim\[sweep\]'"):
        ns.sweep(GEMM, measures="counts", shapes="1x8x1", scheduler="own")


def test_no_file_of_certificates(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="pip install 'neonsim[sweep]'")
    with pytest.raises(BadArgument, match=r"there is no file .*ca\.pem: TLS wants the authority's certificate"):
        ns.sweep(GEMM, measures="counts", shapes="1x8x1", scheduler="own", into=tmp_path / "rows",
                 tls=[tmp_path / name for name in ("ca.pem", "mine.pem", "key.pem")])
