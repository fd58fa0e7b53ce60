"""`python -m neonsim` is the `neonsim` command."""

import sys

from neonsim.cli import main

sys.exit(main())
