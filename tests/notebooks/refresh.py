"""Execute notebooks so that their outputs can be committed: `python tests/notebooks/refresh.py notebooks/*.ipynb`.

What differs from run to run (widget identities, execution times) is left out; what stays is compared by the tests.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

WIDGET = "application/vnd.jupyter.widget-view+json"


def execute(path: Path) -> nbformat.NotebookNode:
    """The notebook, run from top to bottom in its own folder, with outputs that are the same every time."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3", store_widget_state=False, record_timing=False,
                   resources={"metadata": {"path": str(path.parent)}}).execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            # A code host cannot show the widget: it shows the picture that stands beside it.
            output.get("data", {}).pop(WIDGET, None)
    return notebook


if __name__ == "__main__":
    for name in sys.argv[1:]:
        nbformat.write(execute(Path(name)), name)
        print("executed", name)
