"""Assembly text to a program: GNU syntax of AArch64, UAL of AArch32.

    source      lines, comments, labels, with every column kept; places that lead from generated text to the source
    preprocessor, cpp_macros, condition, predefined, includes      #include, #define, #if
    macros, macro_text                                             .macro, .rept, .irp, .if
    expression  constant expressions
    registers   names of registers
    operands    operand text to the classes of neonsim.arm.isa.operands.ast; lists and addresses are files of their own
    directives  what is taken, what is without meaning, what is refused
    layout      sections and data directives; data: what is kept of them in a program
    assembler   assemble()
    mistakes    all that is wrong with a text, gathered while it is read on
    objects     ELF object files, by way of their disassembly; debug_lines: load_object(), with the lines of C
    archive     load_archive(): object files in one file
    library     functions that are built in
    c_source    load_c(): C through a cross compiler, to such an object
    program     Program: instructions, labels, listing
    linking     link(): several programs joined
    file_header what a kernel's file says about itself; undeclared: files that do not say their instruction set
    apple       text as Clang writes it for macOS; foreign: what other assemblers read, named
"""

from typing import TYPE_CHECKING

from neonsim.common.argument_types import later

if TYPE_CHECKING:
    from neonsim.arm.asm.assembler import assemble
    from neonsim.arm.asm.c.compile import load_c
    from neonsim.arm.asm.linker import link
    from neonsim.arm.asm.object.archive import Archive, load_archive
    from neonsim.arm.asm.object.dwarf_lines import load_object
    from neonsim.arm.asm.parse.operands import parse_operands
    from neonsim.arm.asm.program import Program

__all__ = ["Archive", "Program", "assemble", "link", "load_archive", "load_c", "load_object", "parse_operands"]

__getattr__ = later(globals(), "Program")
