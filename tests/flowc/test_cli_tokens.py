"""`flowc tokens`: given out, listed and revoked by who may."""

from pathlib import Path

from conftest import Flowc, said

from store.tokens import user_of_token
from store.workspace import find_workspace


def test_a_token_from_its_beginning_to_its_end(flowc: Flowc, tmp_path: Path) -> None:
    """The owner makes it, its text is told once, others may not; revoked, it is worthless."""
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    for name, role in (("bot", "agent"), ("li", "operator")):
        assert flowc("users", "add", name, "--role", role, "--as", "wen").status == 0
    made = flowc("tokens", "add", "bot", "--scope", "read", "--scope", "start", "--workflow", "a", "--as", "wen")
    assert made.status == 0 and "only time" in made.err
    text = made.out.strip()
    found = user_of_token(find_workspace(tmp_path), text)
    assert found.grant is not None and (found.grant.scopes, found.grant.workflows) == ({"read", "start"}, {"a"})
    (row,) = said(flowc("tokens", "list", "--json"))
    assert (row["user"], row["state"], row["workflows"]) == ("bot", "good", ["a"])
    assert text not in flowc("tokens", "list").out and "bot" in flowc("tokens", "list").out
    for words in (("add", "bot", "--scope", "read"), ("revoke", row["token"])):
        assert "[not-allowed]" in flowc("tokens", *words, "--as", "li").err
        assert "[not-allowed]" in flowc("tokens", *words, "--as", "bot").err
    own = said(flowc("tokens", "add", "li", "--scope", "task", "--days", "1", "--as", "li", "--json"))
    assert own["text"].startswith(f"flowc_{own['token']}_") and own["workflows"] == ["*"]
    assert "[bad-setting]" in flowc("tokens", "add", "li", "--scope", "tasks", "--as", "li").err
    assert flowc("tokens", "revoke", row["token"], "--as", "wen").out == f"{row['token']} of bot: revoked\n"
    assert [one["state"] for one in said(flowc("tokens", "list", "--json"))] == ["good", "revoked"]
