"""Execute notebooks so that their outputs can be committed: `python tests/notebooks/refresh.py notebooks/*.ipynb`.

What differs from run to run (widget identities, execution times) is left out; what stays is compared by the tests.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
WIDGET = "application/vnd.jupyter.widget-view+json"


def execute(path: Path) -> nbformat.NotebookNode:
    """The notebook, run from top to bottom in its own folder, with outputs that are the same every time."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", store_widget_state=False,
                            record_timing=False, resources={"metadata": {"path": str(path.parent)}})
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT), "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type != "code":
            continue
        cell.outputs = _joined(cell.outputs)
        for output in cell.outputs:
            # A code host cannot show the widget: it shows the picture that stands beside it.
            output.get("data", {}).pop(WIDGET, None)
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
    for name in sys.argv[1:]:
        nbformat.write(execute(Path(name)), name)
        print("executed", name)
