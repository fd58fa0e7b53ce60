"""Count the table in docs/instructions.md again: `python tests/instruction_table.py` (`make instructions`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from neonsim.arm.isa.coverage import ArmForm, groups

PAGE: Final = Path(__file__).parents[1] / "docs" / "instructions.md"
MARKED: Final = re.compile(r"(?<=<!-- make instructions -->\n).*?(?=<!-- end -->)", re.S)


def instructions() -> str:
    """A row for each group of Arm's list: how many forms are here, of how many."""
    rows: list[tuple[str, ...]] = [(name, *(_cell(of.get(isa, [])) for isa in ("aarch64", "aarch32")))
                                   for name, of in groups().items()]
    rows.append(("SVE, SME, Thumb, big-endian", "left out", "left out"))
    head = [("of Arm's", "AArch64", "AArch32"), ("---", "---", "---")]
    return "".join(f"| {' | '.join(row)} |\n" for row in head + rows)


def _cell(rows: list[ArmForm]) -> str:
    here = sum(row.is_implemented for row in rows)
    if not rows:
        return "none"
    return "left out" if rows[0].out_of_scope else f"{here} of {len(rows)}" if here else "not yet"


def rewritten(text: str) -> str:
    """The page with the table of today."""
    return MARKED.sub(instructions(), text)


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text("utf-8")), "utf-8")
