"""Behaviour as played: somebody who knows the story of a scenario fills in what the draft asks, and the draft runs.

Nothing of gold is carried over by name: the player sees the stories and the draft's own questions alone. What is
compared is what was done, in which order, and how it ended.
"""
