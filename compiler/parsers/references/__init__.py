"""References of a document to its own clauses, and to other texts."""
