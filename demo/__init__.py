"""The first case from documents to an answer: compiled, corrected, published, run, killed, approved, replayed."""
