"""Directives: what each does to the program being assembled, or why it is refused.

| directive                                      | effect                                                    |
|------------------------------------------------|-----------------------------------------------------------|
| `.global f`  `.globl f`                        | f is an entry                                             |
| `.set N, 4`  `.equ N, 4`  `.equiv`  `N = 4`    | N is a constant from here on, or another name for a place |
| `acc .req v16`   `.unreq acc`                  | acc is another name of v16                                |
| `.end`                                         | the text behind it is not read                            |
| sections, alignment, data                      | see `layout`                                              |
| macros, repetition, conditions                 | see `macros`                                              |
| types, sizes, call-frame notes                 | taken and without meaning: a simulated program has no ELF |
| Thumb                                          | refused, with what to do instead                          |
"""

from __future__ import annotations

import difflib
from typing import Final

__all__ = ["MEANINGFUL", "check"]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MEANINGLESS: Final = _names(
    ".type .size .hidden .internal .protected .local .weak .file .ident .loc .extern .ltorg .pool "
    ".func .endfunc .addrsig .addrsig_sym .loh .data_region .end_data_region "
    ".note .private_extern .cfi_startproc .cfi_endproc .weak_definition .weak_reference .no_dead_strip "
    ".alt_entry .desc .reference .lazy_reference .linker_option .ios_version_min .macosx_version_min "
    ".tvos_version_min .watchos_version_min .symver .version .gnu_attribute .cg_profile .line .ln .psize .stabs .stabn "
    ".stabd .subsections_via_symbols .build_version .variant_pcs .title .sbttl .list .nolist .eject .print .warning"
)
# Carried out by `layout` and `macros`; here for what is written almost like them.
_ELSEWHERE: Final = _names(
    ".text .data .bss .section .pushsection .popsection .previous .subsection .align .p2align .balign .byte .hword "
    ".short .word .long .int .quad .xword .octa .float .double .ascii .asciz .string .zero .space .skip .fill .comm "
    ".lcomm .incbin .float16 .uleb128 .sleb128 .zerofill .tbss .const .cstring .const_data .even "
    ".macro .endm .rept .irp .irpc .endr .if .ifdef .ifndef .else .elseif .endif .include .purgem .exitm .inst"
)
_OF_ISA: Final = {
    "aarch32": _names(".syntax .arm .fpu .eabi_attribute .code .fnstart .fnend .cantunwind .save .vsave .pad "
                         ".setfp .object_arch .arch .arch_extension .cpu .personality .personalityindex .movsp "
                         ".unwind_raw"),
    "aarch64": _names(".arch .arch_extension .cpu"),
}
MEANINGFUL: Final = _names(".global .globl .set .equ .equiv .req .unreq .end")
_DATA: Final = _names(".half .inst.n .inst.w .reloc .lto_discard")
_INSTEAD: Final = {
    ".inst.n": "This is a Thumb instruction as a number, and only Arm state is simulated.",
    ".inst.w": "This is a Thumb instruction as a number, and only Arm state is simulated.",
}
_THUMB: Final = _names(".thumb .thumb_func .thumb_set .force_thumb")
_V7: Final = ("armv4", "armv5", "armv6", "armv7")


def check(isa: str, name: str, rest: str) -> str | None:
    """None when a directive is taken, else why not.

    name   lower case, with its dot        rest   the text behind it

    The few that mean something (MEANINGFUL) are carried out by the assembler.
    """
    if name in _MEANINGLESS or name.startswith(".cfi_"):
        return None
    if name in _OF_ISA[isa]:
        return _of_isa(isa, name, rest.strip().lower())
    if name in MEANINGFUL:
        return None
    other = "aarch32" if isa == "aarch64" else "aarch64"
    if name in _OF_ISA[other]:
        return f"`{name}` is written in {other} programs, and this text is assembled for {isa}: isa={other!r}?"
    if name in _DATA:
        return f"`{name}` is not taken. {_INSTEAD.get(name, 'Numbers are put with .byte, .hword, .word and .quad.')}"
    if name in _THUMB:
        return f"`{name}`: Thumb code is not simulated. Write Arm state: leave `{name}` out, or write .arm."
    known = sorted(_MEANINGLESS | MEANINGFUL | _OF_ISA[isa] | _ELSEWHERE)
    near = difflib.get_close_matches(name, known, 1)
    return (f"`{name}` is no directive that is known here{f'; did you mean {near[0]}?' if near else '.'}"
            f"{'' if near else ' Leave it out if it only serves the linker.'}")


def _of_isa(isa: str, name: str, rest: str) -> str | None:
    if name == ".syntax" and rest not in ("unified", "divided"):
        return "`.syntax` is unified (UAL) or divided (what was written before it); both are read either way."
    if name == ".code" and rest != "32":
        return "`.code 16` is Thumb, which is not simulated. Write .arm or `.code 32`."
    if name == ".arch" and isa == "aarch64" and rest.startswith(_V7):
        return f"`.arch {rest}` belongs to AArch32, and this text is assembled for aarch64: isa='aarch32'?"
    return None

