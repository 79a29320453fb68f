"""Prints the figures of a PET file: `python -m evals.pet FILE [--only ID ...]`."""

import argparse
import sys
from pathlib import Path

from compiler.errors import CompilerError
from evals.pet.run import run


def main() -> int:
    """Read and score; a fault of the file or of the setup is said with its code."""
    parser = argparse.ArgumentParser(prog="python -m evals.pet", description=__doc__)
    parser.add_argument("file", type=Path, help="JSON lines, a document each")
    parser.add_argument("--only", nargs="+", metavar="ID", help="ids of the documents to take")
    given = parser.parse_args()
    try:
        print(run(given.file, only=given.only).table())  # noqa: T201
    except CompilerError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
