"""Your own board: a program that measures it, and a core of what it found.

    write_program      the program: C and assembly in a folder, built on the board by `make`
    probes             its micro-tests, `some_probes` those that a core's file leaves open
    read_measurement   its result file, checked; `BoardResults.refusals` says why it is not believed
    derive             a core: what was measured with its bars, the rest its parent's; `core_text` its file
    compare            modelled beside measured, row by row
    simulated_board    a result file that one of our own models answers, to try all this without a board

The micro-tests are assembly that the models run as well: a number is found where both take as long.
"""

from __future__ import annotations

from neonsim.bench.board.derive_core import Derived, DerivedNumber, compare, derive
from neonsim.bench.board.generator import write_program
from neonsim.bench.board.probes import Probe, modeled, open_classes, probes, some_probes
from neonsim.bench.board.results import BoardResults, read_measurement, result_of
from neonsim.bench.board.simulate import simulated_board
from neonsim.bench.board.write_core import comparison_report, core_text, findings_report
from neonsim.common.argument_types import check_arguments

__all__ = [
           "BoardResults",
           "Derived",
           "DerivedNumber",
           "Probe",
           "compare",
           "comparison_report",
           "core_text",
           "derive",
           "findings_report",
           "modeled",
           "open_classes",
           "probes",
           "read_measurement",
           "result_of",
           "simulated_board",
           "some_probes",
           "write_program",
]

check_arguments(globals())
