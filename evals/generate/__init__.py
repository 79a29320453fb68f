"""Workflows made at random: valid by construction, or broken on purpose."""
