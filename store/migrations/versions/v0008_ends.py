"""How executions ended: a column, filled from the audit for those that did."""

import json

import sqlalchemy as sa
from alembic import op

from store.tables import AUDIT, EXECUTIONS, UNCHAINED

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make it, where the first tables were made before they had it."""
    connection = op.get_bind()
    if "end" in {column["name"] for column in sa.inspect(connection).get_columns("executions")}:
        return
    op.add_column("executions", sa.Column("end", EXECUTIONS.c.end.type))
    for table in (AUDIT, UNCHAINED):
        ended = sa.select(table.c.execution, table.c.body).where(table.c.kind == "ended")
        for row in connection.execute(ended).all():
            body = json.loads(row.body)
            end = "cancelled" if body["status"] == "cancelled" else body["end"]
            connection.execute(EXECUTIONS.update().where(EXECUTIONS.c.id == row.execution).values(end=end))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("executions", "end")
