"""Which register of a kernel holds what: all vector registers of the instruction set, with the names of the header."""

from __future__ import annotations

from neonsim.arm.machine.arch.register_names import Names, names_by_register
from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture

__all__ = ["register_map", "register_map_picture"]

_VECTORS = {"aarch64": ("v", 32), "aarch32": ("q", 16)}
WIDTH, ROW, LEFT, TOP, COLUMNS = 158, 30, 14, 40, 4  # px: a register, a row, margin, head; registers side by side


def _names(names: Names, isa: str) -> list[tuple[str, str]]:
    """(register, its name or "") for all vector registers; the halves of a q register are joined."""
    if isa not in _VECTORS:
        raise BadArgument(f"isa must be aarch32 or aarch64; got {isa!r}")
    letter, count = _VECTORS[isa]
    titles = names_by_register(names)
    found = []
    for number in range(count):
        own = titles.get(f"{letter}{number}", "")
        if not own and letter == "q":
            halves = [titles.get(f"d{2 * number + half}", "") for half in (0, 1)]
            own = " | ".join(h or "-" for h in halves) if any(halves) else ""
        found.append((f"{letter}{number}", own))
    return found


def register_map(names: Names, isa: str) -> str:
    """Return the map as text, four registers a line.

    names   of a kernel: ``kernel.header.register_names()``
    isa     aarch32 (16 registers) or aarch64 (32)

    >>> print(register_map({"vacc": ("q0", "q1")}, "aarch32").splitlines()[0])
    q0   vacc lo         q1   vacc hi         q2   -               q3   -
    """
    cells = [f"{register:<4} {name or '-':<15}" for register, name in _names(names, isa)]
    lines = [" ".join(cells[i:i + COLUMNS]).rstrip() for i in range(0, len(cells), COLUMNS)]
    used = sum(1 for _, name in _names(names, isa) if name)
    return "\n".join([*lines, f"{used} of {len(cells)} vector registers have a name"])


def register_map_picture(names: Names, isa: str, title: str = "vector registers") -> Picture:
    """Draw the map: accumulators, operands and what is free at a glance. Arguments as `register_map`."""
    cells = _names(names, isa)
    drawing = Drawing()
    drawing.text(LEFT, 23, title, bold=True, mono=False, size=13)
    for i, (register, name) in enumerate(cells):
        x, y = LEFT + i % COLUMNS * WIDTH, TOP + i // COLUMNS * ROW
        role = "box" if not name else "write" if "acc" in name else "read"
        ink = {"box": "idle-ink", "write": "write-ink", "read": "read-ink"}[role]
        drawing.rect(x, y, WIDTH - 6, ROW - 5, role, dashed=not name)
        drawing.text(x + 8, y + 17, register, ink, size=12, bold=bool(name))
        drawing.text(x + 44, y + 17, name[:15] or "free", ink, size=11.5)
    used = sum(1 for _, name in cells if name)
    height = TOP + -(-len(cells) // COLUMNS) * ROW
    note = f"{used} of {len(cells)} have a name; yellow: accumulators"
    drawing.text(LEFT, height + 14, note, "soft", size=11.5, mono=False)
    return drawing.finish(LEFT + COLUMNS * WIDTH + 8, height + 26, f"{title}: {used} of {len(cells)} in use")
