"""Tasks and runs: the inbox, forms of tasks, starts, and what becomes of a run while it goes on and after."""
