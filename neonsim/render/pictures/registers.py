"""A snapshot of registers as a picture: for results in notebooks, also where nothing can be clicked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from neonsim.arm.machine.arch.register_names import TYPE_BYTES, Names, lane_values, locate, names_by_register
from neonsim.arm.semantics.lane_order import LANE0, in_order
from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture

__all__ = ["registers_picture"]

LABEL, BYTE, ROW, TOP = 132, 33, 24, 36  # px: names, one byte of a register, a row, the head line


def registers_picture(state: Mapping[str, bytes], registers: Iterable[str], *, isa: str,
                      types: str | Mapping[str, str] = "u8", before: Mapping[str, bytes] | None = None,
                      names: Names | None = None, lane0: str = LANE0, title: str = "registers") -> Picture:
    """Draw some registers of a state, lane by lane.

    state       location -> bytes, as `trace.state(step)`, or `trace.marked(step)`: uninitialized data is drawn so
    registers   names to draw, in order: "v0" "d3" (vectors), "x0" "r1" "sp" (one number), "nzcv", "qc"
    types       one element type for all vectors ("s32"), or register -> element type; u8 where nothing is said
    before      an earlier state: lanes that differ from it are marked
    names       register -> name, or a kernel header's name -> registers
    lane0       "right" as Arm's manual draws registers, or "left" as memory and numpy do

    Raises BadArgument for a register the state does not have, or an unknown element type.
    """
    titles = names_by_register(names)
    wanted = list(registers)
    drawing = Drawing()
    drawing.text(14, 23, title, bold=True, mono=False, size=13)
    width = LABEL + 16 * BYTE + 14
    key = f"lane 0 {lane0}" + (", marked: changed" if before is not None else "")
    drawing.text(width - 14, 23, key, "soft", size=11, anchor="end", mono=False)
    for number, register in enumerate(wanted):
        location, offset, size = locate(register, isa)
        if location not in state:
            raise BadArgument(f"this state has no register {register!r}; it has {', '.join(state)}")
        y = TOP + number * ROW
        data = state[location][offset:offset + size]
        old = before[location][offset:offset + size] if before is not None else data
        label = titles.get(register, titles.get(location, ""))
        drawing.text(14, y + 15, register, bold=old != data)
        drawing.text(52, y + 15, label[:10], "soft", size=11.5)
        if register[0] not in "vqdshb":
            role = "write" if old != data else "box"
            drawing.rect(LABEL, y + 1, 8 * BYTE - 2, ROW - 4, role)
            drawing.text(LABEL + 8, y + 15, _scalar(register, data), "write-ink" if old != data else "ink")
            continue
        kind = types if isinstance(types, str) else types.get(register, types.get(location, "u8"))
        if kind not in TYPE_BYTES:
            raise BadArgument(f"{kind!r} is not an element type; use {', '.join(TYPE_BYTES)}")
        drawing.text(LABEL - 8, y + 15, kind, "soft", size=11, anchor="end")
        each = TYPE_BYTES[kind]
        for place, (lane, value) in enumerate(in_order(enumerate(lane_values(data, kind)), lane0)):
            changed = old[lane * each:(lane + 1) * each] != data[lane * each:(lane + 1) * each]
            x = LABEL + place * each * BYTE
            drawing.rect(x, y + 1, each * BYTE - 2, ROW - 4, "write" if changed else "box")
            drawing.text(x + 2, y + 9, str(lane), "write-ink" if changed else "soft", size=7)
            drawing.text(x + each * BYTE / 2 + 2, y + 16, value, "write-ink" if changed else "ink", anchor="middle",
                         bold=changed, size=11.5)
    return drawing.finish(width, TOP + len(wanted) * ROW + 10, f"{title}: {', '.join(wanted)}")


def _scalar(register: str, data: bytes) -> str:
    if not all(getattr(data, "defined", b"")):
        return lane_values(data, f"u{8 * len(data)}")[0]
    value = int.from_bytes(data, "little")
    if register == "nzcv":
        return "  ".join(f"{flag}={value >> 3 - k & 1}" for k, flag in enumerate("nzcv"))
    return f"{value}" if value < 10 ** 6 else f"{value:#x}"
