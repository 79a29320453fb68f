"""Faults put into workflows that are right, to measure which of them the validator sees."""
