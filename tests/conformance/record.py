"""Record golden/ again from QEMU: python tests/conformance/record.py [FAMILY ...]"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import branches
import numpy as np
import recordings
from cases import chosen

from neonsim.arm.isa import forms


def main(families: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for isa in ("aarch64", "aarch32"):
            place = recordings.FOLDER / isa
            place.mkdir(parents=True, exist_ok=True)
            # One by one: of two spellings of a word the first is taken, and which that is depends on who lists them.
            wanted = families or sorted({form.semantics.family for form in forms(isa)})
            listed = {family: lines for one in wanted for family, lines in chosen(isa, [one]).items()}
            for old in [] if families else place.rglob("*.npz"):
                old.unlink()
            for family, lines in listed.items():
                (place / family).parent.mkdir(parents=True, exist_ok=True)
                np.savez_compressed(place / f"{family}.npz", **recordings.record(isa, lines, folder))  # type: ignore[arg-type]
            if not families:
                np.savez_compressed(recordings.FOLDER / f"branches_{isa}.npz", taken=branches.qemu(isa, folder)[0])
            size = sum(file.stat().st_size for file in place.rglob("*.npz"))
            print(f"{isa}: {sum(map(len, listed.values()))} lines of {', '.join(listed)}; {size / 1e6:.2f} MB in all")


if __name__ == "__main__":
    main(sys.argv[1:])
