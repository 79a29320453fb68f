"""`python -m cli` is the same as `flowc`."""

from cli.main import run

run()
