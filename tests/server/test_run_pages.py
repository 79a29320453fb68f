"""Runs in the browser: begun from a form, followed, told, replayed and walked with other values, steered."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from conftest import Answer, Browser, Browsers
from run_site import HAZMAT, INPUTS, KEY, TYPED, begun, done, ended, open_task, publish_hazmat, work
from starlette.testclient import TestClient

from runtime.commands import answer
from runtime.executions import execution_of
from runtime.forget import forget
from runtime.forms import Execution
from runtime.privacy.settings import Privacy
from server.app import make_app
from server.site import Site

START = f"/registry/{HAZMAT}/v1/start"
RUN = f"/runs/e-{KEY}"


@pytest.fixture
def site(site: Site, kept_password: str) -> Site:
    """With the first case published."""
    publish_hazmat(site, kept_password)
    return site


def now_of(site: Site, execution: str = f"e-{KEY}") -> Execution:
    """A run as it stands."""
    with site.workspace.database.transaction() as connection:
        return execution_of(connection, execution)


def test_a_run_is_begun_from_the_page_of_its_version(site: Site, browser: Browsers) -> None:
    """By a form of its inputs, with names, units and choices of the fields; sent twice it begins one run."""
    oda = browser("oda")
    assert f'href="{START}"' in oda.get(f"/registry/{HAZMAT}/v1").text
    form = oda.get(START).text
    assert "quantity in kilograms" in form and "a number in kg" in form and 'type="number"' in form
    assert all(f'value="{one}"' in form for one in ("公路", "铁路", "水路", "航空"))
    for _ in range(2):
        assert oda.send(START, key=KEY, **TYPED).path == RUN
    work(site)
    found = now_of(site)
    assert found.progress.run.inputs == INPUTS and found.principal == "oda"
    assert oda.get("/runs").text.count('href="/runs/e-') == 1
    assert "危险化学品运输合规判定" in oda.get(RUN).text


def test_what_does_not_fit_is_told_beside_the_field(site: Site, browser: Browsers) -> None:
    """In the reader's language, with what was typed; nothing begins. What is missing may be left to a person."""
    oda = browser("oda")
    wrong = oda.send(START, key=KEY, **{"field/quantity_kg": "五吨", "field/transport_mode": "管道"})
    assert wrong.status == 400 and 'value="五吨"' in wrong.text and f'value="{KEY}"' in wrong.text
    for name, told in (("quantity_kg", "does not fit"), ("transport_mode", "does not fit"), ("shipment_id", "is miss")):
        assert re.search(rf'id="field/{name}-fault">{told}', wrong.text), name
    assert 'href="#field/quantity_kg"' in wrong.text
    chinese = oda.get("/language/zh?next=/runs")
    assert "没有符合条件的运行" in chinese.text
    again = oda.send(START, key=KEY, ask="true", **{"field/quantity_kg": "-1e", "field/substance_name": "硫酸"})
    assert "不合要求" in again.text and 'id="field/shipment_id-fault"' not in again.text
    assert oda.send(START, key=KEY, ask="true", **{"field/substance_name": "硫酸"}).path == RUN
    work(site)
    assert now_of(site).progress.asked == ("shipment_id", "quantity_kg", "transport_mode")
    assert oda.send(START, key="x", **TYPED).code == "bad-form"


def test_only_operators_begin_and_steer(site: Site, browser: Browsers) -> None:
    """Others are told which role it takes; a director with no role of the workspace sees no runs at all."""
    found = begun(site)
    for name in ("rui", "li", "zhao"):
        other = browser(name)
        assert (other.get(START).status, other.get(START).code) == (403, "not-allowed")
        assert other.send(START, key=KEY, **TYPED).code == "not-allowed"
        assert START not in other.get(f"/registry/{HAZMAT}/v1").text
        assert other.get(f"/runs/{found.id}").status == 200
        for what in ("pause", "resume", "cancel"):
            assert other.send(f"/runs/{found.id}/{what}", reason="x").code == "not-allowed"
    dan = browser("dan")
    for address in ("/runs", f"/runs/{found.id}", f"/runs/{found.id}/events", f"/runs/{found.id}/replay"):
        assert (dan.get(address).status, dan.get(address).code) == (403, "not-allowed")
    assert now_of(site, found.id).status == "waiting_human"


