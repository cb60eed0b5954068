"""``python -m pragam``: the command line."""

import sys

from pragam.cli import main

if __name__ == "__main__":
    sys.exit(main())
