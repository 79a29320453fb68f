"""Readers of accounts of what is done, as opposed to what must be done."""
