"""Forms are made at their first use: most programs have a few mnemonics of many hundreds."""

from __future__ import annotations

import pickle
import subprocess
import sys

from neonsim.arm.isa import all_semantics, forms, mnemonics
from neonsim.arm.isa.forms.spec import SHORT, TABLE

_COUNTED = """
from neonsim.arm.isa.forms import spec
made, form = [], spec.Form
class Counted(form):
    def __init__(self, *given): made.append(1); super().__init__(*given)
spec.Form = Counted
import neonsim
print(len(made))
neonsim.assemble("smlal v0.4s, v1.4h, v2.4h", isa="aarch64")
print(len(made))
"""


def test_a_program_makes_the_forms_of_its_mnemonics() -> None:
    done = subprocess.run([sys.executable, "-c", _COUNTED], capture_output=True, text=True, check=True)
    before, made = map(int, done.stdout.split())
    assert before == 0 and 2 <= made <= 4


def test_all_forms_are_there_when_they_are_asked_for() -> None:
    for isa, short in SHORT.items():
        all_of_them = forms(isa)
        assert [form.number for form in all_of_them] == sorted(form.number for form in all_of_them)
        assert {id(v.form) for ways in TABLE[short].values() for v in ways} == {id(form) for form in all_of_them}
        known = mnemonics(isa)
        assert {word.rstrip(".") for form in all_of_them for word in form.spellings} == {
            word.rstrip(".") for word in known}
        assert all(form.semantics in known[v.mnemonic] for form in all_of_them for v in TABLE[short].get(
            form.spellings[0], ()) if v.form is form)
        assert pickle.loads(pickle.dumps(all_of_them[-1])) is all_of_them[-1]
        meaning = all_semantics()["mlal"]
        assert forms(isa, meaning) == [form for form in all_of_them if form.semantics is meaning]
