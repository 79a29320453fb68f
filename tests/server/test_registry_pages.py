"""The registry in the browser: from a draft to deprecated, with what stands in the way and who may."""

import gc
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from conftest import Browsers

from ir.decisions.decision import FILE
from registry.versions import checked, version_of
from review.decide import decide, new_decision
from review.draft import open_draft
from review.queue import queue, unsettled
from server.site import Site
from store import audit
from store.tables import VERSIONS

SYSTEMS = ["ontology.identify_substance", "decision.check_transport_mode", "io.check_filing_status"]


def see_to_prohibitions(site: Site, workflow: str) -> None:
    """Have a reviewer accept, of the draft of the first case, all that is forbidden and that nothing enforces."""
    out = site.builds.build("hazmat").out
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    (out / "summary.json").write_text(json.dumps(summary | {"decisions": FILE}, ensure_ascii=False), "utf-8")
    draft = open_draft(out, workflow)
    bare = [one for one in unsettled(queue(draft)) if one.subject == "prohibition"]
    assert bare
    for item in bare:
        draft = decide(draft, new_decision(draft, item, "accept", author="ren", reason="the guard sees to it"))


def test_from_draft_to_deprecated(site: Site, browser: Browsers) -> None:
    """Submitted with owner and tags, handed in, given back, handed in, published by another user, deprecated."""
    li, zhao = browser("li"), browser("zhao")
    made = site.builds.build("hazmat").read()
    workflow = made.workflow(made.drafts[0]).workflow_id
    page = f"/registry/{workflow}/v1"
    see_to_prohibitions(site, workflow)
    assert (
        li.send("/registry/submit", build="hazmat", workflow=workflow, owner="物流部", tags="运输，安全").path == page
    )
    assert li.send(f"{page}/hand-in").path == page
    assert zhao.send(f"{page}/give-back", reason=" ").code == "bad-form"
    assert "say who signs" in zhao.send(f"{page}/give-back", reason="say who signs").text
    assert li.send(f"{page}/hand-in").path == page
    refused = zhao.send(f"{page}/publish")
    assert (refused.status, refused.code) == (409, "not-publishable")
    assert "Questions are open" in refused.text and all(one in refused.text for one in SYSTEMS)
    part = zhao.send(f"{page}/publish", accepted="asked them", people=SYSTEMS[:1])
    assert ">asked them</textarea>" in part.text and f'value="{SYSTEMS[0]}" checked' in part.text
    published = zhao.send(f"{page}/publish", accepted="asked the safety department", people=SYSTEMS)
    assert published.path == page and "state-published" in published.text
    assert zhao.send(f"{page}/publish", accepted="again", people=SYSTEMS).code == "wrong-state"
    with site.workspace.transaction() as connection:
        found = checked(version_of(connection, workflow, 1), site.workspace.key)
        kinds = [(one.kind, one.principal) for one in audit.events(connection) if one.kind.startswith("version-")]
    assert (found.definition.metadata.owner, found.definition.metadata.tags) == ("物流部", ("运输", "安全"))
    assert found.references.keys() == made.references().keys() and len(found.report.open_questions) == 21
    assert "state-deprecated" in zhao.send(f"{page}/deprecate", reason="the law has changed").text
    assert kinds == [
        ("version-draft", "li"), ("version-review", "li"), ("version-draft", "zhao"), ("version-review", "li"),
        ("version-published", "zhao"),
    ]  # fmt: skip


def test_who_submitted_does_not_publish_what_is_risky(site: Site, browser: Browsers, hazmat: str) -> None:
    """Not even with both roles; the page says so before anything is tried, and the owner is nobody else either."""
    with site.workspace.transaction() as connection:
        connection.execute(VERSIONS.update().values(state="review", author="both"))
    both = browser("both")
    page = f"/registry/{hazmat}/v1"
    assert "both submitted it; another user" in both.get(page).text
    assert "both submitted it" not in browser("zhao").get(page).text
    refused = both.send(f"{page}/publish", accepted="x", people=SYSTEMS)
    assert (refused.status, refused.code) == (409, "not-publishable")
    assert "another user with the role approver" in refused.text
    assert state(site) == "review"


def state(site: Site) -> str:
    """The state of the one version."""
    with site.workspace.transaction() as connection:
        return str(connection.execute(sa.select(VERSIONS.c.state)).scalar_one())


