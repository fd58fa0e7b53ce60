"""Peers held to the instruction sets of one of our families, so that `--isa-variant avx2` compares like with like.

    ONEDNN_MAX_CPU_ISA           oneDNN: OpenVINO, PyTorch's engines onednn and x86
    FBGEMM_ENABLE_INSTRUCTIONS   fbgemm: PyTorch's engines fbgemm and x86

The libraries read them when they first ask what the processor can do: they are set before the libraries are loaded,
and once for a process. ONNX Runtime, LiteRT with XNNPACK, QNNPACK, ncnn and MNN have no such switch: they take whatever
the processor has, and their names say so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

__all__ = ["Restriction"]

# By variable and family: the most that the library may take. oneDNN knows nothing below SSE4.1, fbgemm below AVX2.
_ISA_VARIABLES = {
    "ONEDNN_MAX_CPU_ISA": {"sse41": "SSE41", "avx2": "AVX2", "avxvnni": "AVX2_VNNI", "avx512bw": "AVX512_CORE",
                           "avx512vnni": "AVX512_CORE_VNNI", "amx": "AVX512_CORE_AMX"},
    "FBGEMM_ENABLE_INSTRUCTIONS": {"avx2": "AVX2", "avxvnni": "AVX2", "avx512bw": "AVX512", "avx512vnni": "AVX512_E1",
                                   "amx": "AVX512_E1"}}
ONEDNN, FBGEMM = _ISA_VARIABLES
# How names of peers begin: the module that must not be loaded before, and what it heeds.
_HEED = {"openvino": ("openvino", (ONEDNN,)), "torch-onednn": ("torch", (ONEDNN,)),
         "torch-fbgemm": ("torch", (FBGEMM,)), "torch-x86": ("torch", (ONEDNN, FBGEMM))}


def _loaded(module: str) -> bool:
    return module in sys.modules


class Restriction:
    """What peers are held to while families run.

    families   as asked for; None: the best here. Peers are held to one that was named alone
    """

    def __init__(self, families: Sequence[str | None]) -> None:
        self.families = tuple(families)
        self._early = {peer for peer, (module, _) in _HEED.items() if not _loaded(module)}

    def apply(self) -> None:
        """Set the variables, unless the user has set them: then those hold."""
        if len(self.families) == 1:
            for variable, most in _ISA_VARIABLES.items():
                if self.families[0] in most:
                    os.environ.setdefault(variable, most[self.families[0]])

    def mark(self, name: str) -> str:
        """Return a peer's name, with what it is held to where families were named."""
        if self.families == (None,):
            return name
        held = next((variables for peer, (_, variables) in _HEED.items() if name.startswith(peer)
                     and peer in self._early), ())
        words = dict.fromkeys(os.environ.get(variable) for variable in held)
        return f"{name} ({', '.join(filter(None, words)) if words and None not in words else 'unrestricted'})"
