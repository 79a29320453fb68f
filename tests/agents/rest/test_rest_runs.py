"""Runs by REST: begun once under a key, listed, seen, given what they lack, answered, replayed; who may what."""

from collections.abc import Callable
from typing import Any

import pytest
from agent_plant import CHECKED, HAZMAT, INPUTS, LIMIT, SECRET, Plant, limit_check
from rest_programs import DIRECTOR, Programs, site_over

from agents.tools import FIXED
from evals.executions.recorded import published
from runtime.privacy.settings import Privacy
from store.tokens import tokens
from store.users import READ, START, TASK

WITHOUT = {name: value for name, value in INPUTS.items() if name != "shipment_id"}
Until = Callable[..., Any]


def test_a_consignment_asks_whether_it_may_go(plant: Plant, program: Programs, until: Until) -> None:
    """From the question to the answer, by programs of an agent, an operator and the safety director."""
    bot, li, wang = program("bot", (READ, START)), program("li"), program(DIRECTOR, (TASK,))
    found = bot.post("/workflows/search", {"task": "用公路运输5吨硫酸是否合规"})["found"]
    assert found[0]["workflow"] == f"{HAZMAT}@v1" and found[0]["inputs"]
    foreseen = bot.post(f"/workflows/{HAZMAT}/dry-run", {"inputs": WITHOUT})
    assert [*foreseen["missing"]] == ["shipment_id"] and not foreseen["begins_by_itself"]
    begun = bot.ask("POST", "/runs", json={"workflow": HAZMAT, "inputs": WITHOUT, "ask": True})
    run = begun.json()["run"]
    assert begun.status_code == 201 and begun.headers["location"] == f"/api/v1/runs/{run}"
    told = until(bot, run, "waiting")
    assert [one["kind"] for one in told["waits"]] == ["start"] and told["outputs"] == {}
    told = bot.post(f"/runs/{run}/values", {"values": {"shipment_id": "SHIP-2026-00019"}})
    assert bot.refused("POST", f"/runs/{run}/values", {"values": {"shipment_id": "x"}}) == (409, "nothing-missing")
    until(bot, run, "waiting")
    (task,) = [one for one in li.get("/tasks")["items"] if one["run"] == run]
    shown = li.get(f"/tasks/{task['task']}")
    assert shown["shown"]["asked by"] == "bot" and shown["answer"]["required"] == ["approved"]
    done = li.post(f"/tasks/{task['task']}/answer", {"values": {"approved": True}, "shown": shown["digest"]})
    assert done["status"] == "done"
    told = until(bot, run, "waiting")
    while told["waits"] == [] or told["waits"][0]["who"] != ["安全总监"]:
        told = bot.get(f"/runs/{run}")
    (task,) = wang.get("/tasks")["items"]
    shown = wang.get(f"/tasks/{task['task']}")
    address = f"/tasks/{task['task']}"
    before = {one["node"]: one for one in shown["before"]}
    assert [*before] == ["identify", "level", "mode_check", "filing", "summary"] and "before" not in shown["shown"]
    assert before["filing"]["title"] == "备案核查" and before["filing"]["gave"]["has_filing"] is False
    assert before["mode_check"]["performer"] == "rules" and before["mode_check"]["words"]
    assert wang.refused("POST", f"{address}/answer", {"values": {"approved": True}}) == (422, "bad-answer")
    other = {"values": {"approved": True}, "shown": "sha256:" + "0" * 64}
    assert wang.refused("POST", f"{address}/answer", other) == (422, "bad-answer")
    assert wang.post(f"{address}/claim")["mine"]
    wang.post(f"{address}/answer", {"values": {"approved": True}, "shown": shown["digest"]})
    told = until(bot, run, "completed", "failed")
    assert (told["state"], told["outputs"]["compliant"]) == ("completed", False)
    assert told["outputs"]["decision_code"] == "NOT_COMPLIANT_MISSING_FILING" and told["text"]
    assert bot.get(f"/runs/{run}/replay")["same"]
    explained = bot.get(f"/runs/{run}/explanation")
    assert explained["because"] and explained["steps"] is None
    steps = li.get(f"/runs/{run}/explanation")["steps"]
    assert "filing" in [one["node"] for one in steps]
    changed = li.post(f"/runs/{run}/what-if", {"changes": {"$.outputs.summary.compliant": True}})
    assert changed["outputs"]["compliant"] is True
    kinds = [one["kind"] for one in li.get(f"/runs/{run}/events", limit=200)["items"]]
    assert kinds[0] == "began" and "ended" in kinds and "agent-called" in kinds