def test_what_stands_in_the_way_is_told_beforehand(browser: Browsers, hazmat: str) -> None:
    """All of it, as publishing would tell it, with the fields that answer it; a look changes nothing."""
    li, zhao = browser("li"), browser("zhao")
    li.send(f"/registry/{hazmat}/v1/hand-in")
    shown = zhao.get(f"/registry/{hazmat}/v1").text
    assert all(f'name="people" value="{one}"' in shown for one in SYSTEMS)
    assert 'name="accepted"' in shown and "Questions are open" in shown
    assert 'name="accepted"' not in li.get(f"/registry/{hazmat}/v1").text
    assert "state-review" in zhao.get(f"/registry/{hazmat}/v1").text


def test_the_approver_sees_what_changed(site: Site, browser: Browsers, hazmat: str) -> None:
    """By meaning and for callers, from the version that was published before."""
    li, zhao = browser("li"), browser("zhao")
    li.send(f"/registry/{hazmat}/v1/hand-in")
    zhao.send(f"/registry/{hazmat}/v1/publish", accepted="x", people=SYSTEMS)
    li.send("/registry/submit", build="hazmat", workflow=hazmat, owner="another")
    assert f'href="/registry/{hazmat}/v2/changes?against=1"' in zhao.get(f"/registry/{hazmat}/v2").text
    changes = zhao.get(f"/registry/{hazmat}/v2/changes?against=1").text
    assert "~</span> owner<" in changes and "another" in changes and "chip good" in changes
    zhao.client.headers["Accept-Language"] = "zh-CN"
    changes = zhao.get(f"/registry/{hazmat}/v2/changes?against=1").text
    assert "~</span> 负责人<" in changes and "another" in changes and ">流程</p>" in changes
    found = zhao.get(f"/registry/{hazmat}/v2").text.partition("条校验结果")[2].partition("</ul>")[0]
    assert found.count("<li>") > 5 and found.count("”：") > 5 and 'lang="en"' not in found and "metadata" not in changes
    assert zhao.get(f"/registry/{hazmat}/v2/changes?against=7").code == "unknown-version"
    assert zhao.get(f"/registry/{hazmat}/v2/changes?against=x").code == "bad-form"


def test_the_list_is_narrowed(site: Site, browser: Browsers, hazmat: str) -> None:
    """By state, owner and tag; where nothing fits it says so."""
    rui = browser("rui")
    link = f'href="/registry/{hazmat}/v1"'
    assert link in rui.get("/registry").text
    assert link in rui.get("/registry?state=draft&owner=&tag=").text
    assert link not in rui.get("/registry?state=published").text
    assert link not in rui.get("/registry?owner=nobody").text


@pytest.mark.parametrize(("language", "word"), [("zh-CN,zh;q=0.9", "发布前须解决"), ("en-GB,en", "stands in the way")])
def test_pages_are_in_the_language_that_is_asked_for(browser: Browsers, hazmat: str, language: str, word: str) -> None:
    """As the browser asks, unless the reader chose another."""
    rui = browser("rui")
    rui.client.headers["Accept-Language"] = language
    assert word in rui.get(f"/registry/{hazmat}/v1").text
    assert rui.get("/language/zh?next=/registry").path == "/registry"
    assert "注册表" in rui.get("/registry").text
    assert 'lang="zh-CN"' in rui.get("/registry").text


def test_a_version_shows_what_it_does(browser: Browsers, hazmat: str) -> None:
    """Its graph, what `flowc explain` says, its report and history; its definition as a draft's page has one."""
    shown = browser("rui").get(f"/registry/{hazmat}/v1").text
    assert "<svg" in shown and "Routes (" in shown and "sha256:" in shown and 'class="history"' in shown
    definition = browser("rui").get(f"/registry/{hazmat}/v1/definition").text
    assert 'src="/static/review.js"' in definition and 'role="tablist"' in definition
    assert browser("rui").get("/registry/none/v1").code == "unknown-version"


def test_pages_that_prove_are_asked_for_at_once(browser: Browsers, hazmat: str) -> None:
    """Several readers at the same moment: each gets the page, and the server goes on."""
    readers = [browser("rui"), browser("ren"), browser("zhao"), browser("li")]
    places = [f"/registry/{hazmat}/v1", f"/registry/{hazmat}/v1/definition", f"/drafts/hazmat/{hazmat}"]
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(one.get, place) for one in readers for place in places]
        assert [one.result().status for one in asked] == [200] * 12
    assert gc.isenabled()
