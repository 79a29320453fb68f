"""Forms and reference tables: the facts of one run, and typed data."""
