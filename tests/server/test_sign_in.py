"""Signing in and out: who may, for how long, under which id."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from conftest import ORIGIN, PASSWORD, Browser, Browsers
from starlette.testclient import TestClient

from server.app import make_app
from server.sessions import IDLE, LONGEST
from server.site import Site
from store import audit
from store.clock import moment
from store.passwords import hashed, matches
from store.tables import SESSIONS, USERS
from store.users import set_password, set_roles


def told(site: Site, kind: str) -> list[str]:
    """Who is told to have done something of a kind."""
    with site.workspace.transaction() as connection:
        return [one.principal for one in audit.events(connection) if one.kind == kind]


def test_pages_ask_who_is_there(browser: Browsers) -> None:
    """A browser comes to the sign-in page, and goes on from there to where it wanted."""
    found = browser(None)
    assert found.get("/registry").path == "/sign-in"
    assert found.sign_in("rui", target="/registry").path == "/registry"
    assert "rui" in found.get("/builds").text


def test_a_wrong_password_says_nothing_more(site: Site, browser: Browsers) -> None:
    """The same answer for a wrong password and for nobody; what was refused is told of those that there are."""
    found = browser(None)
    wrong, nobody = found.sign_in("rui", "wrong"), found.sign_in("nobody", "wrong")
    assert (wrong.status, nobody.status) == (401, 401)
    assert wrong.text == nobody.text
    assert told(site, "sign-in-refused") == ["rui"]
    assert found.get("/builds").path == "/sign-in"


def test_passwords_are_not_tried_for_ever(browser: Browsers) -> None:
    """After ten attempts not even the right one is taken for a while; others sign in."""
    found = browser(None)
    for _ in range(10):
        assert found.sign_in("rui", "wrong").status == 401
    late = found.sign_in("rui")
    assert (late.status, late.code) == (429, "too-many-attempts")
    assert found.sign_in("li").path == "/builds"


def test_a_session_gets_a_new_id(site: Site, browser: Browsers) -> None:
    """An id that somebody put into the browser before is worth nothing afterwards (session fixation)."""
    first = browser("rui")
    fixed = first.cookie(site.cookie)
    second = browser(None)
    second.put_cookie(site.cookie, fixed)
    second.sign_in("li")
    assert second.cookie(site.cookie) != fixed
    assert first.get("/builds").path == "/sign-in"
    chosen = browser(None)
    chosen.put_cookie(site.cookie, "chosen-by-somebody")
    chosen.client.get("/sign-in")
    assert chosen.get("/builds").path == "/sign-in"


def test_the_cookie_is_of_the_browser_alone(site: Site) -> None:
    """No script reads it, no other site sends it; with TLS in front it goes nowhere without."""
    for secure in (False, True):
        app = make_app(replace(site, secure=secure))
        with TestClient(app, base_url="http://127.0.0.1:8650", follow_redirects=False) as client:
            answer = client.post("/sign-in", data={"name": "rui", "password": PASSWORD}, headers=ORIGIN)
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=strict" in cookie and ("; secure" in cookie) is secure
        with site.workspace.transaction() as connection:
            kept = connection.execute(sa.select(SESSIONS.c.key)).scalars().all()
        assert cookie.split("=")[1].split(";")[0] not in str(kept).lower()


@pytest.mark.parametrize(("column", "length"), [("used_at", IDLE), ("began_at", LONGEST)])
def test_sessions_end_by_themselves(site: Site, browser: Browsers, column: str, length: timedelta) -> None:
    """One that was not used for an hour, and any after twelve."""
    found = browser("rui")
    with site.workspace.transaction() as connection:
        connection.execute(SESSIONS.update().values({column: moment(datetime.now(UTC) - length)}))
    assert found.get("/builds").path == "/sign-in"


def test_signing_out_ends_the_session(site: Site, browser: Browsers) -> None:
    """In the database, not in the browser alone; and it is told."""
    found = browser("rui")
    cookie = found.cookie(site.cookie)
    assert found.send("/sign-out").path == "/sign-in"
    found.put_cookie(site.cookie, cookie)
    assert found.get("/builds").path == "/sign-in"
    assert (told(site, "signed-in"), told(site, "signed-out")) == (["rui"], ["rui"])


def test_a_new_password_ends_what_the_old_one_began(site: Site, browser: Browsers) -> None:
    """Whoever was signed in with the old one is not any more."""
    found = browser("rui")
    with site.workspace.transaction() as connection:
        set_password(connection, "rui", hashed("another one, longer"), "wen")
    assert found.get("/builds").path == "/sign-in"
    assert found.sign_in("rui").status == 401
    assert found.sign_in("rui", "another one, longer").path == "/builds"


def test_roles_are_those_of_now(site: Site, browser: Browsers) -> None:
    """A role that was taken is gone with the next request."""
    found = browser("rui")
    with site.workspace.transaction() as connection:
        set_roles(connection, "rui", frozenset(), "wen")
    assert found.get("/builds").code == "not-allowed"


def test_the_first_password_is_set_once(site: Site) -> None:
    """By whoever has the address that the terminal printed, for an owner, while nobody can sign in."""
    with site.workspace.transaction() as connection:
        connection.execute(USERS.update().values(password=None))
    app = make_app(replace(site, setup="a word that nobody guesses"))
    with TestClient(app, base_url="http://127.0.0.1:8650") as client:
        found = Browser(client)
        assert found.get("/setup?token=guessed").code == "foreign-form"
        assert 'value="wen"' in found.get("/setup?token=a word that nobody guesses").text
        form = {"token": "a word that nobody guesses", "name": "wen", "password": PASSWORD, "again": PASSWORD}
        for change, code in (
            ({"again": "something else"}, "bad-password"), ({"password": "short", "again": "short"}, "bad-password"),
            ({"name": "rui"}, "not-allowed"), ({"token": "guessed"}, "foreign-form"),
        ):  # fmt: skip
            refused = client.post("/setup", data=form | change, headers=ORIGIN)
            assert f"<code>{code}</code>" in refused.text
        assert client.post("/setup", data=form, headers=ORIGIN).url.path == "/builds"
        assert "not-allowed" in client.post("/setup", data=form | {"password": "x" * 12}, headers=ORIGIN).text


def test_passwords_are_kept_as_hashes() -> None:
    """With argon2id, each under a salt of its own; without a hash nothing matches."""
    one, other = hashed(PASSWORD), hashed(PASSWORD)
    assert one.startswith("$argon2id$") and one != other
    assert matches(PASSWORD, one) and not matches("three old horse", one)
    assert not matches("", None) and not matches(PASSWORD, "not a hash")
