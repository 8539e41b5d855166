"""``python -m autogradlab`` is the ``autogradlab`` command."""

import sys

from autogradlab.lab.cli import main

if __name__ == "__main__":
    sys.exit(main())
