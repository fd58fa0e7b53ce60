"""Record golden/*.npz again from QEMU: python tests/conformance/record.py"""

from __future__ import annotations

import tempfile
from pathlib import Path

import branches
import golden
import numpy as np
from cases import cases, distinct


def main() -> None:
    golden.FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for isa in ("aarch64", "aarch32"):
            packed = golden.record(isa, distinct(isa, cases(isa, flavours=1)), folder)
            file = golden.FOLDER / f"{isa}.npz"
            np.savez_compressed(file, **packed)  # type: ignore[arg-type]
            np.savez_compressed(golden.FOLDER / f"branches_{isa}.npz", taken=branches.qemu(isa, folder)[0])
            print(f"{isa}: {len(packed['counts'])} lines, {file.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
