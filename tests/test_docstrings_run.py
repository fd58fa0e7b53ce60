"""Every example in a docstring of neonsim prints what the docstring says.

The examples are read from the sources, not from the modules: a decorator or a property hides none.
"""

import ast
import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [path for path in sorted(ROOT.glob("neonsim/**/*.py")) if ">>> " in path.read_text(encoding="utf-8")]
PACKAGES = sorted({path.relative_to(ROOT).parts[1] for path in FILES})


def examples(path: Path) -> Iterator[doctest.DocTest]:
    """The docstrings of a file that have examples, each with the module's names."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    parser = doctest.DocTestParser()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        text = ast.get_docstring(node) or "" if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) else ""
        if ">>> " in text:
            owner = f"{name}.{getattr(node, 'name', '')}"
            yield parser.get_doctest(text, dict(vars(importlib.import_module(name))), owner, str(path),
                                     getattr(node, "lineno", 1))


@pytest.mark.parametrize("package", PACKAGES)
def test_examples_in_docstrings_print_what_they_say(package: str) -> None:
    """Of every module of a package."""
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    for path in FILES:
        if path.relative_to(ROOT).parts[1] == package:
            for test in examples(path):
                runner.run(test, out=report.append)
    assert runner.tries and not runner.failures, "".join(report)


def test_a_wrong_example_is_found() -> None:
    """The runner reports an example that prints something else."""
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0), out=report.append)
    assert runner.failures == 1 and "Expected:\n    3" in "".join(report)
