"""The command itself: ``python -m garaph``, and ``garaph`` where a wheel is installed."""

import os
import sys

from ._binary import find
from ._errors import GaraphError


def main() -> None:
    """Become the command."""
    try:
        path = find()
    except GaraphError as err:
        sys.exit(f"garaph: {err}")
    os.execv(path, ["garaph", *sys.argv[1:]])


if __name__ == "__main__":
    main()
