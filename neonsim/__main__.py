"""`python -m neonsim` is the `neonsim` command."""

import sys

__all__ = ["main"]


def main() -> int:
    """The command line; Ctrl-C while its modules are loaded is no traceback either."""
    try:
        from neonsim.cli import main as command

        return command()
    except KeyboardInterrupt:
        print("neonsim: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
