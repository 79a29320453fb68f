"""Attacks on the operations for programs: each is refused with a code, and none is a fault of the server."""

import json
from typing import Any

import pytest
from agent_plant import HAZMAT, INPUTS, LIMIT, Plant
from rest_programs import PREFIX, Programs, refusal

from runtime.executions import tasks
from server.rest.app import description
from server.security import FORM_BYTES
from server.site import Site
from store.tokens import revoke_token
from store.users import set_roles

OPERATIONS = [
    (method.upper(), path) for path, methods in description()["paths"].items() for method in methods
]  # fmt: skip
PLACES = {"{run}": "e-0", "{task}": "t-0", "{workflow}": LIMIT, "{version}": f"{LIMIT}@v1"}


def place(path: str) -> str:
    """An address of an operation."""
    for name, value in PLACES.items():
        path = path.replace(name, value)
    return path


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_nothing_without_a_token(plant: Plant, program: Programs, method: str, path: str) -> None:
    """Every operation, those that come later too: no token, one of nobody's form, a session's cookie."""
    nobody, before = program(None), len(plant.events())
    nobody.client.cookies.set("flowc", "a" * 43)
    for header in ({}, {"Authorization": "Basic bGk6eA=="}, {"Authorization": "Bearer flowc_000000000000_" + "a" * 43}):
        answer = nobody.ask(method, place(path), headers=header, json={"nonsense": 1} if method == "POST" else None)
        assert refusal(answer) == (401, "bad-token") and answer.headers["www-authenticate"] == "Bearer"
        assert answer.headers["cache-control"] == "no-store" and "set-cookie" not in answer.headers
    assert {one.kind for one in plant.events()[before:]} <= {"token-refused"}


def test_a_token_ends_at_once(site: Site, program: Programs) -> None:
    """Revoked, or its user's role taken away, it is worth no more than that."""
    bot = program("bot")
    run = bot.post("/runs", {"workflow": LIMIT, "inputs": {"amount": 1}})["run"]
    with site.workspace.transaction() as connection:
        set_roles(connection, "bot", frozenset(), "wen")
    assert bot.refused("POST", "/runs", {"workflow": LIMIT, "inputs": {"amount": 1}}) == (403, "not-allowed")
    with site.workspace.transaction() as connection:
        revoke_token(connection, bot.headers["Authorization"].split("_")[1], "wen")
    assert bot.refused("GET", f"/runs/{run}") == (401, "bad-token")


DEEP = b'{"workflow": "limit-check", "inputs": {"amount": ' + b"[" * 50_000 + b"]" * 50_000 + b"}}"
JSON = "application/json"
BODIES: dict[str, tuple[bytes, str, tuple[int, str]]] = {
    "nothing": (b"", JSON, (422, "bad-arguments")),
    "no JSON": (b"{", JSON, (422, "bad-arguments")),
    "a list": (b"[]", JSON, (422, "bad-arguments")),
    "a form": (b"workflow=limit-check", "application/x-www-form-urlencoded", (415, "wrong-media-type")),
    "JSON that says nothing": (b"{}", "", (415, "wrong-media-type")),
    "text": (b'{"workflow": "limit-check"}', "text/plain", (415, "wrong-media-type")),
    "too deep for Python": (DEEP, JSON, (413, "too-large")),
    "too deep": (DEEP.replace(b"[" * 49_000, b"").replace(b"]" * 49_000, b""), JSON, (422, "bad-arguments")),
    "too long": (b'{"workflow": "' + b"a" * 70_000 + b'"}', JSON, (413, "too-large")),
    "much too long": (b'{"workflow": "' + b"a" * (2 * FORM_BYTES) + b'"}', JSON, (413, "too-large")),
    "no UTF-8": (b'{"workflow": "\xff"}', JSON, (422, "bad-arguments")),
    "UTF-16": ('{"workflow": "limit-check"}'.encode("utf-16"), JSON, (422, "bad-arguments")),
    "half a character": (b'{"workflow": "limit-check", "inputs": {"\\ud800": 1}}', JSON, (422, "bad-arguments")),
    "a zero byte": (b'{"workflow": "limit-check", "inputs": {"note": "\\u0000"}}', JSON, (422, "bad-arguments")),
    "no number": (b'{"workflow": "limit-check", "inputs": {"amount": NaN}}', JSON, (422, "bad-arguments")),
    "an endless number": (b'{"workflow": "limit-check", "inputs": {"amount": 1e999}}', JSON, (422, "bad-arguments")),
    "a number of 5000 digits": (b'{"inputs": {"amount": ' + b"9" * 5000 + b"}}", JSON, (422, "bad-arguments")),
    "a field twice": (b'{"workflow": "limit-check", "workflow": "b"}', JSON, (422, "bad-arguments")),
    "an unknown field": (b'{"workflow": "limit-check", "user": "wen"}', JSON, (422, "bad-arguments")),
    "an unknown input": (b'{"workflow": "limit-check", "inputs": {"amout": 1}}', JSON, (422, "bad-inputs")),
    "a word for yes": (b'{"workflow": "limit-check", "ask": "yes"}', JSON, (422, "bad-arguments")),
    "no name": (b'{"workflow": "../limit"}', JSON, (422, "bad-arguments")),
    "a name with a line": (b'{"workflow": "limit-check\\n"}', JSON, (422, "bad-arguments")),
}


