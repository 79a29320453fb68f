"""The table of events that are not in the audit's chain yet."""

from alembic import op

from store.tables import UNCHAINED

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make it, where the first tables were made before it was one of them."""
    UNCHAINED.create(op.get_bind(), checkfirst=True)


def downgrade() -> None:
    """Drop it; events that stand in it have to be in the chain by then (`flowc audit head`)."""
    UNCHAINED.drop(op.get_bind())
