"""Every bound on what a program may ask for, in one place: text, macros, objects, memory, runs.

neonsim accepts untrusted programs. Whatever a text says, assembling and running it ends soon and in little memory: a
bound is passed, and the error names it. `neonsim check limits` prints this table.
"""

from __future__ import annotations

from typing import Final

__all__ = ["LIMITS", "limits_table"]

LIMITS: dict[str, tuple[int, str]] = {}


def _limit(name: str, value: int, what: str) -> int:
    LIMITS[name] = value, what
    return value


# -- text
MAX_FILE_LENGTH: Final = _limit("MAX_FILE_LENGTH", 16_000_000,
                                "characters of a source file, and of all it includes together")
MAX_LINE_LENGTH: Final = _limit("MAX_LINE_LENGTH", 4096, "characters of a line")
MAX_FILES: Final = _limit("MAX_FILES", 1000, "files included, each time counted")
MAX_SOURCE_LINES: Final = _limit("MAX_SOURCE_LINES", 1_000_000, "lines of a program and what it includes")
MAX_STATEMENTS: Final = _limit("MAX_STATEMENTS", 1_000_000, "instructions, directives and labels of a "
                               "program: some fifteen seconds, 700 MB")
MAX_INCLUDE_DEPTH: Final = _limit("MAX_INCLUDE_DEPTH", 32, "files that include each other")
MAX_JOINED_LINES: Final = _limit("MAX_JOINED_LINES", 200, "lines that one call of a #define macro may go over")
MAX_EXPANSION_LENGTH: Final = _limit("MAX_EXPANSION_LENGTH", 50_000, "tokens that #define macros make of a line")
MAX_CONDITION_DEPTH: Final = _limit("MAX_CONDITION_DEPTH", 64, "parentheses and signs nested in an #if")
MAX_IF_DEPTH: Final = _limit("MAX_IF_DEPTH", 500, ".if in .if")
MAX_MACRO_DEPTH: Final = _limit("MAX_MACRO_DEPTH", 100,
                                "macros that call each other, .rept in .rept, calls in arguments")
MAX_LINES: Final = _limit("MAX_LINES", 500_000, "lines that macros and .rept make: half a minute")
MAX_CHARACTERS: Final = _limit("MAX_CHARACTERS", 64_000_000, "characters that macros and .rept make")
MAX_EXPRESSION_DEPTH: Final = _limit("MAX_EXPRESSION_DEPTH", 64, "parentheses and signs nested in an expression")
MAX_MISTAKES: Final = _limit("MAX_MISTAKES", 50, "mistakes of a text that are listed")
MAX_REFUSALS: Final = _limit("MAX_REFUSALS", 1000, "lines refused before the rest is not looked at, macros' included")
MAX_SECTIONS: Final = _limit("MAX_SECTIONS", 1000, "sections and subsections of a program")
MAX_SECTION_DEPTH: Final = _limit("MAX_SECTION_DEPTH", 100, ".pushsection in .pushsection")

# -- data and objects
MAX_BYTES: Final = _limit("MAX_BYTES", 1 << 24, "bytes of data that a program brings along")
MAX_OBJECT_BYTES: Final = _limit("MAX_OBJECT_BYTES", 64 << 20, "bytes of an object file")

# -- files of ours
MAX_TRACE_HEADER_BYTES: Final = _limit("MAX_TRACE_HEADER_BYTES", 1 << 25, "bytes of the header of a saved trace")
MAX_JSON_DEPTH: Final = _limit("MAX_JSON_DEPTH", 32, "lists in lists of a trace or of results")
MAX_JSON_VALUES: Final = _limit("MAX_JSON_VALUES", 4_000_000, "values in the header of a trace, or in results")
MAX_MEASUREMENT_BYTES: Final = _limit("MAX_MEASUREMENT_BYTES", 1 << 22, "bytes of a file of `neonsim measure`")
MAX_MEASURED_ROWS: Final = _limit("MAX_MEASURED_ROWS", 4096, "rows of such a file")
MAX_SAMPLES: Final = _limit("MAX_SAMPLES", 256, "samples of a row")

MAX_CORE_BYTES: Final = _limit("MAX_CORE_BYTES", 1 << 20, "bytes of a file of a core")
MAX_LIBRARY_BYTES: Final = _limit("MAX_LIBRARY_BYTES", 1 << 28, "bytes of a library in the cache")

# -- models
MAX_MODEL_BYTES: Final = _limit("MAX_MODEL_BYTES", 1 << 30, "bytes of a file of a network")
MAX_TENSOR_BYTES: Final = _limit("MAX_TENSOR_BYTES", 1 << 33, "bytes of a tensor of a network, if its elements had 8")
MAX_GRAPH_TEXT_BYTES: Final = _limit("MAX_GRAPH_TEXT_BYTES", 1 << 25, "bytes of JSON in a saved graph")
MAX_GRAPH_TEXT_VALUES: Final = _limit("MAX_GRAPH_TEXT_VALUES", 1_000_000,
                                      "values in that JSON: 130 MB when they are made")
MAX_NODES: Final = _limit("MAX_NODES", 100_000, "nodes of a network")
MAX_FIELDS: Final = _limit("MAX_FIELDS", 2_000_000, "fields of a file of a network in Protocol Buffers")
MAX_AXES: Final = _limit("MAX_AXES", 8, "axes of a tensor of a network")
MAX_INDICES: Final = _limit("MAX_INDICES", 1 << 22, "indices of an axis that a move of a network picks")

# -- C
MAX_COMPILE_SECONDS: Final = _limit("MAX_COMPILE_SECONDS", 30, "seconds that a C compiler may take")
MAX_COMPILER_BYTES: Final = _limit("MAX_COMPILER_BYTES", 1 << 31, "bytes of memory that a C compiler may take (Linux)")

# -- memory and runs
MAX_MEMORY_BYTES: Final = _limit("MAX_MEMORY_BYTES", 1 << 30, "bytes of all buffers of a machine")
JUDGED_MEMORY: Final = _limit("JUDGED_MEMORY", 1 << 26, "bytes that are taken without a look at what is left")
STACK_BYTES: Final = _limit("STACK_BYTES", 1 << 16, "bytes of stack")
MAX_TILES: Final = _limit("MAX_TILES", 1 << 20, "tiles of a grid")
MAX_STEPS: Final = _limit("MAX_STEPS", 10_000_000, "steps of a call, unless max_steps says otherwise")
MAX_SINGLE_STEPS: Final = _limit("MAX_SINGLE_STEPS", 1_000_000, "steps of Machine.run and of the interpreter alone "
                                 "(half a minute), unless max_steps says otherwise")
MAX_TRACE_FILE_BYTES: Final = _limit("MAX_TRACE_FILE_BYTES", 1 << 29, "bytes of a saved trace, also when unpacked")
MAX_HISTORY: Final = _limit("MAX_HISTORY", 1_000_000, "steps that can be taken back")


def limits_table() -> str:
    """Return the bounds as text."""
    width = max(map(len, LIMITS))
    return "\n".join(f"{name:<{width}}  {value:>13,}  {what}" for name, (value, what) in LIMITS.items())
