"""`python -m neonsim.cli` is the `neonsim` command."""

import sys

from . import main

sys.exit(main())
