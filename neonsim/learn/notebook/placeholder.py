"""What an output shows where the stepper cannot be: a picture of it, and how to get it back."""

from __future__ import annotations

from neonsim.render import Picture, shown

__all__ = ["stand_in"]

SAYS = ("A picture of the stepper: run the cell to step, or choose <i>Save Widget State Automatically</i> in the menu "
        "<i>Settings</i> before the notebook is saved, and the file keeps the stepper.")
# Outputs of JupyterLab, Notebook and nbconvert, of nbconvert's older pages, and of MyST-NB. The picture goes where the
# stepper is drawn below it; JupyterLab's message that there is none ("model not found") goes where the picture is.
ROWS, STEPPER = ".jp-OutputArea-child,.output_area", ".widget-subarea"
STYLE = (f":is({ROWS},.cell_output>.output):has(.neonsim-still):has(+:is({ROWS},{STEPPER}) .nsim),"
         ".jp-OutputArea-child:has(.neonsim-still)+.jp-OutputArea-child:not(:has(.jp-OutputArea-output>*)){display:none}")


def stand_in(picture: Picture, text: str) -> dict[str, str]:
    """Return an output of its own above the stepper's, by media type: programs show one type of an output, and some
    would show the stepper's, which needs a kernel, a saved state, or a network.

    text   what stands there where nothing is drawn
    """
    return {**shown(picture, text),
            "text/html": f'<div class="neonsim-still"><style>{STYLE}</style>{picture.image}<p>{SAYS}</p></div>'}
