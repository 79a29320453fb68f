"""The table of personal values, beside the audit."""

from alembic import op

from store.tables import PERSONAL

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make it, where the first tables were made before it was one of them."""
    PERSONAL.create(op.get_bind(), checkfirst=True)


def downgrade() -> None:
    """Drop it."""
    PERSONAL.drop(op.get_bind())
