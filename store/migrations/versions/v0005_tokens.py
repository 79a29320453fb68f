"""What programs that come over HTTP take: the table of tokens."""

from alembic import op

from store.tables import TOKENS

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make it."""
    TOKENS.create(op.get_bind(), checkfirst=True)


def downgrade() -> None:
    """Drop it."""
    TOKENS.drop(op.get_bind())
