"""Execute notebooks so that their outputs can be committed: `python tests/notebooks/refresh.py [NOTEBOOK ...]`.

Without names: all of the course. The notebooks are the source, there is no other: edit them in JupyterLab, or as JSON,
then run this. What differs from run to run (widget identities, execution times) is left out, what stays is compared by
the tests. A cell tagged `live` is left without outputs: what it shows belongs to the machine it runs on.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType

# jsonschema, behind nbformat, compiles a grammar of web addresses at import if this package is there: three seconds for
# a check that no notebook asks for.
sys.modules.setdefault("rfc3987_syntax", None)

import nbformat  # noqa: E402
from jupyter_client.manager import AsyncKernelManager  # noqa: E402
from nbclient import NotebookClient  # noqa: E402
from nbclient.util import run_sync  # noqa: E402

from neonsim.nn.backends.native.backend import NativeBackend  # noqa: E402

ROOT = Path(__file__).parents[2]
WIDGET = "application/vnd.jupyter.widget-view+json"
# What a new kernel has, without the second that starting it and importing numpy takes.
FRESH = """import os as _os, sys as _sys
_sys.modules["resvg_py"] = None     # pictures are stored as SVG, also where PNG could be made
_os.chdir({folder!r})
get_ipython().extension_manager.loaded.clear()
get_ipython().run_line_magic("reset", "-f")"""


class Session:
    """One kernel that runs notebooks one after the other; each finds it as if it were new."""

    def __init__(self) -> None:
        self.manager = AsyncKernelManager(kernel_name="python3")

    def __enter__(self) -> Session:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        run_sync(self.manager.start_kernel)(extra_arguments=["--log-level=ERROR"], env=environment)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        run_sync(self.manager.shutdown_kernel)(now=True)

    def execute(self, path: Path, before: str = "", end: int | None = None) -> nbformat.NotebookNode:
        """The notebook, run from top to bottom in its own folder, with outputs that are the same every time.

        before   code that runs ahead of its first cell
        end      how many of its cells are run and returned, from the first on; None: all
        """
        notebook = nbformat.read(path, as_version=4)
        del notebook.cells[len(notebook.cells) if end is None else end:]
        fresh = FRESH.format(folder=str(path.parent.resolve()))
        notebook.cells.insert(0, nbformat.v4.new_code_cell(f"{fresh}\n{before}"))
        client = NotebookClient(notebook, km=self.manager, timeout=600, store_widget_state=False, record_timing=False)
        try:
            client.execute()
        finally:
            if client.kc is not None:
                client.kc.stop_channels()
        del notebook.cells[0]
        return normalized(notebook)


def normalized(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Without what differs from run to run."""
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
    count = 0
    for cell in notebook.cells:
        cell.metadata = {"tags": sorted(cell.metadata.tags)} if cell.metadata.get("tags") else {}
        if cell.cell_type != "code":
            continue
        count += 1
        cell.execution_count = count
        cell.outputs = [] if "live" in cell.metadata.get("tags", ()) else _joined(cell.outputs)
        # A code host cannot show the widget: it shows the picture that stands above it.
        cell.outputs = [output for output in cell.outputs if WIDGET not in output.get("data", {})]
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count
    return notebook


def _joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Printed text in one piece: where it is cut depends on the moment."""
    result: list[nbformat.NotebookNode] = []
    for output in outputs:
        if result and output.output_type == result[-1].output_type == "stream" and output.name == result[-1].name:
            result[-1].text += output.text
        else:
            result.append(output)
    return result


if __name__ == "__main__":
    # A cell that asks for the native backend would be stored with what it says of a library that is missing or old.
    if (missing := NativeBackend().available()) is not None:
        sys.exit(f"notebooks are stored with what the C library gives: {missing}")
    chosen = [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "notebooks").glob("*.ipynb"))
    for one in chosen:
        # A kernel for each: what one notebook leaves behind cannot help the next.
        with Session() as session:
            nbformat.write(session.execute(one), one)
        print("executed", one)
