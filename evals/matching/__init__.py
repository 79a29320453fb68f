"""Which parts of a draft stand for which parts of gold."""
