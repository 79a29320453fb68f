"""Tokens: given out once, good for a time, for what they say and for no more than their user may."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ir.errors import BadSetting
from store import audit
from store.clock import moment
from store.errors import BadToken, OutOfScope, UnknownUser
from store.tables import TOKENS
from store.tokens import make_token, may_give, revoke_token, token_of, tokens, user_of_token
from store.users import AGENT, OPERATOR, OWNER, READ, SCOPES, START, TASK, User, add_user, set_roles
from store.workspace import Workspace, make_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """One with an owner and an agent."""
    found = make_workspace(tmp_path / "plant")
    with found.transaction() as connection:
        add_user(connection, "wen", frozenset({OPERATOR}), "wen")
        add_user(connection, "bot", frozenset({AGENT}), "wen")
    return found


def given(workspace: Workspace, user: str = "bot", *scopes: str, workflows: tuple[str, ...] = ("*",)) -> str:
    """The text of a new token."""
    with workspace.transaction() as connection:
        return make_token(connection, user, scopes or SCOPES, workflows, 30, "wen")[0]


def test_who_brings_it_is_its_user(workspace: Workspace) -> None:
    """With the roles of this moment; without those that publish, decide drafts or own the workspace."""
    text = given(workspace, "wen", READ, START, workflows=("a", "b"))
    found = user_of_token(workspace, text)
    assert (found.name, found.roles) == ("wen", {OPERATOR})
    assert not found.may(OWNER)
    for scope, workflow in ((READ, "a"), (START, "b"), (START, None)):
        found.must_hold(scope, workflow)
    with pytest.raises(OutOfScope, match="read, start, and this takes task"):
        found.must_hold(TASK, "a")
    with pytest.raises(OutOfScope, match="does not reach c"):
        found.must_hold(READ, "c")
    with workspace.transaction() as connection:
        set_roles(connection, "bot", frozenset(), "wen")
    assert user_of_token(workspace, given(workspace)).roles == frozenset()


def test_its_text_is_kept_nowhere(workspace: Workspace) -> None:
    """Neither in the tables nor in the audit, which tells who made it for whom, and for what."""
    secret = given(workspace, "bot", READ).rpartition("_")[2]
    kept = b"".join(path.read_bytes() for path in workspace.folder.rglob("*") if path.is_file())
    assert secret.encode() not in kept
    with workspace.transaction() as connection:
        told = [one.body for one in audit.events(connection) if one.kind == "token-made"]
        (made,) = tokens(connection)
    assert [(one["user"], one["scopes"], one["token"]) for one in told] == [("bot", ["read"], made.id)]
    assert made.used_at is None


def test_what_is_no_token_any_more(workspace: Workspace) -> None:
    """Expired, revoked, of nobody, another's secret, or none at all: each is refused."""
    text = given(workspace)
    name = text.split("_")[1]
    with workspace.transaction() as connection:
        revoke_token(connection, name, "wen")
        revoke_token(connection, name, "wen")
        assert [one.kind for one in audit.events(connection)].count("token-revoked") == 1
    with pytest.raises(BadToken, match=f"{name} is revoked since"):
        user_of_token(workspace, text)
    late = given(workspace)
    with workspace.transaction() as connection:
        past = moment(datetime.now(UTC) - timedelta(days=1))
        connection.execute(TOKENS.update().where(TOKENS.c.id == late.split("_")[1]).values(expires_at=past))
        assert token_of(connection, late.split("_")[1]).state == "expired"
    with pytest.raises(BadToken, match="is expired since"):
        user_of_token(workspace, late)
    good, other = given(workspace), given(workspace)
    mixed = f"flowc_{good.split('_')[1]}_{other[-43:]}"
    with pytest.raises(BadToken) as refused:
        user_of_token(workspace, mixed)
    assert (refused.value.token, refused.value.user, refused.value.why) == (good.split("_")[1], "bot", "wrong-secret")
    for wrong in (mixed, good[:-1], good + "x", "", "flowc_", f" {good}", "ü" * 40):
        with pytest.raises(BadToken, match="none that was given out"):
            user_of_token(workspace, wrong)
    with pytest.raises(BadToken, match="flowc tokens list"), workspace.transaction() as connection:
        revoke_token(connection, "0" * 12, "wen")


def test_use_is_noted(workspace: Workspace) -> None:
    """So that who lists them sees which are not needed."""
    text = given(workspace)
    user_of_token(workspace, text)
    with workspace.transaction() as connection:
        assert token_of(connection, text.split("_")[1]).used_at is not None


@pytest.mark.parametrize(
    ("scopes", "workflows", "days", "words"),
    [
        (["publish"], ["*"], 1, '"publish" is no scope; there is read, start, task'),
        ([], ["*"], 1, "name a scope"),
        ([READ], [], 1, "name a workflow"),
        ([READ], ["*"], 0, "1 to 366"),
        ([READ], ["*"], 367, "1 to 366"),
    ],
)
def test_what_is_given_out_to_nobody(
    workspace: Workspace, scopes: list[str], workflows: list[str], days: int, words: str
) -> None:
    """All that cannot be is told, and nothing is made."""
    with pytest.raises(BadSetting, match=words.replace("*", r"\*")), workspace.transaction() as connection:
        make_token(connection, "bot", scopes, workflows, days, "wen")
    with pytest.raises(UnknownUser), workspace.transaction() as connection:
        make_token(connection, "nobody", [READ], ["*"], 1, "wen")
    with workspace.transaction() as connection:
        assert tokens(connection) == []


def test_who_may_give_them_out(workspace: Workspace) -> None:
    """The owner for anybody and people for themselves; no agent, and nobody who came with one."""
    wen, li = User("wen", frozenset({OWNER})), User("li", frozenset({OPERATOR}))
    bot = workspace.user("bot")
    assert may_give(wen, "bot") and may_give(li, "li")
    assert not may_give(li, "bot") and not may_give(bot, "bot")
    assert not may_give(user_of_token(workspace, given(workspace, "wen")), "wen")
