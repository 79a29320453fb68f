"""Builds that the server keeps or shows: documents that came in, how they are compiled, what came of it."""
