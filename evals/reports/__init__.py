"""Figures of an evaluation: kept, compared, and shown."""
