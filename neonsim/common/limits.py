"""Every bound on what a program may ask for, in one place: text, macros, objects, memory, runs.

neonsim takes programs from anybody. Whatever a text says, assembling and running it ends soon and in little memory: a
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
LONGEST_FILE: Final = _limit("LONGEST_FILE", 16_000_000, "characters of a source file, and of all it includes together")
LONGEST_LINE: Final = _limit("LONGEST_LINE", 4096, "characters of a line")
MOST_FILES: Final = _limit("MOST_FILES", 1000, "files included, each time counted")
MOST_SOURCE_LINES: Final = _limit("MOST_SOURCE_LINES", 1_000_000, "lines of a program and what it includes")
MOST_STATEMENTS: Final = _limit("MOST_STATEMENTS", 1_000_000, "instructions, directives and labels of a "
                               "program: some fifteen seconds, 700 MB")
DEEPEST_INCLUDE: Final = _limit("DEEPEST_INCLUDE", 32, "files that include each other")
MOST_JOINED: Final = _limit("MOST_JOINED", 200, "lines that one call of a #define macro may go over")
LONGEST_EXPANSION: Final = _limit("LONGEST_EXPANSION", 50_000, "tokens that #define macros make of a line")
DEEPEST_CONDITION: Final = _limit("DEEPEST_CONDITION", 64, "parentheses and signs nested in an #if")
DEEPEST_IF: Final = _limit("DEEPEST_IF", 500, ".if in .if")
DEEPEST_MACRO: Final = _limit("DEEPEST_MACRO", 100, "macros that call each other, .rept in .rept, calls in arguments")
MOST_LINES: Final = _limit("MOST_LINES", 500_000, "lines that macros and .rept make: half a minute")
MOST_CHARACTERS: Final = _limit("MOST_CHARACTERS", 64_000_000, "characters that macros and .rept make")
DEEPEST_EXPRESSION: Final = _limit("DEEPEST_EXPRESSION", 64, "parentheses and signs nested in an expression")
MOST_MISTAKES: Final = _limit("MOST_MISTAKES", 50, "mistakes of a text that are listed")
MOST_REFUSALS: Final = _limit("MOST_REFUSALS", 1000, "lines refused before the rest is not looked at, macros' included")
MOST_SECTIONS: Final = _limit("MOST_SECTIONS", 1000, "sections and subsections of a program")
DEEPEST_SECTION: Final = _limit("DEEPEST_SECTION", 100, ".pushsection in .pushsection")

# -- data and objects
MOST_BYTES: Final = _limit("MOST_BYTES", 1 << 24, "bytes of data that a program brings along")
LARGEST_OBJECT: Final = _limit("LARGEST_OBJECT", 64 << 20, "bytes of an object file")

# -- files of ours
LARGEST_TRACE_HEADER: Final = _limit("LARGEST_TRACE_HEADER", 1 << 25, "bytes of the header of a saved trace")
DEEPEST_JSON: Final = _limit("DEEPEST_JSON", 32, "lists in lists of a trace or of results")
MOST_JSON: Final = _limit("MOST_JSON", 4_000_000, "values in the header of a trace, or in results")
LARGEST_MEASUREMENT: Final = _limit("LARGEST_MEASUREMENT", 1 << 22, "bytes of a file of `neonsim measure`")
MOST_MEASURED: Final = _limit("MOST_MEASURED", 4096, "rows of such a file")
MOST_SAMPLES: Final = _limit("MOST_SAMPLES", 256, "samples of a row")

LARGEST_CORE: Final = _limit("LARGEST_CORE", 1 << 20, "bytes of a file of a core")
LARGEST_LIBRARY: Final = _limit("LARGEST_LIBRARY", 1 << 28, "bytes of a library in the cache")

# -- models
LARGEST_MODEL: Final = _limit("LARGEST_MODEL", 1 << 30, "bytes of a file of a network")
LARGEST_TENSOR: Final = _limit("LARGEST_TENSOR", 1 << 33, "bytes of a tensor of a network, if its elements had 8")
LARGEST_GRAPH_TEXT: Final = _limit("LARGEST_GRAPH_TEXT", 1 << 25, "bytes of JSON in a saved graph")
MOST_GRAPH_TEXT: Final = _limit("MOST_GRAPH_TEXT", 1_000_000, "values in that JSON: 130 MB when they are made")
MOST_NODES: Final = _limit("MOST_NODES", 100_000, "nodes of a network")
MOST_FIELDS: Final = _limit("MOST_FIELDS", 2_000_000, "fields of a file of a network in Protocol Buffers")
MOST_AXES: Final = _limit("MOST_AXES", 8, "axes of a tensor of a network")
MOST_INDICES: Final = _limit("MOST_INDICES", 1 << 22, "indices of an axis that a move of a network picks")

# -- C
LONGEST_COMPILE: Final = _limit("LONGEST_COMPILE", 30, "seconds that a C compiler may take")
MOST_COMPILER: Final = _limit("MOST_COMPILER", 1 << 31, "bytes of memory that a C compiler may take (Linux)")

# -- memory and runs
MOST_MEMORY: Final = _limit("MOST_MEMORY", 1 << 30, "bytes of all buffers of a machine")
JUDGED_MEMORY: Final = _limit("JUDGED_MEMORY", 1 << 26, "bytes that are taken without a look at what is left")
STACK_BYTES: Final = _limit("STACK_BYTES", 1 << 16, "bytes of stack")
MOST_TILES: Final = _limit("MOST_TILES", 1 << 20, "tiles of a grid")
MOST_STEPS: Final = _limit("MOST_STEPS", 10_000_000, "steps of a call, unless max_steps says otherwise")
MOST_SINGLE_STEPS: Final = _limit("MOST_SINGLE_STEPS", 1_000_000, "steps of Machine.run and of the interpreter alone "
                                  "(half a minute), unless max_steps says otherwise")
LARGEST_TRACE_FILE: Final = _limit("LARGEST_TRACE_FILE", 1 << 29, "bytes of a saved trace, also when unpacked")
MOST_HISTORY: Final = _limit("MOST_HISTORY", 1_000_000, "steps that can be taken back")


def limits_table() -> str:
    """The bounds as text."""
    width = max(map(len, LIMITS))
    return "\n".join(f"{name:<{width}}  {value:>13,}  {what}" for name, (value, what) in LIMITS.items())