def test_the_list_is_narrowed(site: Site, browser: Browsers) -> None:
    """By status, workflow, and who began it."""
    found = begun(site)
    oda, wen = browser("oda"), browser("wen")
    link = f'href="/runs/{found.id}"'
    for query in ("", "?status=waiting_human", f"?workflow={HAZMAT}", "?mine=true"):
        assert link in oda.get(f"/runs{query}").text, query
    for query in ("?status=completed", "?workflow=other", "?page=2"):
        assert link not in oda.get(f"/runs{query}").text, query
    assert link not in wen.get("/runs?mine=true").text
    assert oda.get("/runs?status=sleeping").code == "bad-form"


def test_the_list_says_how_runs_ended(site: Site, browser: Browsers) -> None:
    """One that was refused apart from one that completed, in both languages, and found by it."""
    oda, granted, refused = browser("oda"), begun(site), begun(site)
    ended(site, granted.id)
    while (task := open_task(site, refused.id)).kind != "approval":
        done(site, task)
    answer(site.host, site.workspace.user("dan"), task.id, {"approved": False}, task.digest)
    work(site)
    assert now_of(site, refused.id).status == now_of(site, granted.id).status == "completed"
    rows = {one: row for row in oda.get("/runs").text.split("<tr>") for one in (granted.id, refused.id) if one in row}
    assert '<span class="chip end-rejected">Rejected</span>' in rows[refused.id]
    assert '<span class="chip end-completed">Completed</span>' in rows[granted.id]
    narrowed = oda.get("/runs?end=rejected&status=completed").text
    assert f'href="/runs/{refused.id}"' in narrowed and f'href="/runs/{granted.id}"' not in narrowed
    assert '<option value="rejected" selected>' in narrowed
    assert oda.get("/runs?end=refused").code == "bad-form"
    assert 'class="chip end-rejected">Rejected<' in oda.get(f"/runs/{refused.id}").text
    assert 'class="chip end-' not in oda.get(f"/runs/{granted.id}").text  # its state says it
    chinese = oda.get("/language/zh?next=/runs").text
    assert ">驳回</span>" in chinese and "结局" in chinese


def states(answer: Answer) -> dict[str, str]:
    """The states of the nodes in a picture."""
    found = re.findall(r'class="node [^"]*is-(\w+)"[^>]*data-node="(\w+)"', answer.text)
    return {node: state for state, node in found}


def test_a_run_is_told_to_its_end(site: Site, browser: Browsers) -> None:
    """Picture, what it waits for, steps with the document's words, what happened, the answer; the same in parts."""
    oda = browser("oda")
    found = begun(site)
    waiting = oda.get(f"/runs/{found.id}")
    assert states(waiting)["identify"] == "waiting" and states(waiting)["done"] == "pending"
    assert f'href="/tasks/{open_task(site, found.id).id}"' in waiting.text and "waits for 物流部" in waiting.text
    assert '<noscript><meta http-equiv="refresh"' in waiting.text
    ended(site, found.id)
    whole = oda.get(f"/runs/{found.id}")
    assert states(whole)["done"] == states(whole)["approve"] == "succeeded" and states(whole)["rejected"] == "skipped"
    assert "is-taken" in whole.text and "refresh" not in whole.text
    assert "合规" in whole.text and "<blockquote>安全总监" in whole.text
    assert "by dan" in whole.text and "task opened" in whole.text and "hazard level" in whole.text
    part = oda.get(f"/runs/{found.id}/told").text
    assert "<svg" not in part and "<html" not in part and 'data-part="timeline"' in part
    assert oda.get("/runs/e-nothing").code == "unknown-execution"


def test_pause_resume_and_cancel(site: Site, browser: Browsers) -> None:
    """With reasons, which the timeline tells; a cancellation takes one; once it ended nothing is done."""
    oda, found = browser("oda"), begun(site)
    place = f"/runs/{found.id}"
    assert oda.send(f"{place}/pause", reason="a holiday").path == place
    work(site)
    paused = oda.get(place).text
    assert now_of(site, found.id).paused and f'action="{place}/resume"' in paused and "a holiday" in paused
    oda.send(f"{place}/resume")
    work(site)
    assert not now_of(site, found.id).paused
    assert oda.send(f"{place}/cancel", reason=" ").code == "bad-form"
    assert oda.send(f"{place}/cancel", reason="the order was withdrawn").path == place
    work(site)
    called_off = oda.get(place).text
    assert now_of(site, found.id).status == "cancelled" and "the order was withdrawn" in called_off
    assert f'action="{place}/cancel"' not in called_off
    assert oda.send(f"{place}/pause").code == "already-ended"


