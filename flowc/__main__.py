"""`python -m cli` is the same as `flowc`."""

from flowc.main import run

run()
