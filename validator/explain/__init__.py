"""What a workflow does, said before it is run."""
