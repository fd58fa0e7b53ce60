"""Tables of scales: read, written, wrong."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.errors import BadArgument, ModelError
from neonsim.quant import Scheme
from tests.nn.formats.scale_tables import (
    NcnnTable,
    read_ncnn_table,
    read_tengine_table,
    write_ncnn_table,
    write_tengine_table,
)

# As the tools print them.
NCNN = "conv1_param_0 156.639840 536.133240 \nfc_param_0 67.100000 \nconv1 119.274261 \nfc 25.000000 \n"
TENGINE = "data 0.00787402 0\nconv1 0.02352941 0\n"


def test_ncnns_factors_are_reciprocals() -> None:
    table = read_ncnn_table(NCNN)
    assert table.weights["conv1"].tolist() == [float(np.float32(1 / 156.63984)), float(np.float32(1 / 536.13324))]
    assert table.inputs == {"conv1": 1 / 119.274261, "fc": 0.04}
    # Six digits of a single-precision scale come back as they were.
    for wrote, gave in zip(write_ncnn_table(table).split(), NCNN.split(), strict=True):
        assert wrote == gave or abs(float(wrote) / float(gave) - 1) < 1e-6
    assert [line[-1:] for line in write_ncnn_table(table).splitlines()] == [" "] * 4


def test_a_table_written_is_the_table_read() -> None:
    rng = np.random.default_rng(0)
    table = NcnnTable({"a": rng.uniform(1e-4, 1, 9).astype(np.float32)}, {"a": 0.125, "b": 0.01})
    again = read_ncnn_table(write_ncnn_table(table))
    assert np.allclose(again.weights["a"], table.weights["a"], rtol=1e-6)
    assert again.inputs == pytest.approx(dict(table.inputs), rel=1e-6)


def test_tengines_table() -> None:
    table = read_tengine_table(TENGINE)
    assert table == {"data": Scheme(0.00787402, 0, "int8"), "conv1": Scheme(0.02352941, 0, "int8")}
    assert read_tengine_table(write_tengine_table(table)) == table
    assert {one.dtype for one in read_tengine_table("a 0.5 3\nb 0.5 200\n").values()} == {"uint8"}


@pytest.mark.parametrize(("text", "words"), [
    ("conv1 1 2", "line 1 of the table: conv1 has 2 factors; one is"),
    ("\nconv1_param_0", "line 2 of the table: conv1_param_0 has 0 factors"),
    ("a 1\na 2", "line 2 of the table: a is there already"),
    ("a nan", "line 1 of the table: the factor 'nan' is no positive number"),
    ("a 0", "no positive number"),
    ("a -1", "no positive number"),
    ("a inf", "no positive number"),
    ("a " + "9" * 400, "no positive number"),
    ("a __import__('os')", "a has 1 factors|no positive number"),
])
def test_wrong_tables_of_ncnn(text: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        read_ncnn_table(text)


@pytest.mark.parametrize(("text", "words"), [
    ("a 1", "line 1 of the table has 2 words"),
    ("a 1 300", "zero point '300'"),
    ("a 1 1.5", "zero point '1.5'"),
    ("a 1 " + "1" * 9000, "none of -128 to 255"),
    ("a 1e-60 0", "the table of scales: scale of a Scheme must be positive"),
    ("a 1 0\na 1 0", "line 2 of the table: a is there already"),
    ("a 1 -5\nb 1 200", "zero_point of uint8"),
])
def test_wrong_tables_of_tengine(text: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        read_tengine_table(text)


def test_what_a_table_cannot_hold() -> None:
    with pytest.raises(BadArgument, match="names without spaces"):
        write_ncnn_table(NcnnTable({}, {"two words": 1.0}))
    with pytest.raises(BadArgument, match="one scale per channel"):
        write_tengine_table({"w": Scheme(np.ones(2, np.float32), axis=0)})
