"""What C may read while it is compiled: headers of the compiler, and files in the folders that the caller gave.

A compiler reads whatever file C names, and what it has read ends up in the program or in a message. So it is asked
first for the files it would include or embed (-M, -H), then for the assembly it makes (-S), and only that assembly,
once looked at, becomes an object. Inline assembly, and whatever else of C gets into it as it stands, may name no file.

This keeps the contents of other files out. Whether a file exists C can still find out (`__has_include`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from neonsim.errors import CompilerError

__all__ = ["check_assembly", "check_included", "listed_files", "search_folders"]

_STRING: Final = r'"(?:[^"\\]|\\.)*"'
# A line with a string is one statement of these, which compilers write, or says which line of C follows. Outside its
# strings stands nothing that could hide a quote, open a comment or begin another statement, however it is read.
_QUOTED: Final = re.compile(
    r"\s*\.(?:ascii|asciz|string|file|ident|section|pushsection|eabi_attribute)\b"
    rf"(?:[^\"'\\;/*]|{_STRING})*"
    rf"|\s*(?:#|//|@)\s*\d+\s+{_STRING}[\s\d]*")
_COMMENT: Final = re.compile(r"/\*.*?\*/")
# Macros could put a name and its quotes together from parts, or give a directive another meaning.
_MACROS: Final = re.compile(r"\\|\.(?:macro|altmacro|irpc?|mri|include|incbin)\b", re.IGNORECASE)
_READS: Final = re.compile(r"\.(?:incbin|include)\b", re.IGNORECASE)


def listed_files(dependencies: str, nested: str) -> list[str]:
    """Return the files that a compiler says it reads: in the rule for make that -M writes, and in the lines of -H."""
    words = re.findall(r"(?:\\.|[^\s\\])+", dependencies.replace("\\\r\n", " ").replace("\\\n", " "))
    made = [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$") for word in words[1:]]  # the first is the target
    return [*made, *re.findall(r"^\.+ (.+)$", nested, re.MULTILINE)]


def search_folders(compiler_output: str) -> list[str]:
    """Return a compiler's own folders, from what it says with -v."""
    found = re.search(r"search starts here:\n(.*?)End of search list", compiler_output, re.DOTALL)
    lines = found[1].splitlines() if found else []
    return [line.strip().removesuffix(" (framework directory)") for line in lines if line.startswith(" ")]


def check_included(name: str, files: Iterable[str], work_folder: Path, include_folders: Sequence[Path],
                   system: Sequence[str]) -> None:
    """Raise CompilerError if one of the files lies outside of the folders.

    name     of the C file, for the message
    work_folder  folder the compiler runs in, which holds the C file alone
    include_folders  the caller's folders: links that lead out of them are refused
    system   the compiler's folders: what lies in them is as the system has put it there, links too
    """
    inside = [folder.resolve() for folder in (work_folder, *include_folders, *(work_folder / one for one in system))]
    for file in dict.fromkeys(files):
        path = (work_folder / file).resolve()
        render_word = any(file.startswith(f"{folder.rstrip('/')}/") and ".." not in file[len(folder):].split("/")
                          for folder in system)
        if not render_word and not any(path.is_relative_to(folder) for folder in inside):
            raise CompilerError(f"{name} includes {file}, which is outside the folders that C may include from: the "
                                f"compiler's, that of the C file, and those given (include=[folder] in Python, -I "
                                f"FOLDER on the command line). Give its folder if you trust the C file.")


def check_assembly(name: str, text: str) -> None:
    """Raise CompilerError if the assembly that a compiler has made of C could read a file when it is assembled.

    What compilers write themselves passes. Refused is what only comes in by inline assembly, names of sections and
    the like: .incbin and .include; and macros, other statements with a string, and comments over several lines, in
    which those could hide. Every way to name a file needs a string.
    """
    for line in re.split(r"[\r\n]", text):
        if '"' in line:
            good = _QUOTED.fullmatch(line) is not None
        elif "/*" in line:
            good = "'" not in line and "/*" not in _COMMENT.sub("", line) and not _MACROS.search(line)
        else:
            good = not _MACROS.search(line)
        if not good or "\0" in line:
            what = "reads a file" if _READS.search(line) else "has macros, strings or a comment over several lines"
            raise CompilerError(f"{name}: the assembly in it {what}: {line.strip()[:200]!r}. C files must not do that, "
                                f"because a compiler can then read any file of this machine. Put the assembly into a "
                                f"separate .S file, which reads the given folders only.")
