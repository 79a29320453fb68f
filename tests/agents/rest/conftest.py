"""The fixtures of all tests of programs that come by REST; see `rest_programs`."""

from rest_programs import program, site, until

__all__ = ["program", "site", "until"]
