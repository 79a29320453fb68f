"""The front page of a build."""
