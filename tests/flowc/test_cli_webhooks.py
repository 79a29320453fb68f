"""`flowc webhooks`: listed, tried again; `[webhooks]` is read by every command that runs something."""

import tomllib
from pathlib import Path

from conftest import Flowc, said

from runtime.webhooks.deliveries import deliver
from runtime.webhooks.endpoints import read_webhooks
from store.clock import now
from store.tables import DELIVERIES, ENDPOINTS, EXECUTIONS
from store.workspace import find_workspace

TABLE = '[webhooks.orders]\nurl = "http://127.0.0.1:9/x"\nsecret = "NOT_THERE"\nattempts = 1\n'


def test_webhooks_on_the_command_line(flowc: Flowc, tmp_path: Path) -> None:
    """What was given up is told with why, and an operator has it tried again."""
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    assert flowc("users", "add", "li", "--role", "operator", "--as", "wen").status == 0
    assert flowc("users", "add", "rui", "--role", "reader", "--as", "wen").status == 0
    assert said(flowc("webhooks", "list", "--json")) == []
    (tmp_path / "flowc.toml").write_text(TABLE, "utf-8")
    assert flowc("run", "explain", "e-1").status == 2
    workspace = find_workspace(tmp_path)
    with workspace.transaction() as connection:
        assert [row.name for row in connection.execute(ENDPOINTS.select())] == ["orders"]
        at = now()
        connection.execute(
            EXECUTIONS.insert().values(
                id="e-1", workflow_id="w", number=1, digest="d", status="completed", paused=False, principal="li",
                state="{}", revision=1, began_at=at, changed_at=at,
            )
        )  # fmt: skip
        connection.execute(
            DELIVERIES.insert().values(
                id="msg_1", endpoint="orders", event="run.ended", execution="e-1", body="{}", state="waiting", tries=0,
                due_at=at, made_at=at,
            )
        )  # fmt: skip
    endpoint = read_webhooks(tomllib.loads(TABLE)["webhooks"])["orders"]
    assert deliver(workspace, "orders", endpoint)
    (told,) = said(flowc("webhooks", "list", "--state", "given-up", "--json"))
    assert (told["id"], told["attempts"][0]["code"], told["body"]) == ("msg_1", "NO_SECRET", {})
    assert "1: NO_SECRET" in flowc("webhooks", "list", "--endpoint", "orders").out
    assert flowc("webhooks", "list", "--endpoint", "others").out == ""
    assert "[bad-setting]" in flowc("webhooks", "list", "--state", "lost").err
    assert "[bad-setting]" in flowc("webhooks", "retry", "--as", "li").err
    assert "[unknown-delivery]" in flowc("webhooks", "retry", "msg_2", "--as", "li").err
    assert "[not-allowed]" in flowc("webhooks", "retry", "msg_1", "--as", "rui").err
    (again,) = said(flowc("webhooks", "retry", "--given-up", "--as", "li", "--json"))
    assert (again["state"], again["tries"]) == ("waiting", 0)
    (tmp_path / "flowc.toml").write_text(TABLE + 'evnts = ["run.ended"]\n', "utf-8")
    stopped = flowc("run", "explain", "e-1")
    assert stopped.status == 2 and "orders" in stopped.err and "evnts" in stopped.err
