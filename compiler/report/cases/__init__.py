"""Cases in the words of a workflow's language, with the clauses that decide them."""
