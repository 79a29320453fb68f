"""SOP-Bench: procedures with tools of their own, compiled once and run on every row of the benchmark."""
