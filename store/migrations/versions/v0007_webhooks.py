"""What endpoints of webhooks are told: how far the audit was gone through for each, deliveries, attempts."""

from alembic import op

from store.tables import ATTEMPTS, DELIVERIES, ENDPOINTS

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the tables."""
    for table in (ENDPOINTS, DELIVERIES, ATTEMPTS):
        table.create(op.get_bind(), checkfirst=True)


def downgrade() -> None:
    """Drop them."""
    for table in (ATTEMPTS, DELIVERIES, ENDPOINTS):
        table.drop(op.get_bind())
