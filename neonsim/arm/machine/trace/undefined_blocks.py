"""Uninitialized data behind a record of blocks: the bits of registers, as the interpreter has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.binder import BOUND
from neonsim.arm.machine.arch.registers import Slots, VectorValue
from neonsim.arm.machine.engines.replay import replay_block
from neonsim.arm.machine.translate.to_recording_python import SKIPPED, RecordingProgram
from neonsim.arm.semantics import NumpyLanes, ShadowLanes, u8, view

from .definedness_masks import Rounds

__all__ = ["mask_of", "masks_behind", "unknown_parts", "with_mask"]

Array = npt.NDArray[Any]


class _Records(Rounds):
    """Records of blocks, on the uninitialized bits of the registers."""

    def __init__(self, program: Program, slots: Slots, recording: RecordingProgram, records: Sequence[bytes],
                 masks: Mapping[int, bytes]) -> None:
        self._program, self._slots, self._recording, self._records = program, slots, recording, records
        numbers = np.array([int.from_bytes(record[:4], "little") for record in records], np.int64)
        self._numbers, codes = np.unique(numbers, return_inverse=True)
        touched = [frozenset() if number & SKIPPED else frozenset(recording.blocks[number].slots)
                   for number in self._numbers.tolist()]
        super().__init__(codes, touched, masks)

    def make(self, code: int, items: Array) -> dict[int, Array]:
        block = self._recording.blocks[int(self._numbers[code])]
        bound = BOUND.get(self._program)[block.first:block.last + 1]
        values, _, _ = replay_block(block, bound, self._recording.homes, self._slots,
                             [self._records[item] for item in items.tolist()], self.masks)
        found = {}
        for slot in block.changed:
            mask = np.atleast_3d(view(_whole(values[slot]).mask, u8).array)[:, :, 0]
            found[slot] = np.ascontiguousarray(np.broadcast_to(mask, (len(mask), len(items))).T)
        return found


def _whole(value: Any) -> ShadowLanes:
    lanes = value.read(0, 16, u8) if isinstance(value, VectorValue) else value
    assert isinstance(lanes, ShadowLanes)
    return lanes


def masks_behind(program: Program, slots: Slots, recording: RecordingProgram, records: Sequence[bytes],
                 masks: Mapping[int, bytes]) -> dict[int, bytes]:
    """Return which bits are unknown behind records, by slot; ``masks``: before them."""
    run = _Records(program, slots, recording, records, masks)
    run.run()
    return run.masks


def mask_of(value: Any) -> bytes:
    """Return the bits of a slot that are uninitialized, as its bytes; none at all: b""."""
    lanes = value.read(0, 16, u8) if isinstance(value, VectorValue) else value
    if not isinstance(lanes, ShadowLanes) or lanes.undefined is None:
        return b""
    return np.ascontiguousarray(lanes.undefined.array).tobytes()


def unknown_parts(value: Any) -> list[ShadowLanes]:
    """Return the values that a slot holds of which some bit is unknown, and all that has been made of these as the
    same value (`ShadowLanes`: what meets itself)."""
    waiting: list[Any] = [value]
    if isinstance(value, VectorValue):
        waiting = [*(lanes for _, lanes in value.parts), *value._views.values()]
    found: dict[int, ShadowLanes] = {}
    while waiting:
        one = waiting.pop()
        if isinstance(one, ShadowLanes) and one.undefined is not None and id(one) not in found:
            found[id(one)] = one
            waiting += (one._made or {}).values()
    return list(found.values())


def with_mask(lanes: NumpyLanes, mask: bytes | None) -> ShadowLanes:
    """Lanes with the bits of them that are uninitialized."""
    u = lanes.type.with_("u")
    return ShadowLanes(lanes, None if not mask else NumpyLanes(np.frombuffer(mask, u.dtype), u))
