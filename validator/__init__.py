"""What can be said of a workflow alone: with the catalog, without the documents that it was drawn from."""
