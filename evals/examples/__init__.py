"""What the cases of workflows show, and how many faults of conditions they find."""
