"""What Arm has and neonsim has not, with the sentence that says so.

Some is left out for good (a function of a user program has no use for it here): it stands below, by its mnemonics. The
rest of Arm's list comes later: which families those are follows from what is here.
"""

from __future__ import annotations

import re
from typing import Final

from neonsim.arm.isa.operands.ast import Operand, Symbol

from .arm_inventory import named
from .spec import TABLE

__all__ = ["REFUSED", "unsupported_mnemonic"]

# (what it is, A64 mnemonics, AArch32 mnemonics), as regular expressions of whole words; "" where there are none.
REFUSED: Final = (
    ("a system instruction: functions of user programs are simulated, without an operating system below them",
     r"mrs|msr|svc|hvc|smc|eret|dcps[123]|drps|sysl?|at|tlbi|wf[ei]t|"
     r"(ld|st)tr(s?[bhw])?",
     r"mrs|msr|svc|swi|hvc|smc|eret|cps(id|ie)?|rfe\w*|srs\w*|m[cr]rr?2?|mrc2?|cdp2?|(ld|st)c2?l?|dbg|bxj|"
     r"(ld|st)r(s?[bh])?t|vmrs|vmsr"),
    ("an instruction for several cores that share memory beyond Armv8.1-A, and one core is simulated",
     r"rcw\w*|ld64b|st64bv?0?", r"swpb?"),
    ("pointer authentication, which neonsim has not: build without -mbranch-protection",
     r"(pac|aut)[id]z?[ab]|pacga|xpac[id]|(ret|eret)a[ab]|bl?ra[ab]z?|ldra[ab]", ""),
    ("big-endian: neonsim is little-endian, as all Arm systems of today are", "", r"setend"),
    ("a Thumb instruction: only Arm state is simulated, compile with -marm", "",
     r"cbn?z|tb[bh]|orns?|addw|subw|\w+\.[nw]"),
    ("the scalable vector extension (SVE, SME), which neonsim has not",
     r"ptrue|pfalse|while\w+|cnt[bhwdp]|inc[bhwdp]|dec[bhwdp]|[us]q(inc|dec)[bhwdp]|add[vps]l|rd(s?v)l|"
     r"ld(n[ft]|ff)?1(r?[bhwdqo]|s[bhw]|r[bhwdqs]\w*)|st(nt)?1[bhwdq]|ld[234][bhwdq]|st[234][bhwdq]|ptest|pfirst|pnext|"
     r"brk[abnp]\w*|rdffr\w*|setffr|wrffr|compact|splice|sel|movprfx|index|smstart|smstop|zero|[fsu]mop[as]", ""),
    ("an instruction of the processors before Armv3, which kept their flags in pc", "", r"(teq|tst|cmp|cmn)p"),
    ("an instruction for memory tags, which neonsim has not", r"irg|gmi|addg|subg|subps?|cmpp|ldgm?|stz?2?gm?|stgp",
     ""),
    ("an instruction that copies or sets blocks of memory (FEAT_MOPS), which neonsim has not",
     r"(cpyf?|setg?)[pme](w?[tr]?n?|rt?n?|t?r?n?)", ""),
)
_SVE: Final = re.compile(r"(z([12]?\d|3[01])\.[bhsdq]|p(\d|1[0-5])(\.[bhsd]|/[mz]))", re.IGNORECASE)
_SETS: Final = {"a64": "aarch64", "a32": "aarch32"}


def unsupported_mnemonic(isa: str, mnemonic: str, operands: list[Operand], has_forms: bool) -> str | None:
    """Return the sentence about a mnemonic that neonsim has not, or None.

    isa     "a64" or "a32"
    has_forms  whether there are forms of that mnemonic, none of which takes these operands
    """
    word = mnemonic.lower()
    if any(isinstance(o, Symbol) and _SVE.fullmatch(o.name) for o in operands):
        return (f"{mnemonic.upper()} with such registers belongs to the scalable vector extension (SVE), which neonsim "
                "has not")
    system = next((o.name for o in operands if isinstance(o, Symbol)), None)
    if has_forms and re.match(r"v?m(rs|sr)", word) and system is not None:
        return (f"{mnemonic.upper()} of {system} is a system instruction; of the registers that it names there are "
                + ("NZCV, FPSR, FPCR, and to read those that say what the core is, such as MIDR_EL1 and CTR_EL0"
                   if isa == "a64" else "FPSCR, APSR_nzcv" if word.startswith("v") else "APSR, APSR_nzcvq, APSR_g"))
    if has_forms:
        return None
    base = word.partition(".")[0]
    spellings = {word, base} | ({base[:-2]} if isa == "a32" else set())
    for what, a64, a32 in REFUSED:
        pattern = a64 if isa == "a64" else a32
        if pattern and any(re.fullmatch(pattern, spelling) for spelling in spellings):
            return f"{mnemonic.upper()} is {what}"
    for spelling in spellings - TABLE[isa].keys():
        if rows := named(_SETS[isa]).get(spelling):
            return f"{mnemonic.upper()} belongs to what neonsim has not yet: {rows[0].family}"
    return None
