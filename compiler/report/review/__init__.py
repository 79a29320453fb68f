"""The page for the reviewer of one workflow."""
