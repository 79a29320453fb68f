"""How the database came to be what it is: alembic's scripts, run by `store.database.upgrade`."""
