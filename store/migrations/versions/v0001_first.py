"""The first tables."""

from alembic import op

from store.tables import METADATA

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all of them."""
    METADATA.create_all(op.get_bind())


def downgrade() -> None:
    """Drop all of them."""
    METADATA.drop_all(op.get_bind())
