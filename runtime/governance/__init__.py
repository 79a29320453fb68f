"""What an installation says of who may do what, beside the roles of a workflow."""