@pytest.mark.parametrize("what", BODIES)
def test_bodies_that_cannot_be(plant: Plant, program: Programs, what: str) -> None:
    """Are refused by an operator's program and an agent's, begin nothing, and the server goes on."""
    body, media_type, expected = BODIES[what]
    for name in ("li", "bot"):
        who = program(name)
        headers = {"Content-Type": media_type} if media_type else {}
        assert refusal(who.ask("POST", "/runs", content=body, headers=headers)) == expected
        assert who.ask("GET", "/runs").status_code == 200
    assert not [one for one in plant.events() if one.kind == "began"]


def test_a_large_number_is_a_value(program: Programs) -> None:
    """Of 400 digits it is taken or refused, and never a fault of the server."""
    body = b'{"workflow": "limit-check", "inputs": {"amount": ' + b"9" * 400 + b"}}"
    answer = program("li").ask("POST", "/runs", content=body, headers={"Content-Type": JSON})
    assert answer.status_code in (201, 422)


def test_a_body_in_pieces_is_counted(program: Programs) -> None:
    """Whatever is said of its length."""
    pieces = (b"x" * 10_000 for _ in range(300))
    answer = program("li").ask("POST", "/runs", content=pieces, headers={"Content-Type": JSON})
    assert refusal(answer) == (413, "too-large")


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/runs/..%2f..", (404, "unknown-place")), ("GET", "/nothing", (404, "unknown-place")),
        ("GET", "/", (404, "unknown-place")), ("DELETE", "/runs", (405, "wrong-method")),
        ("PUT", "/runs/e-1", (405, "wrong-method")), ("GET", "/runs/e-1%00", (422, "bad-arguments")),
        ("GET", "/runs/%ff", (422, "bad-arguments")), ("GET", "/runs/e-1'--", (422, "bad-arguments")),
        ("GET", "/runs/" + "e-" + "1" * 5000, (422, "bad-arguments")),
        ("GET", "/runs?limit=0", (422, "bad-arguments")), ("GET", "/runs?limit=9999", (422, "bad-arguments")),
        ("GET", "/runs?state=done", (422, "bad-arguments")), ("GET", "/runs?limit=x&state=y", (422, "bad-arguments")),
        ("GET", "/runs?principal=bot", (422, "bad-arguments")), ("GET", "/runs/e-1?x=1", (422, "bad-arguments")),
        ("GET", "/runs?cursor=WyIxIl0", (422, "bad-arguments")), ("GET", "/runs?cursor=%F0%9F", (422, "bad-arguments")),
        ("GET", "/runs?cursor=WyJcdWQ4MDAiLCJhIl0", (422, "bad-arguments")),
        ("GET", "/runs?cursor=" + "A" * 401, (422, "bad-arguments")),
        ("GET", "/runs/e-000000000000", (403, "not-allowed")), ("GET", "/tasks/t-000000000000", (404, "unknown-task")),
        ("GET", "/workflows/nothing-such", (404, "unknown-version")),
        ("GET", "/workflows/limit-check@v9", (404, "unknown-version")),
        ("GET", "/workflows/limit-check@v999999", (404, "unknown-version")),
        ("GET", "/workflows/limit-check@v0", (422, "bad-arguments")),
        ("GET", "/registry/versions/limit-check@v9", (404, "unknown-version")),
        ("GET", "/registry/diff?before=limit-check@v1", (422, "bad-arguments")),
        ("POST", "/workflows/search", (422, "bad-arguments")),
        ("GET", "/workflows/search", (404, "unknown-version")),
    ],
)  # fmt: skip
def test_addresses_that_lead_nowhere(program: Programs, method: str, path: str, expected: tuple[int, str]) -> None:
    """Each has its code."""
    assert program("li").refused(method, path) == expected


