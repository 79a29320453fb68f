"""Texts that state a computation, with the values that a careful person computes: what becomes of them in a draft."""
