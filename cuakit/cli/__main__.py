"""``python -m cuakit.cli``."""

import sys

from cuakit.cli import main

sys.exit(main())
