"""What changed from one version of a workflow to another, in words: line by line, by ids or as people call things."""
