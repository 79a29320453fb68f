"""What was asked for under a key that a program chose: the table of requests."""

from alembic import op

from store.tables import REQUESTS

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make it."""
    REQUESTS.create(op.get_bind(), checkfirst=True)


def downgrade() -> None:
    """Drop it."""
    REQUESTS.drop(op.get_bind())
