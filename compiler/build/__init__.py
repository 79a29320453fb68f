"""What surrounds the passes in a build: sources, scheduling, configuration, results, the folder that is written."""