def test_a_key_begins_one_run(plant: Plant, program: Programs, until: Until) -> None:
    """The same request is the same run, whatever became of it; another request under it is refused."""
    bot, other = program("bot"), program("other")
    key = {"Idempotency-Key": "order-7"}
    body = {"workflow": LIMIT, "inputs": {"amount": 5}}
    run = bot.post("/runs", body, **key)["run"]
    until(bot, run, "completed")
    assert bot.post("/runs", body, **key)["run"] == run
    assert bot.post("/runs", {"ask": False, **body}, **key)["run"] == run
    for changed in ({"inputs": {"amount": 6}}, {"ask": True}, {"workflow": f"{LIMIT}@v1"}):
        assert bot.refused("POST", "/runs", {**body, **changed}, **key) == (409, "key-reused")
    assert other.post("/runs", body, **key)["run"] != run
    assert bot.post("/runs", body)["run"] != run != bot.post("/runs", body, **{"Idempotency-Key": "order-8"})["run"]
    assert len([one for one in plant.events(run) if one.kind == "began"]) == 1
    assert bot.refused("POST", "/runs", body, **{"Idempotency-Key": "a b"}) == (422, "bad-arguments")


def test_a_key_begins_nothing_that_was_refused(plant: Plant, program: Programs) -> None:
    """What does not fit begins nothing, and may be mended under the same key."""
    bot, key = program("bot"), {"Idempotency-Key": "k"}
    assert bot.refused("POST", "/runs", {"workflow": LIMIT, "inputs": {}}, **key) == (422, "bad-inputs")
    assert bot.post("/runs", {"workflow": LIMIT, "inputs": {"amount": 1}}, **key)["run"]


def test_runs_are_listed_by_page(plant: Plant, program: Programs, until: Until) -> None:
    """An agent sees its own, readers and operators all; filters and pages lose none."""
    bot, other, rui = program("bot"), program("other"), program("rui", (READ,))
    own = [bot.post("/runs", {"workflow": LIMIT, "inputs": {"amount": one}})["run"] for one in range(5)]
    foreign = other.post("/runs", {"workflow": LIMIT, "inputs": {"amount": 5}})["run"]
    for who, run in ((bot, own[-1]), (other, foreign)):
        until(who, run, "completed")
    assert paged(bot, "/runs", limit=2) == own[::-1]
    assert paged(other, "/runs") == [foreign]
    assert paged(rui, "/runs", limit=1) == [foreign, *own[::-1]]
    assert set(paged(rui, "/runs", state="completed", workflow=LIMIT)) >= {own[-1], foreign}
    assert paged(rui, "/runs", workflow=HAZMAT) == paged(rui, "/runs", state="paused") == []
    assert paged(program("rui", (READ,), (HAZMAT,)), "/runs") == []
    assert bot.refused("GET", "/runs?cursor=xx") == (422, "bad-arguments")


def paged(who: Any, path: str, **params: Any) -> list[str]:
    """All ids of a list, page by page."""
    found, cursor = [], {}
    while True:
        page = who.get(path, **params, **cursor)
        found += [one["run"] for one in page["items"]]
        if page["next_page"] is None:
            return found
        cursor = {"cursor": page["next_page"]}


def test_a_run_is_paused_resumed_and_cancelled(plant: Plant, program: Programs, until: Until) -> None:
    """By who began it and by operators; the reason is kept; what ended cannot be steered."""
    bot, li = program("bot"), program("li")
    run = bot.post("/runs", {"workflow": LIMIT, "ask": True})["run"]
    bot.post(f"/runs/{run}/pause", {"reason": "wait"})
    until(bot, run, "paused")
    assert bot.get("/runs", state="paused")["items"][0]["run"] == run
    li.post(f"/runs/{run}/resume")
    until(bot, run, "waiting")
    li.post(f"/runs/{run}/cancel", {"reason": "withdrawn"})
    until(bot, run, "cancelled")
    assert bot.refused("POST", f"/runs/{run}/cancel") == (409, "already-ended")
    reasons = [one.body.get("reason") for one in plant.events(run) if one.kind.endswith("-asked")]
    assert reasons == ["wait", "", "withdrawn"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None), ("GET", "/explanation", None), ("GET", "/replay", None), ("POST", "/pause", None),
        ("POST", "/resume", None), ("POST", "/cancel", None), ("POST", "/values", {"values": {"amount": 1}}),
    ],
)  # fmt: skip
def test_nobody_has_the_run_of_another(plant: Plant, program: Programs, method: str, path: str, body: Any) -> None:
    """Nor is an agent told whether there is one; each refusal is in the audit."""
    other = program("other")
    run = program("bot").post("/runs", {"workflow": LIMIT, "ask": True})["run"]
    for name in (run, "e-000000000000"):
        assert other.refused(method, f"/runs/{name}{path}", body) == (403, "not-allowed")
    called = [one for one in plant.events() if one.kind == "agent-called" and one.principal == "other"]
    assert [one.body["code"] for one in called] == ["not-allowed"] * 2 and called[0].execution == run
    assert {one.body["over"] for one in called} == {"rest"}
    with plant.host.workspace.transaction() as connection:
        (token,) = [one.id for one in tokens(connection) if one.user == "other"]
    assert {one.body["token"] for one in called} == {token}


