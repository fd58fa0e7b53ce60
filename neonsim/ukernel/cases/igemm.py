"""Cases of indirect GEMM: those over all columns, with rows through pointers."""

from __future__ import annotations

from typing import Any

from neonsim.ukernel.cases.gemm_columns import deep_over_columns, over_columns, shaped

__all__ = ["DEEP_CASES", "GENERATORS", "SHAPED"]

GENERATORS: dict[str, Any] = {name: over_columns(name) for name in (
    "qs8_igemm_rndnu", "qs8_igemm_fp32", "qs8_qc8w_igemm_fp32", "qs8_qc8w_igemm_tengine", "qu8_igemm_fp32",
    "qu8_igemm_rndnu", "qd8_f32_qc8w_igemm")}

DEEP_CASES: dict[str, Any] = {name: deep_over_columns(name) for name in GENERATORS}

SHAPED: dict[str, Any] = {name: shaped(name) for name in GENERATORS}
