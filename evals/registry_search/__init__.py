"""How often search over published workflows finds the one that is for a task."""