def test_replay_and_what_if(site: Site, browser: Browsers) -> None:
    """Replayed it comes to the same; with a refusal in place of the approval it ends as refused; nothing is written."""
    rui, found = browser("rui"), begun(site)
    ended(site, found.id)
    before = now_of(site, found.id)
    assert "The same path and result as recorded" in rui.get(f"/runs/{found.id}/replay").text
    place = f"/runs/{found.id}/what-if"
    form = rui.get(place).text
    assert 'name="$.outputs.approve/approved"' in form and 'name="$.inputs/quantity_kg"' in form
    refused = rui.send(place, page=place, **{"$.outputs.approve/approved": "false"})
    assert refused.status == 200 and re.search(r"<dt>End</dt><dd>refused", refused.text)
    unfit = rui.send(place, page=place, **{"$.inputs/quantity_kg": "much"})
    assert unfit.status == 400 and 'id="$.inputs/quantity_kg-fault"' in unfit.text and "<dt>End</dt>" not in unfit.text
    assert "Nothing was changed" in rui.send(place, page=place, **{"$.inputs/quantity_kg": ""}).text
    unknown = rui.send(place, page=place, **{"$.outputs.filing/has_filing?": "true"})
    assert unknown.status == 200
    assert now_of(site, found.id) == before


def test_personal_values_stay_hidden(site: Site, kept_password: str) -> None:
    """On every page of a run, for who has no role among their readers; once deleted, the pages say so."""
    secret = "SHIP-王小明-4711"
    private = replace(site.host, privacy=Privacy(concepts={"shipment_id": "personal"}))
    site = replace(site, host=private)
    found = begun(site, shipment_id=secret)
    ended(site, found.id)
    pages = ("", "/told", "/replay", "/what-if")
    with TestClient(make_app(site), base_url="http://127.0.0.1:8650") as client:
        rui = Browser(client)
        rui.sign_in("rui")
        for page in pages:
            told = rui.get(f"/runs/{found.id}{page}")
            assert told.status == 200 and secret not in told.text, page
        walked = rui.send(f"/runs/{found.id}/what-if", **{"$.outputs.approve/approved": "false"})
        assert walked.status == 200 and secret not in walked.text
        assert "•••" in rui.get(f"/runs/{found.id}").text
        rui.sign_in("wen")
        assert secret in rui.get(f"/runs/{found.id}").text
        forget(site.host, site.workspace.user("wen"), found.id, "asked for")
        after = rui.get(f"/runs/{found.id}")
        assert secret not in after.text and "Personal values were deleted" in after.text
        assert states(after)["approve"] == "succeeded"
        assert (rui.get(f"/runs/{found.id}/replay").status, rui.get(f"/runs/{found.id}/replay").code) == (
            409, "values-deleted",
        )  # fmt: skip


def told_by(lines: Iterator[str]) -> Iterator[dict[str, object]]:
    """The events of a stream."""
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def test_a_stream_tells_changes_and_ends_with_the_run(site: Site, address: str, browser: Browsers) -> None:
    """Each change of the picture, from how it stands to its end; who signs out hears nothing more."""
    import httpx

    found = begun(site)
    with httpx.Client(base_url=address, headers={"Origin": address}, follow_redirects=True) as client:
        client.post("/sign-in", data={"name": "rui", "password": "three old horses"})
        with client.stream("GET", f"/runs/{found.id}/events", timeout=20) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            heard = told_by(stream.iter_lines())
            first = next(heard)
            assert first["nodes"]["identify"] == ["waiting", "…"] and first["ended"] is False  # type: ignore[index]
            ended(site, found.id)
            last = [*heard][-1]
        assert last["ended"] is True and last["nodes"]["done"] == ["succeeded", "✓"]  # type: ignore[index]
        other = begun(site)
        with client.stream("GET", f"/runs/{other.id}/events", timeout=20) as stream:
            heard = told_by(stream.iter_lines())
            next(heard)
            token = re.search(r'name="csrf" value="([^"]+)"', client.get("/runs").text)
            assert token is not None
            client.post("/sign-out", data={"csrf": token[1]})
            ended(site, other.id)
            assert [*heard] == []
        assert "sign-in" in client.get(f"/runs/{found.id}/events").url.path
