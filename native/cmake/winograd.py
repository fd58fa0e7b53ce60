"""Write the headers of Winograd's transforms: python native/cmake/winograd.py FOLDER. It needs no numpy."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(folder: Path) -> None:
    """Files that are as they should be are left alone, and so is what was built of them."""
    # What their faces import needs numpy.
    for name in ("neonsim", "neonsim.quant", "neonsim.quant.winograd", "neonsim.ukernel", "neonsim.ukernel.kernelgen"):
        package = types.ModuleType(name)
        package.__path__ = [str(ROOT.joinpath(*name.split(".")))]
        sys.modules[name] = package
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in importlib.import_module("neonsim.ukernel.kernelgen.winograd_c").HEADERS.items():
        path, text = folder / name, make()
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
