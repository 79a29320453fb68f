"""How Chinese sentences of policy prose are read."""