def test_what_can_be_done_is_told_in_words_of_these_operations(program: Programs, until: Until) -> None:
    """With method and path, and no tool of the other protocol is named, wherever a run stands."""
    bot = program("bot")
    waiting = bot.post("/runs", {"workflow": LIMIT, "ask": True})
    ended = until(bot, bot.post("/runs", {"workflow": LIMIT, "inputs": {"amount": 1}})["run"], "completed")
    paused = until(bot, bot.post(f"/runs/{waiting['run']}/pause")["run"], "paused")
    cancelled = bot.post(f"/runs/{waiting['run']}/cancel")
    told = [waiting, ended, paused, until(bot, cancelled["run"], "cancelled")]
    told.append(bot.get(f"/runs/{ended['run']}/explanation"))
    assert f"POST /runs/{waiting['run']}/values" in waiting["next"]
    assert f"POST /runs/{waiting['run']}/resume" in paused["next"]
    assert f"GET /runs/{ended['run']}/explanation" in ended["next"]
    assert not [one["next"] for one in told if any(name in one["next"] for name in FIXED)]


def test_runs_are_listed_with_how_they_ended(plant: Plant, program: Programs, until: Until) -> None:
    """What a rule refused is not as what it granted, though both completed; a run that goes on has no end."""
    bot, runs = program("bot"), []
    for within in (True, False):
        plant.systems.gives = {"check": {**CHECKED, "within_limit": within}}
        runs.append(until(bot, bot.post("/runs", {"workflow": LIMIT, "inputs": {"amount": 1}})["run"], "completed"))
    waiting = bot.post("/runs", {"workflow": LIMIT, "ask": True})["run"]
    granted, refused = (one["run"] for one in runs)
    ends = {one["run"]: (one["state"], one["end"]) for one in bot.get("/runs")["items"]}
    assert (ends[granted], ends[refused]) == (("completed", "completed"), ("completed", "rejected"))
    assert ends[waiting][1] is None
    assert [one["run"] for one in bot.get("/runs", end="rejected", state="completed")["items"]] == [refused]
    assert bot.get("/runs", end="undecided")["items"] == []
    assert bot.refused("GET", "/runs?end=refused") == (422, "bad-arguments")


@pytest.mark.parametrize(("method", "path"), [("POST", "/what-if"), ("GET", "/events")])
def test_agents_see_nothing_of_how_a_run_went(program: Programs, method: str, path: str) -> None:
    """Not even of their own."""
    bot = program("bot")
    run = bot.post("/runs", {"workflow": LIMIT, "inputs": {"amount": 1}})["run"]
    body = {"changes": {"$.inputs.amount": 2}} if method == "POST" else None
    assert bot.refused(method, f"/runs/{run}{path}", body) == (403, "not-allowed")


def test_a_workflow_that_is_not_allowed(program: Programs) -> None:
    """Is refused to agents whether there is one or not, and to anybody whose token does not reach it."""
    bot, narrow = program("bot"), program("li", workflows=(HAZMAT,))
    for name in (SECRET, "nothing-such"):
        assert bot.refused("POST", "/runs", {"workflow": name}) == (403, "not-allowed")
        assert bot.refused("GET", f"/workflows/{name}") == (403, "not-allowed")
        assert bot.refused("POST", f"/workflows/{name}/dry-run", {}) == (403, "not-allowed")
    assert narrow.refused("POST", "/runs", {"workflow": LIMIT, "inputs": {"amount": 1}}) == (403, "out-of-scope")
    assert narrow.refused("GET", f"/registry/versions/{LIMIT}@v1") == (403, "out-of-scope")
    assert narrow.refused("GET", f"/runs?workflow={LIMIT}") == (403, "out-of-scope")
    assert [one["workflow"] for one in narrow.get("/workflows")["items"]] == [HAZMAT]
    assert {one["workflow"] for one in narrow.get("/registry/versions")["items"]} == {HAZMAT}