def test_what_takes_no_body_takes_none(program: Programs) -> None:
    """What would be lost is refused."""
    li = program("li")
    assert li.refused("POST", "/tasks/t-1/claim", {"for": "zhao"}) == (422, "bad-arguments")
    answer = li.ask("GET", "/runs", content=b'{"limit": 1}', headers={"Content-Type": JSON})
    assert refusal(answer) == (422, "bad-arguments")


def test_nobody_does_the_task_of_another(plant: Plant, program: Programs) -> None:
    """Who has not its role neither sees nor claims nor answers nor delegates it; nor with a token for less."""
    li, guest, wang = program("li"), program("guest"), program("wang")
    run = li.post("/runs", {"workflow": LIMIT, "ask": True})["run"]
    with plant.host.workspace.transaction() as connection:
        (task,) = tasks(connection, execution=run)
    acts = (
        ("GET", "", None), ("POST", "/claim", None), ("POST", "/give-back", None),
        ("POST", "/delegate", {"to": "guest"}), ("POST", "/answer", {"values": {"amount": 1}}),
    )  # fmt: skip
    before = len(plant.events())
    for who in (guest, wang, program("bot")):
        for method, path, body in acts:
            assert who.refused(method, f"/tasks/{task.id}{path}", body) == (403, "not-allowed"), path
    narrow = program("li", workflows=(HAZMAT,))
    for method, path, body in (acts[0], *acts[1:3]):
        assert narrow.refused(method, f"/tasks/{task.id}{path}", body) == (403, "out-of-scope"), path
    assert narrow.get("/tasks")["items"] == []
    assert {one.kind for one in plant.events()[before:]} <= {"agent-called", "token-made"}
    assert li.post(f"/tasks/{task.id}/answer", {"values": {"amount": 1}})["status"] == "done"
    assert li.refused("POST", f"/tasks/{task.id}/answer", {"values": {"amount": 1}}) == (409, "task-closed")


def test_who_asked_does_not_let_it_begin(program: Programs) -> None:
    """An operator with the agent's token beside its own is no way round: an agent's request is decided by another."""
    bot, li = program("bot"), program("li")
    run = bot.post("/runs", {"workflow": HAZMAT, "inputs": INPUTS})["run"]
    (task,) = [one for one in li.get("/tasks")["items"] if one["run"] == run]
    assert bot.refused("POST", f"/tasks/{task['task']}/answer", {"values": {"approved": True}}) == (403, "not-allowed")


def test_calls_are_counted(plant: Plant, program: Programs, site: Site) -> None:
    """More than there may be are refused with how long to wait, whoever makes them."""
    li = program("li")
    site.rates.__dict__["most"] = 2
    assert [li.ask("GET", "/runs").status_code for _ in range(3)] == [200, 200, 429]
    answer = li.ask("GET", "/runs")
    assert refusal(answer) == (429, "too-many-calls") and 0 < int(answer.headers["retry-after"]) <= 61


def test_faults_show_no_trace(program: Programs, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of ours says that it is one, and nothing of the source."""

    def broken(*_: object) -> None:
        raise RuntimeError("a secret of the source")

    bot = program("bot")
    monkeypatch.setattr("server.rest.runs.executions_after", broken)
    answer = bot.ask("GET", "/runs")
    assert refusal(answer) == (500, "internal-error") and "secret" not in answer.text
    monkeypatch.undo()
    assert bot.get("/runs") == {"items": [], "next_page": None}


def test_other_names_are_not_answered(program: Programs) -> None:
    """A name of somebody else's that leads to this machine."""
    answer = program("li").ask("GET", "/runs", headers={"Host": "evil.example"})
    assert answer.status_code == 400 and "items" not in answer.text


def test_the_description_takes_no_token_and_tells_nothing(program: Programs) -> None:
    """It is the same for everybody and holds nothing of the workspace."""
    answer: Any = program(None).client.get(f"{PREFIX}/openapi.json")
    assert answer.status_code == 200 and answer.json() == description()
    assert not {HAZMAT + "@v9", "wen", "rui"} & set(json.dumps(answer.json()).split('"'))
