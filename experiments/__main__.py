"""Entry point of ``python -m experiments``, the same as ``nsa``."""

import sys

from experiments.cli import main

if __name__ == "__main__":  # worker processes import this module too
    sys.exit(main())
