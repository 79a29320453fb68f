"""The tables of a workspace. What stands in `body`, `definition`, `state` and the like is canonical JSON."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    func,
    literal,
    select,
    union_all,
)

METADATA = MetaData()
NUMBER = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by themselves for INTEGER alone

USERS = Table(
    "users",
    METADATA,
    Column("name", String(100), primary_key=True),
    Column("roles", Text, nullable=False),
    Column("added_at", String(40), nullable=False),
    Column("active", Boolean, nullable=False),
    Column("password", Text),
)

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("key", String(80), primary_key=True),
    Column("user", String(100), ForeignKey("users.name"), nullable=False),
    Column("csrf", String(80), nullable=False),
    Column("began_at", String(40), nullable=False),
    Column("used_at", String(40), nullable=False),
    Index("sessions_of", "user"),
)

TOKENS = Table(
    "tokens",
    METADATA,
    Column("id", String(20), primary_key=True),
    Column("user", String(100), ForeignKey("users.name"), nullable=False),
    Column("key", String(80), nullable=False),
    Column("scopes", Text, nullable=False),
    Column("workflows", Text, nullable=False),
    Column("made_by", String(100), nullable=False),
    Column("made_at", String(40), nullable=False),
    Column("expires_at", String(40), nullable=False),
    Column("revoked_at", String(40)),
    Column("used_at", String(40)),
    Index("tokens_of", "user"),
)

VERSIONS = Table(
    "versions",
    METADATA,
    Column("workflow_id", String(200), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("state", String(20), nullable=False),
    Column("digest", String(80), nullable=False),
    Column("definition", Text, nullable=False),
    Column("references", Text, nullable=False),
    Column("pins", Text, nullable=False),
    Column("executors", Text, nullable=False),
    Column("report", Text, nullable=False),
    Column("signature", Text, nullable=False),
    Column("author", String(100), nullable=False),
    Column("changed_at", String(40), nullable=False),
)

TRANSITIONS = Table(
    "transitions",
    METADATA,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("workflow_id", String(200), nullable=False),
    Column("number", Integer, nullable=False),
    Column("before", String(20), nullable=False),
    Column("after", String(20), nullable=False),
    Column("by", String(100), nullable=False),
    Column("at", String(40), nullable=False),
    Column("reason", Text, nullable=False),
    Index("transitions_of", "workflow_id", "number"),
)

EXECUTIONS = Table(
    "executions",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("workflow_id", String(200), nullable=False),
    Column("number", Integer, nullable=False),
    Column("digest", String(80), nullable=False),
    Column("status", String(20), nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("principal", String(100), nullable=False),
    Column("end", String(20)),
    Column("state", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("due_at", String(40)),
    Column("began_at", String(40), nullable=False),
    Column("changed_at", String(40), nullable=False),
    Index("executions_by_status", "status", "changed_at"),
    Index("executions_due", "due_at"),
)

REQUESTS = Table(
    "requests",
    METADATA,
    Column("execution", String(40), ForeignKey("executions.id"), primary_key=True),
    Column("digest", String(80), nullable=False),
)

INBOX = Table(
    "inbox",
    METADATA,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("execution", String(40), ForeignKey("executions.id"), nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("payload", Text, nullable=False),
    Column("key", String(200), nullable=False),
    Column("taken", Boolean, nullable=False),
    Column("at", String(40), nullable=False),
    UniqueConstraint("execution", "sequence"),
    UniqueConstraint("execution", "key"),
    Index("inbox_waiting", "taken", "at"),
)

TASKS = Table(
    "tasks",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("execution", String(40), ForeignKey("executions.id"), nullable=False),
    Column("node", String(200), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("roles", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("digest", String(80), nullable=False),
    Column("status", String(20), nullable=False),
    Column("claimed_by", String(100)),
    Column("due_at", String(40)),
    Column("opened_at", String(40), nullable=False),
    Column("closed_at", String(40)),
    UniqueConstraint("execution", "node", "kind"),
    Index("tasks_by_status", "status"),
)

CALLS = Table(
    "calls",
    METADATA,
    Column("key", String(80), primary_key=True),
    Column("execution", String(40), ForeignKey("executions.id"), nullable=False),
    Column("node", String(200), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("state", String(20), nullable=False),
    Column("outcome", Text),
    Column("at", String(40), nullable=False),
    Index("calls_of", "execution", "node"),
)

AUDIT = Table(
    "audit",
    METADATA,
    Column("sequence", NUMBER, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False),
    Column("kind", String(40), nullable=False),
    Column("execution", String(40)),
    Column("principal", String(100), nullable=False),
    Column("body", Text, nullable=False),
    Column("previous", String(80), nullable=False),
    Column("hash", String(80), nullable=False),
    Index("audit_of", "execution"),
)

UNCHAINED = Table(
    "audit_unchained",
    METADATA,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("at", String(40), nullable=False),
    Column("kind", String(40), nullable=False),
    Column("execution", String(40)),
    Column("principal", String(100), nullable=False),
    Column("body", Text, nullable=False),
)

PERSONAL = Table(
    "personal",
    METADATA,
    Column("mark", String(80), primary_key=True),
    Column("event", NUMBER, nullable=False),
    Column("execution", String(40), nullable=False),
    Column("salt", String(80), nullable=False),
    Column("value", Text, nullable=False),
    Index("personal_of", "execution"),
)

ENDPOINTS = Table(
    "webhook_endpoints",
    METADATA,
    Column("name", String(40), primary_key=True),
    Column("read_to", NUMBER, nullable=False),
)

DELIVERIES = Table(
    "webhook_deliveries",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("endpoint", String(40), nullable=False),
    Column("event", String(20), nullable=False),
    Column("execution", String(40), ForeignKey("executions.id"), nullable=False),
    Column("body", Text, nullable=False),
    Column("state", String(20), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due_at", String(40)),
    Column("made_at", String(40), nullable=False),
    Index("webhook_deliveries_due", "endpoint", "state", "due_at"),
)

ATTEMPTS = Table(
    "webhook_attempts",
    METADATA,
    Column("delivery", String(40), ForeignKey("webhook_deliveries.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False),
    Column("code", String(40), nullable=False),
    Column("message", Text, nullable=False),
)

TOLD = union_all(
    select(AUDIT),
    select(
        (select(func.coalesce(func.max(AUDIT.c.sequence), 0)).scalar_subquery()
         + func.row_number().over(order_by=UNCHAINED.c.id)).label("sequence"),
        *(UNCHAINED.c[name] for name in ("at", "kind", "execution", "principal", "body")),
        literal("").label("previous"), literal("").label("hash"),
    ),
).subquery("told")  # fmt: skip
"""All events: those of the chain, and those that are not chained yet, numbered on from it and without hashes."""
