"""What the audit tells of a call of an agent, by whatever way it came; what was given is not repeated there."""

import re

from pydantic import JsonValue

from agents.tools import RUN
from runtime.errors import UnknownExecution
from runtime.executions import execution_of
from runtime.host import Host
from store import audit
from store.users import Grant


def tell_call(host: Host, agent: str, grant: Grant | None, body: dict[str, JsonValue], run: str) -> None:
    """Write a call into the audit, with the id of the token that was brought.

    Args:
        run: what was named as the run that it is about; it is told where there is such a run.
    """
    told = body if grant is None else {**body, "token": grant.token}
    with host.workspace.transaction() as connection:
        about = None
        if re.fullmatch(RUN["pattern"], run):
            try:
                about = execution_of(connection, run).id
            except UnknownExecution:
                about = None
        audit.append(connection, "agent-called", agent, told, about)
