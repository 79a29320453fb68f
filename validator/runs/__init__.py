"""What is found out about the runs of a workflow: what can run together, by which routes, with which values."""
