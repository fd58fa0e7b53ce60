"""All that takes longer than a build server waits: python -m tests.nightly [PART ...], which is `make nightly`.

Parts run one after the other, all of them or those that are named. What has passed at this commit is not run again, so
a run that was ended goes on where it was; `--again` runs it nevertheless, and so does a file that is not committed. A
table at the end says what passed, what failed and what was not reached, with the seconds of each. What a part prints is
kept in build/nightly.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.costs import KEPT

ROOT = Path(__file__).parents[1]
KEEP = ROOT / "build" / "nightly"
QUICK = "not slow and not nightly"
NEWEST = "avx512bw,avx512vnni,avxvnni,amxint8"
MASKS = {"no AVX-512": NEWEST, "SSE2 alone": f"{NEWEST},avx2,sse41"}
MAX_CPU_SECONDS = 3.0          # CPU-seconds that a test of `make test` may take
HANGS = 4 * 3600    # seconds after which a part is ended
TARGETS = ("native-check", "native-threads", "wasm", "site", "coverage")
BENCHMARKS = ("emulator", "network")
PROPERTIES = [path for path in (ROOT / "tests").rglob("test_*.py") if "\n@examples(" in path.read_text("utf-8")]
NO_TESTS = 5        # pytest's word for it


class Part(NamedTuple):
    """A command, its variables, how many busy processes run beside it; `dear`: a test above that fails it."""

    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    load: int = 0
    dear: bool = False


def pytest(*words: str, jobs: str = "auto") -> tuple[str, ...]:
    """The command for the tests that `words` choose."""
    return (sys.executable, "-m", "pytest", "-n", jobs, "--maxprocesses", "8", "--dist", "worksteal", *words)


def folders() -> list[str]:
    """Folders below tests/ that hold files of tests; one inside another belongs to that."""
    holding = {path.parent for path in (ROOT / "tests").glob("[!.]*/**/test_*.py") if "node_modules" not in path.parts}
    return sorted(folder.relative_to(ROOT / "tests").as_posix() for folder in holding
                  if holding.isdisjoint(folder.parents))


def parts() -> list[Part]:
    """All there are, the quickest to tell something first."""
    longer = ("-m", "slow or nightly")
    alone = ("tests/notebooks", "-k", "runs_alone", "-m", "nightly")
    found = [Part("one process", pytest("-m", QUICK, jobs="0"), dear=True),
             Part("eight processes", pytest("-m", QUICK, jobs="8")),
             Part("beside a load of 8", pytest("-m", QUICK), load=8),
             Part("many examples", pytest("-m", QUICK, *sorted(map(str, PROPERTIES))), (("NEONSIM_EXAMPLES", "40"),))]
    for name, without in MASKS.items():
        masked = (("NEONSIM_WITHOUT", without),)
        found += [Part(f"{name}: tests", pytest("-m", QUICK), masked),
                  Part(f"{name}: notebooks", pytest(*alone, jobs="2"), masked)]
    found += [Part(folder, pytest(f"tests/{folder}", *longer)) for folder in folders()]
    found.append(Part("tests of no folder", pytest(*(f"tests/{path.name}" for path in sorted(
        (ROOT / "tests").glob("test_*.py"))), *longer)))
    found += [Part(target, ("make", target)) for target in TARGETS]
    return [*found, *(Part(f"bench {name}", (sys.executable, "-m", "tests.nightly", "--bench", name))
                      for name in BENCHMARKS)]


# ---- running ---------------------------------------------------------------------------------------------------------

def commit() -> str:
    """The commit; "" where files are changed, or there is no repository: what passed then says nothing of later."""
    def said(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    return "" if said("status", "--porcelain") else said("rev-parse", "--short=12", "HEAD")


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Processes that compute all the time run beside."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def log_of(part: Part) -> Path:
    return KEEP / f"{part.name.replace(' ', '-').replace('/', '-').replace(':', '')}.log"


def run(part: Part) -> str:
    """"passed", or why not."""
    log = log_of(part)
    with log.open("w", encoding="utf-8") as out, busy(part.load):
        try:
            done = subprocess.run(part.command, cwd=ROOT, env=os.environ | dict(part.environment), stdout=out,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=HANGS, check=False)
        except subprocess.TimeoutExpired:
            return f"failed: no end after {HANGS // 3600} hours, see {log.relative_to(ROOT)}"
    if done.returncode not in (0, NO_TESTS):
        return f"failed: see {log.relative_to(ROOT)}"
    dear = [name for name,
            cost in json.loads(KEPT.read_text())["tests"].items() if cost > MAX_CPU_SECONDS] if part.dear else []
    return f"failed: more than {MAX_CPU_SECONDS:g} CPU-seconds, mark them slow: {', '.join(dear)}" if dear else "passed"


def kept(at: str) -> dict[str, Any]:
    """{part: {"said": str, "seconds": float}} of this commit."""
    path = KEEP / f"{at}.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def run_all(chosen: list[Part], again: bool) -> bool:
    """Whether all have passed."""
    KEEP.mkdir(parents=True, exist_ok=True)
    at = commit()
    done = {} if again or not at else kept(at)
    try:
        for part in chosen:
            if done.get(part.name, {}).get("said") == "passed":
                continue
            print(f"{part.name} ...", flush=True)   # a line before each: parts take minutes
            begin = time.monotonic()
            said = run(part)
            done[part.name] = {"said": said, "seconds": round(time.monotonic() - begin)}
            (KEEP / f"{at or 'changed'}.json").write_text(json.dumps(done, indent=1))
            if part.name.startswith("bench "):
                print(log_of(part).read_text("utf-8"))
    except KeyboardInterrupt:
        print("ended; `make nightly` goes on from here")
    print(f"\n{'part':24} {'seconds':>7}")
    for part in chosen:
        row = done.get(part.name, {"said": "not reached", "seconds": "-"})
        print(f"{part.name:24} {row['seconds']:>7}  {row['said']}")
    return all(done.get(part.name, {}).get("said") == "passed" for part in chosen)


# ---- speed -----------------------------------------------------------------------------------------------------------

def bench(name: str) -> None:
    """Figures of today beside those that are kept; other machines have others."""
    today = json.loads(subprocess.run([sys.executable, "-m", "neonsim", "bench", name, "--json"], cwd=ROOT, check=True,
                                      stdout=subprocess.PIPE, text=True).stdout)
    kept: dict[tuple[Any, ...], str] = {}
    for path in sorted((ROOT / "docs" / "benchmarks").glob(f"{name}*.json")):
        before = json.loads(path.read_text())
        kept |= {_case(row): f"{_figure(row)}, {before['date']}, {before['answer']['machine']['processor']}"
                 for row in before["answer"]["rows"]}
    print("measured, and what is kept in docs/benchmarks (neonsim bench says how each is made)")
    for row in today["rows"]:
        name = " ".join(map(str, filter(None, _case(row))))
        print(f"{name}: {_figure(row)} (kept: {kept.get(_case(row), 'nothing')})")


def _case(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["name"], row.get("family"), row.get("threads")


def _figure(row: dict[str, Any]) -> str:
    ratio = "" if row.get("ratio") is None else f", {row['ratio']:.3g} of {row['peer']}"
    return f"{row['value']:.4g} {row['unit']}{ratio}"


def main() -> int:
    """0: all that was asked for has passed."""
    there = parts()
    parser = argparse.ArgumentParser(prog="make nightly", description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help="all: " + ", ".join(one.name for one in there))
    parser.add_argument("--again", action="store_true", help="what has passed too")
    parser.add_argument("--bench", choices=BENCHMARKS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bench:
        bench(options.bench)
        return 0
    unknown = set(options.parts) - {one.name for one in there}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(one.name for one in there)}")
    return 0 if run_all([one for one in there if one.name in options.parts or not options.parts], options.again) else 1


if __name__ == "__main__":
    sys.exit(main())
