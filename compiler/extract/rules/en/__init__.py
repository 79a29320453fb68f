"""How English sentences of policy prose are read."""
