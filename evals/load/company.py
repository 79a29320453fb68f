"""A workspace whose workflows call the counting server, with agents, people, and a token for each."""

from dataclasses import dataclass
from pathlib import Path

from evals.crashes.book import Desk
from evals.crashes.shapes import FOLDER, TYPES, catalog, workflows
from ir.workflow import Workflow
from registry.versions import publish, review, submit
from runtime.executors.registry import Executors
from runtime.host import Host
from store import audit
from store.tokens import make_token
from store.users import AGENT, ANY, READ, START, TASK, add_user
from store.workspace import make_workspace

CASHIER = "cashier"
"""The role that approves: one of the workflows' own, since no token carries a role that publishes."""
USERS = {"wen": {"owner"}, "li": {"author", "operator"}, "zhao": {"approver"}, "hu": {CASHIER}}
SETTINGS = """catalog = ["{types}", "builtin"]

[agents]
calls_a_minute = 1000000

[agents.allow]
{allow}
{executors}
"""
EXECUTOR = """
[executors."{name}"]
kind = "http"
url = "{url}"
private = true
"""


@dataclass(frozen=True)
class Company:
    """The workspace, as it stands when nobody serves it yet.

    Args:
        agents: their tokens.
        cashier, operator: the tokens of people.
    """

    folder: Path
    host: Host
    desk: Desk
    agents: tuple[str, ...]
    cashier: str
    operator: str

    def events(self) -> list[audit.Event]:
        """What the audit tells."""
        with self.host.workspace.database.transaction() as connection:
            return [*audit.events(connection)]


def company(folder: Path, desk: Desk, agents: int) -> Company:
    """Make it."""
    workspace = make_workspace(folder)
    urls = {name: f"{desk.address}/call/{name.partition('.')[2]}" for name in TYPES}
    bots = [f"bot{number}" for number in range(agents)]
    executors = "".join(EXECUTOR.format(name=name, url=url) for name, url in urls.items())
    allow = "\n".join(f'{bot} = ["*"]' for bot in bots)
    (folder / "flowc.toml").write_text(SETTINGS.format(types=FOLDER, allow=allow, executors=executors), "utf-8")
    types = catalog()
    host = Host(
        workspace, types, Executors({one: {"kind": "http", "url": url, "private": True} for one, url in urls.items()})
    )
    with workspace.transaction() as connection:
        for name, roles in USERS.items():
            add_user(connection, name, frozenset(roles), "wen")
        for bot in bots:
            add_user(connection, bot, frozenset({AGENT}), "wen")
    for workflow in workflows():
        found = submit(workspace, workspace.user("li"), _approved_by_cashiers(workflow), types, "0.1")
        review(workspace, workspace.user("li"), found.workflow_id, found.number)
        publish(workspace, workspace.user("wen"), found.workflow_id, found.number, types, host.executors.bind)
    with workspace.transaction() as connection:

        def token(user: str, *scopes: str) -> str:
            return make_token(connection, user, scopes, (ANY,), 1, "wen")[0]

        tokens = tuple(token(bot, READ, START) for bot in bots)
        return Company(folder, host, desk, tokens, token("hu", TASK), token("li", TASK))


def _approved_by_cashiers(workflow: Workflow) -> Workflow:
    nodes = {
        name: node.model_copy(update={"approvers": (CASHIER,)}) if node.approvers else node
        for name, node in workflow.nodes.items()
    }
    return workflow.model_copy(update={"nodes": nodes})
