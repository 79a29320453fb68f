"""What signing in takes: a column for passwords, the table of sessions."""

import sqlalchemy as sa
from alembic import op

from store.tables import SESSIONS, USERS

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make them, where the first tables were made before they had them."""
    if "password" not in {column["name"] for column in sa.inspect(op.get_bind()).get_columns("users")}:
        op.add_column("users", sa.Column("password", USERS.c.password.type))
    SESSIONS.create(op.get_bind(), checkfirst=True)


def downgrade() -> None:
    """Drop them."""
    SESSIONS.drop(op.get_bind())
    with op.batch_alter_table("users") as users:
        users.drop_column("password")