def test_scopes_are_asked_for(plant: Plant, program: Programs) -> None:
    """Nothing is begun without `start`, seen without `read`, and no task without `task`."""
    reading, starting, tasks = (program("li", (one,)) for one in (READ, START, TASK))
    wanted = {"workflow": LIMIT, "inputs": {"amount": 1}}
    assert reading.refused("POST", "/runs", wanted) == (403, "out-of-scope")
    assert starting.refused("POST", "/runs", wanted) == (403, "out-of-scope")  # its answer tells of the run
    assert not [one for one in plant.events() if one.kind == "began"]
    run = program("li", (READ, START)).post("/runs", wanted)["run"]
    assert reading.get(f"/runs/{run}")["run"] == run
    assert reading.refused("POST", f"/runs/{run}/pause") == (403, "out-of-scope")
    assert reading.refused("GET", "/tasks") == starting.refused("GET", "/tasks") == (403, "out-of-scope")
    for path in ("/workflows", "/runs", f"/runs/{run}", f"/runs/{run}/events", "/registry/versions"):
        assert tasks.refused("GET", path) == (403, "out-of-scope")
    assert tasks.get("/tasks") == {"items": [], "next_page": None}


def test_roles_are_asked_for(program: Programs) -> None:
    """Who has no role of the workspace sees nothing but own tasks; a reader begins nothing; agents have no tasks."""
    guest, rui, bot = program("guest"), program("rui"), program("bot")
    for path in ("/workflows", f"/workflows/{LIMIT}", "/registry/versions", f"/registry/versions/{LIMIT}@v1"):
        assert guest.refused("GET", path) == (403, "not-allowed")
    assert guest.get("/runs")["items"] == guest.get("/tasks")["items"] == []
    for who in (guest, rui):
        assert who.refused("POST", "/runs", {"workflow": LIMIT, "inputs": {"amount": 1}}) == (403, "not-allowed")
    run = program("li").post("/runs", {"workflow": LIMIT, "ask": True})["run"]
    assert rui.refused("POST", f"/runs/{run}/cancel") == guest.refused("GET", f"/runs/{run}") == (403, "not-allowed")
    assert bot.refused("GET", "/tasks") == bot.refused("GET", "/tasks/t-1") == (403, "not-allowed")
    for path in ("/registry/versions", f"/registry/versions/{LIMIT}@v1", "/registry/diff?before=a@v1&after=a@v2"):
        assert bot.refused("GET", path) == (403, "not-allowed")


class TestOfPersonalValues:
    """What is personal is masked to whoever may not read it."""

    @pytest.fixture
    def privacy(self) -> Privacy:
        """Notes are personal; nobody who comes by token reads them."""
        return Privacy(fields={f"{LIMIT}.note": "personal", f"{LIMIT}.amount": "personal"})

    def test_they_are_masked(self, plant: Plant, program: Programs, until: Until) -> None:
        """In the record, the explanation and what would have been."""
        li = program("li")
        run = li.post("/runs", {"workflow": LIMIT, "inputs": {"amount": 77, "note": "Zhang San"}})["run"]
        until(li, run, "completed")
        for path in (f"/runs/{run}/events", f"/runs/{run}/explanation", f"/runs/{run}"):
            text = li.ask("GET", path).text
            assert "Zhang San" not in text
            assert ":77" not in text
        (began, *_) = li.get(f"/runs/{run}/events")["items"]
        assert began["body"]["inputs"]["note"] == {"masked": "personal"}

    def test_who_was_given_a_task_sees_what_it_shows(self, plant: Plant, program: Programs) -> None:
        """Without its role, by delegation: all that the answer is about, and its digest; others see nothing of it."""
        published(plant.host, limit_check(auto=False))
        bot, li, guest = program("bot"), program("li"), program("guest")
        run = bot.post("/runs", {"workflow": LIMIT, "inputs": {"amount": 77}})["run"]
        (task,) = [one["task"] for one in li.get("/tasks")["items"] if one["run"] == run]
        assert guest.refused("GET", f"/tasks/{task}") == (403, "not-allowed")
        li.post(f"/tasks/{task}/delegate", {"to": "guest", "reason": "on leave"})
        assert [one["task"] for one in guest.get("/tasks", which="mine")["items"]] == [task]
        shown = guest.get(f"/tasks/{task}")
        assert shown["shown"]["inputs"] == {"amount": 77} and shown["digest"]
        guest.post(f"/tasks/{task}/answer", {"values": {"approved": True}, "shown": shown["digest"]})
        assert guest.get("/tasks")["items"] == []


def test_a_run_that_may_not_begin_by_itself(plant: Plant, program: Programs, tmp_path: Any) -> None:
    """Is refused where the settings say so, as over the other protocol."""
    strict = site_over(plant.with_agency(diverted="refuse"), tmp_path)
    bot = program("bot", over=strict)
    assert bot.refused("POST", "/runs", {"workflow": HAZMAT, "inputs": INPUTS}) == (403, "not-automatic")
    strict.compiling.close()
