"""Published workflows as tools for agents, by the Model Context Protocol; nothing is decided here."""
