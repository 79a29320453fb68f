"""Numbers and units as texts write them: numerals in both languages, units with their factors, quantities."""
