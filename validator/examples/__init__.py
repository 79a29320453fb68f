"""Cases that show what a workflow does: what each is for, the runs that show it, and questions about single facts."""
