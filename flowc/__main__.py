"""`python -m flowc` is the same as `flowc`."""

from flowc.main import run

run()
