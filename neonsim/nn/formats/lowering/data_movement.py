"""Operators that move elements; bilinear resizing, which nearly does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neonsim.nn import ops
from neonsim.nn.formats.ir import IRNode, StoredTensor
from neonsim.nn.formats.lowering.base import Cannot, Kind, Lowering, image_of, in_words
from neonsim.nn.graph import Concat, Reshape, Split, gather
from neonsim.quant.tensor_type import TensorType

__all__ = ["KINDS"]


def _reshape(of: Lowering, entry: IRNode) -> None:
    """Files whose images have their channels first, and where that matters: `before` and `after` turn the axes."""
    x, name, shape = of.stored(entry, 0), of.name(entry, 0), of.result(entry).shape or (1,)
    type_, before, after = of.type_of(x), entry.attributes.get("before"), entry.attributes.get("after")
    if before:
        name = of.between(entry, "channels first", gather.transpose_indices(type_, x.shape, before), name)
    if after:
        given = entry.attributes["given"]
        name = of.between(entry, "as rows", Reshape(type_, given), name)
        of.add(entry, gather.transpose_indices(type_, given, after), name)
        return
    of.add(entry, Reshape(type_, shape), name)


def _folded(of: Lowering, entry: IRNode) -> None:
    """Nothing is left to do: it has become part of another node, or was computed while reading."""


def _amounts(of: Lowering, entry: IRNode, which: int, rows: int, what: str = "amounts") -> list[tuple[int, int]]:
    """n pairs of numbers."""
    amounts = of.constant(entry, which, what)
    if amounts.dtype.kind not in "iu" or amounts.shape != (rows, 2):
        raise Cannot(f"its {what} are {amounts.dtype} {list(amounts.shape)}; supported: integers [{rows}, 2].")
    return [(int(a), int(b)) for a, b in amounts]


def _pad(of: Lowering, entry: IRNode) -> None:
    x = of.stored(entry, 0)
    type_, amounts = of.type_of(x), _amounts(of, entry, 1, len(x.shape))
    made = of.type_of(of.result(entry)).scheme if of.rules.wide else type_.scheme
    fill: float = 0 if made is None else made.zero_point
    if len(entry.inputs) > 2 and entry.inputs[2] is not None:
        value = of.constant(entry, 2, "value")
        if value.size != 1 or value.dtype != x.dtype:
            raise Cannot(f"its value is {value.dtype} {list(value.shape)}; supported: one number of {x.dtype}.")
        fill = value.reshape(-1)[0].item()
    _pick(of, entry, gather.pad_indices(type_, x.shape, amounts, fill))


def _mirror_pad(of: Lowering, entry: IRNode) -> None:
    x, mode = of.stored(entry, 0), {0: "reflect", 1: "symmetric"}.get(entry.attributes["mode"])
    if mode is None:
        raise Cannot(f"its mode is {entry.attributes['mode']}; supported: 0 (REFLECT) and 1 (SYMMETRIC).")
    _pick(of, entry, gather.pad_indices(of.type_of(x), x.shape, _amounts(of, entry, 1, len(x.shape)), mode=mode))


def _gather(of: Lowering, entry: IRNode) -> None:
    x = of.stored(entry, 0)
    if entry.attributes["batch_dims"]:
        raise Cannot(f"its batch_dims is {entry.attributes['batch_dims']}; supported: 0.")
    indices = of.constant(entry, 1, "indices")
    if indices.dtype.kind not in "iu" or not x.shape:
        raise Cannot(f"it takes {indices.dtype} of {x}; supported: integers along an axis.")
    _pick(of, entry, gather.take_indices(of.type_of(x), x.shape, entry.attributes["axis"], indices,
                                         of.result(entry).shape or (1,)))


def _space_to_batch(of: Lowering, entry: IRNode) -> None:
    x, blocks = of.stored(entry, 0), of.constant_integers(entry, 1, "blocks")
    type_ = of.type_of(x)
    _pick(of, entry, *gather.space_to_batch(type_, x.shape, blocks, _amounts(of, entry, 2, len(blocks)),
                                            0 if type_.scheme is None else type_.scheme.zero_point))


def _batch_to_space(of: Lowering, entry: IRNode) -> None:
    x, blocks = of.stored(entry, 0), of.constant_integers(entry, 1, "blocks")
    _pick(of, entry, *gather.batch_to_space(of.type_of(x), x.shape, blocks,
                                            _amounts(of, entry, 2, len(blocks), "crops")))


def _new_size(of: Lowering, entry: IRNode) -> tuple[int, int]:
    """Height and width that a file asks for; its result has them, so that no more is made than that."""
    image, size = image_of(of.stored(entry, 0)), of.constant_integers(entry, 1, "new size")
    if len(size) != 2 or of.result(entry).shape != (image[0], *size, image[3]) or min(size) < 1:
        raise Cannot(f"it makes {list(image)} {size}; the file says {of.result(entry)}.")
    return size[0], size[1]


def _nearest(of: Lowering, entry: IRNode) -> None:
    x, size, said = of.stored(entry, 0), _new_size(of, entry), entry.attributes
    _pick(of, entry, gather.nearest(of.type_of(x), x.shape, size, align_corners=said["align_corners"],
                                    half_pixel=said["half_pixel"]))


def _bilinear(of: Lowering, entry: IRNode) -> None:
    """Something is computed, but for the rest it is like the nearest ones."""
    x, size, said = of.scheme(of.stored(entry, 0)), _new_size(of, entry), entry.attributes
    if x.dtype not in of.rules.resizing:
        raise of.no_operator("resizing between pixels")
    if said["align_corners"] and said["half_pixel"]:
        raise Cannot("it has align_corners and half_pixel_centers both; supported: one of them.")
    corners = "aligned" if said["align_corners"] else "half" if said["half_pixel"] else "legacy"
    of.add(entry, ops.ResizeBilinear(x, size=size, corners=corners, rule=of.rules.resizing[x.dtype]), of.name(entry, 0))


def _pack(of: Lowering, entry: IRNode) -> None:
    """Each under a shape with an axis more, then one behind the other."""
    shape, rank = of.stored(entry, 0).shape, len(of.result(entry).shape)
    axis = int(entry.attributes["axis"])
    if not -rank <= axis < rank or rank != len(shape) + 1:
        raise Cannot(f"it puts {list(shape)} together along axis {axis} of {rank}.")
    axis %= rank
    parts = [of.shaped(entry, f"part {which}", of.name(entry, which), (*shape[:axis], 1, *shape[axis:]))
             for which in range(len(entry.inputs))]
    of.add(entry, Concat(of.type_of(of.stored(entry, 0)), axis), *parts)


def _unpack(of: Lowering, entry: IRNode) -> None:
    x, axis = of.stored(entry, 0), int(entry.attributes["axis"])
    shape, type_ = x.shape, of.type_of(x)
    if not -len(shape) <= axis < len(shape) or len(entry.outputs) != shape[axis]:
        raise Cannot(f"it takes {list(shape)} apart along axis {axis}, into {len(entry.outputs)}.")
    axis %= len(shape)
    left = (*shape[:axis], *shape[axis + 1:]) or (1,)
    for which, number in enumerate(entry.outputs):
        ranges = [range(which, which + 1) if i == axis else range(size) for i, size in enumerate(shape)]
        name = of.graph.add_node(of.tensors[number].name, gather.slice_indices(type_, shape, ranges, left),
                                 of.name(entry, 0))
        of.made.append(name)
        of.names[number] = name


def _shape(of: Lowering, entry: IRNode) -> None:
    """Known before anything runs."""
    result, shape = of.result(entry), of.stored(entry, 0).shape
    if result.dtype not in ("int32", "int64"):
        raise Cannot(f"its result is {result.dtype}; supported: int32 and int64.")
    of.names[entry.outputs[0]] = of.known(result.name, of.type_of(result), np.asarray(shape or (1,), result.dtype))


def _cast(of: Lowering, entry: IRNode) -> None:
    """Of what is known, and where nothing changes."""
    x, result = of.stored(entry, 0), of.result(entry)
    if x.dtype == result.dtype:
        _reshape(of, entry)
        return
    values = of.constant(entry, 0, "numbers").astype(result.dtype)
    of.names[entry.outputs[0]] = of.known(result.name, of.type_of(result), values.reshape(values.shape or (1,)))


def _concatenation(of: Lowering, entry: IRNode) -> None:
    if entry.attributes.get("activation", "none") != "none":
        raise Cannot(f"its activation is {entry.attributes['activation'].upper()}; joined tensors have none.")
    type_, parts = of.type_of(of.result(entry)), []
    for which in range(len(entry.inputs)):
        name = of.name(entry, which)
        x = of.graph.tensors[name].type
        if x != type_:
            if x.scheme is None or type_.scheme is None or x.dtype != "uint8" or type_.dtype != "uint8":
                raise Cannot(f"it joins {in_words(x)} to {in_words(type_)}; only of uint8 scales may differ.")
            name = of.between(entry, f"part {which}", ops.Rescale(x.scheme, out=type_.scheme), name)
        parts.append(name)
    of.add(entry, Concat(type_, int(entry.attributes["axis"])), *parts)


def _splits(of: Lowering, entry: IRNode, x: int, axis: int, parts: int | list[int]) -> None:
    first = of.result(entry).name
    made = of.graph.add_node(of.free(f"{first} (split)", len(entry.outputs)),
                             Split(of.type_of(of.stored(entry, x)), parts, axis), of.name(entry, x))
    of.made.append(made)
    results = of.graph.results(made)
    if len(results) != len(entry.outputs):
        raise Cannot(f"it has {len(entry.outputs)} results; {len(results)} parts were made.")
    of.names |= dict(zip(entry.outputs, results, strict=True))


def _split(of: Lowering, entry: IRNode) -> None:
    rank = len(of.stored(entry, 1).shape)
    _splits(of, entry, 1, of.constant_integer(entry, 0, "axis", -rank, rank - 1), int(entry.attributes["parts"]))


def _split_sizes(of: Lowering, entry: IRNode) -> None:
    sizes, shape = of.constant_integers(entry, 1, "sizes"), of.stored(entry, 0).shape
    axis = of.constant_integer(entry, 2, "axis", -len(shape), len(shape) - 1)
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = shape[axis] - sum(sizes) - 1
    _splits(of, entry, 0, axis, sizes)


def _slice(of: Lowering, entry: IRNode) -> None:
    shape = of.stored(entry, 0).shape
    begins, sizes = of.constant_integers(entry, 1, "begins"), of.constant_integers(entry, 2, "sizes")
    if not len(begins) == len(sizes) == len(shape):
        raise Cannot(f"it has {len(begins)} begins and {len(sizes)} sizes for {list(shape)}.")
    ranges = []
    for begin, size, whole in zip(begins, sizes, shape, strict=True):
        end = whole if size == -1 else begin + size
        if not 0 <= begin < end <= whole:
            raise Cannot(f"it begins at {begins} and takes {sizes} of {list(shape)}: more than there is, or nothing.")
        ranges.append(range(begin, end))
    _pick(of, entry, gather.slice_indices(of.type_of(of.stored(entry, 0)), shape, ranges))


def _strided_slice(of: Lowering, entry: IRNode) -> None:
    """Bit i of a mask speaks of the i-th begin, end and stride."""
    shape, masks = of.stored(entry, 0).shape, entry.attributes
    begins, ends, strides = (of.constant_integers(entry, which, what)
                             for which, what in ((1, "begins"), (2, "ends"), (3, "strides")))
    if not len(begins) == len(ends) == len(strides) <= len(shape):
        raise Cannot(f"it has {len(begins)} begins, {len(ends)} ends and {len(strides)} strides for {list(shape)}.")
    if masks["ellipsis_mask"] or masks["new_axis_mask"]:
        raise Cannot("its ellipsis_mask or new_axis_mask is set; supported: 0.")
    ranges, result = [], []
    for axis, size in enumerate(shape):
        if axis >= len(begins):
            ranges.append(range(size))
            result.append(size)
            continue
        begin, end, stride = begins[axis], ends[axis], strides[axis]
        if stride == 0:
            raise Cannot(f"its stride along axis {axis} is 0.")
        if masks["shrink_axis_mask"] >> axis & 1:
            begin += size if begin < 0 else 0
            if not 0 <= begin < size:
                raise Cannot(f"it takes index {begins[axis]} of axis {axis}, which has {size}.")
            ranges.append(range(begin, begin + 1))
            continue
        cut = slice(None if masks["begin_mask"] >> axis & 1 else begin, None if masks["end_mask"] >> axis & 1 else end,
                    stride)
        ranges.append(range(*cut.indices(size)))
        if not ranges[-1]:
            raise Cannot(f"it takes nothing of axis {axis}: {begin} to {end} by {stride} of {size}.")
        result.append(len(ranges[-1]))
    _pick(of, entry, gather.slice_indices(of.type_of(of.stored(entry, 0)), shape, ranges, tuple(result) or (1,)))


def _pick(of: Lowering, entry: IRNode, *found: gather.GatherIndices) -> None:
    """One pick, or several one after the other."""
    name = of.name(entry, 0)
    for number, one in enumerate(found[:-1]):
        name = of.between(entry, f"{one.kind} {number}", one, name)
    of.add(entry, found[-1], name)


def _picked(make: Callable[[Lowering, IRNode, StoredTensor, TensorType], gather.GatherIndices]) -> Kind:
    """What is one pick: of (the lowering, the entry, what it reads, its type)."""
    def picked(of: Lowering, entry: IRNode) -> None:
        x = of.stored(entry, 0)
        _pick(of, entry, make(of, entry, x, of.type_of(x)))
    return picked


KINDS: dict[str, Kind] = {
    "broadcast": _picked(lambda of, entry, x, type_: gather.broadcast_indices(
        type_, x.shape or (1,), of.result(entry).shape or (1,))),
    "depth_to_space": _picked(lambda of, entry, x, type_: gather.depth_to_space(
        type_, x.shape, entry.attributes["block"])),
    "space_to_depth": _picked(lambda of, entry, x, type_: gather.space_to_depth(
        type_, x.shape, entry.attributes["block"])),
    "tile": _picked(lambda of, entry, x, type_: gather.tile_indices(
        type_, x.shape, of.constant_integers(entry, 1, "numbers of times"))),
    "transpose": _picked(lambda of, entry, x, type_: gather.transpose_indices(
        type_, x.shape, of.constant_integers(entry, 1, "order"))),
    "batch_to_space": _batch_to_space, "cast": _cast, "concatenation": _concatenation, "folded": _folded,
    "gather": _gather, "mirror_pad": _mirror_pad, "pack": _pack, "pad": _pad, "reshape": _reshape,
    "resize_bilinear": _bilinear, "resize_nearest": _nearest, "shape": _shape, "slice": _slice,
    "space_to_batch": _space_to_batch, "split": _split, "split_sizes": _split_sizes, "strided_slice": _strided_slice,
    "unpack": _unpack,
}
