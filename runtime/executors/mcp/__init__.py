"""Types whose tool an MCP server has."""
