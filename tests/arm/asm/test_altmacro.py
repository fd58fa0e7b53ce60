"""What stands for a macro's arguments, as GNU as puts them in: in quotes, behind &, beside characters."""

from __future__ import annotations

import pytest

from neonsim.arm.asm import assemble

# (alternate, body, arguments, bytes that GNU as 2.40 makes)
CASES = [
    (True, '.ifc "a",""\n.byte 1\n.else\n.byte 2\n.endif', "", "01"),
    (True, '.ascii "x a y"', "1", "78 20 31 20 79"),
    (True, '.ascii "a & b"', "1,2", "31 20 26 20 32"),
    (True, '.ascii "x&q"', "1,2", "78 71"),
    (True, ".byte 3 & b", "1,2", "20"),
    (True, r".byte \a & \b", "1,2", "0c"),
    (True, ".byte 'a', 'a", "1", "61 61"),
    (True, r".byte '\n", "1", "0a"),
    (True, ".ifc a,b\n.byte 4\n.else\n.byte 5\n.endif", '"1","2"', "05"),
    (True, 'LOCAL q\n.byte 1\nq: .ascii "q"', "", "01 2e 4c 4c 30 30 30 31"),
    (True, '.ascii "a"', "<x!>y>", "78 3e 79"),
    (False, '.ascii "a"', "1", "61"),
    (False, '.ascii "a&b"', "1,2", "61 32"),
    (False, '.ascii "&a&x"', "1,2", "31 78"),
    (False, '.ascii "a & b"', "1,2", "61 20 26 20 62"),
    (False, ".byte 3 & b", "1,2", "20"),
    (False, ".byte 1 && b", "1,2", "01"),
    (False, r".byte \a & \b", "1,2", "00"),
    (False, r".byte '\n'", "1", "0a"),
    (False, r""".ascii "it's \a" """, "1", "69 74 27 73 20 31"),
]


@pytest.mark.parametrize(("alternate", "body", "given", "expected"), CASES)
def test_the_bytes_of_gnu(alternate: bool, body: str, given: str, expected: str) -> None:
    text = f".set b, 7\n.{'' if alternate else 'no'}altmacro\n.macro m a, b, n\n{body}\n.endm\n.data\nm {given}\n"
    assert assemble(text, "aarch64").data[0].contents == bytes.fromhex(expected)
