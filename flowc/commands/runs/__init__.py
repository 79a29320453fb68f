"""The commands of runs, tasks and workers."""
