"""What a restore from an earlier state means for runs: what they did after the backup is not known here any more.

Nothing that must not be done twice is done again without a person: in each run that had not ended, every such call
waits for somebody who says whether it was made (`Progress.doubted`). Calls that do no harm when made again are made.
"""

import json

import sqlalchemy as sa

from ir.base import canonical_json
from runtime.forms import ENDED
from store import audit
from store.tables import AUDIT, EXECUTIONS, SESSIONS
from store.workspace import Workspace

KIND = "restored"


def doubt_runs(workspace: Workspace, by: str, backed_up_at: str | None = None) -> int:
    """Mark what stands in a database that was restored: its runs doubt their calls, and nobody is signed in any more.

    Args:
        by: who restored it.
        backed_up_at: the moment of the backup; None where nobody knows.

    Returns:
        how many runs go on with doubts.
    """
    with workspace.transaction() as connection:
        chosen = sa.select(EXECUTIONS.c.id, EXECUTIONS.c.state).where(EXECUTIONS.c.status.not_in(ENDED))
        found = connection.execute(chosen.with_for_update()).all()
        for row in found:
            state = canonical_json({**json.loads(row.state), "doubted": []})
            connection.execute(
                EXECUTIONS.update()
                .where(EXECUTIONS.c.id == row.id)
                .values(state=state, revision=EXECUTIONS.c.revision + 1)
            )
        connection.execute(SESSIONS.delete())
        audit.append(connection, KIND, by, {"backed_up_at": backed_up_at, "runs": len(found)})
    return len(found)


def restored_since(connection: sa.Connection, moment: str | None) -> bool:
    """Whether the workspace was restored after a moment; None for ever."""
    chosen = sa.select(AUDIT.c.sequence).where(AUDIT.c.kind == KIND)
    chosen = chosen if moment is None else chosen.where(AUDIT.c.at > moment)
    return connection.execute(chosen.limit(1)).first() is not None
