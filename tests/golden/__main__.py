"""Compare with the hashes that are kept, or renew them: python -m tests.golden [GROUP ...] [--all] [--renew].

Rows that differ are named, and then the status is 1. Renewing writes what was computed; a commit that changes a row
says its name.
"""

from __future__ import annotations

import argparse
import sys

from tests.costs import spent
from tests.golden import GROUPS, compare, keep


def main() -> int:
    """0: all that was computed is as it was, or has been written."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__.partition("\n")[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="all: " + ", ".join(GROUPS))
    parser.add_argument("--all", action="store_true", help="also what takes minutes")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose names contain it")
    parser.add_argument("--renew", action="store_true", help="write the hashes of what was computed")
    options = parser.parse_args()
    if unknown := set(options.groups) - set(GROUPS):
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    bad = False
    for group in options.groups or GROUPS:
        print(f"{group} ...", end=" ", flush=True)
        begin = spent()
        found = compare(group, options.all, options.only)
        print(f"{len(found.rows)} rows computed, {spent() - begin:.1f} CPU-s")
        print(*(f"  {line}" for line in (*found.changes, *found.wrong)), sep="\n",
              end="\n" if found.changes or found.wrong else "")
        for reason, count in found.missing.items():
            print(f"  not compared, of {count} rows: {reason}")
        if options.renew:
            keep(group, found)
        bad |= bool(found.wrong or (found.changes and not options.renew))
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
