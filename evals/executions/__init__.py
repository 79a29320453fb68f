"""The runtime measured and held against the walk: generated workflows, many that wait, and how many go through."""
