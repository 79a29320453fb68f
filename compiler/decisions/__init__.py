"""What people decided about earlier readings of a document, found again in this one and carried out."""
