"""What a test takes from another file of tests is there wherever the test itself is run."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent
TAKEN = re.compile(r"^\s*from (tests(?:\.\w+)*\.test_\w+) import", re.M)
# At the margin, where they skip the whole file.
NEEDS = re.compile(r"^(?:\w+ = )?(?:needs\(|pytest\.importorskip\()((?:\"[\w.]+\"(?:, )?)+)", re.M)


def needed(text: str) -> set[str]:
    """Packages without which a file of tests is skipped."""
    return {name.split(".")[0] for group in NEEDS.findall(text) for name in re.findall(r"[\w.]+", group)}


def test_a_file_that_is_skipped_lends_nothing_to_one_that_is_run() -> None:
    """`make test` has fewer packages than the build server: a file that is skipped cannot be imported from."""
    wrong, found = [], 0
    for path in sorted(ROOT.rglob("test_*.py")):
        text = path.read_text("utf-8")
        for module in TAKEN.findall(text):
            lender = ROOT.parent.joinpath(*module.split(".")).with_suffix(".py")
            for package in needed(lender.read_text("utf-8")):
                found += 1
                if package not in needed(text) and f'importorskip("{package}"' not in text:
                    wrong.append(f"{path.relative_to(ROOT)} needs {package} for what it takes from {module}")
    assert found > 1 and not wrong, "\n".join(wrong)
