"""The workspace: where versions, runs, users and the audit are kept, on SQLite or PostgreSQL."""
