"""A run for each row of a table."""
