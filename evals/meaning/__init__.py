"""Sentences with a known meaning: what becomes of one policy sentence when it is all that a document says."""
