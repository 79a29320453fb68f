"""What a second reading of each document brings, and what it costs."""
