"""What became of every statement of a document, and what a draft says of itself."""
