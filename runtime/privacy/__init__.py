"""Which fields are confidential or personal, and what becomes of them."""
