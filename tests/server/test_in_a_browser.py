"""The pages in a real browser: a draft is submitted by one user and published by another; no page has grave faults."""

from typing import Any

import pytest
from conftest import Person

from server.builds.folders import About
from server.site import Site
from store.clock import now


@pytest.mark.slow
def test_a_draft_is_submitted_and_published(site: Site, address: str, chromium: Any) -> None:
    """By two people, one in Chinese and one in English; every page on the way is held against axe and the policy."""
    made = site.builds.build("hazmat").read()
    workflow = made.workflow(made.drafts[0]).workflow_id
    stopped = site.builds.new(About(title="stopped", by="li", at=now()))
    li, zhao = Person(chromium, address, "zh-CN"), Person(chromium, address, "en-GB")
    li.open("/")
    li.sign_in("li")
    assert li.page.url == f"{address}/builds"
    for path in ("/builds/hazmat", f"/builds/{stopped.id}", "/nothing", "/registry",
                 *(f"/builds/hazmat/documents/{number}" for number in (1, 2, 3))):  # fmt: skip
        li.open(path)
    li.open(f"/drafts/hazmat/{workflow}/agreement")
    li.open(f"/drafts/hazmat/{workflow}")
    li.page.click("svg [data-node]")
    assert li.page.locator("svg .node.on").count() == 1
    li.page.wait_for_selector("#panel-card.open #card[data-graph-key='n0']")
    li.page.fill("input[name=owner]", "物流部")
    li.press(".bar-below button")
    li.press("form[action$='/hand-in'] button")
    zhao.open(f"/registry/{workflow}/v1")
    zhao.sign_in("zhao")
    assert zhao.page.url == f"{address}/registry/{workflow}/v1"
    zhao.press("form[action$='/publish'] button")
    assert "It was not published" in zhao.page.inner_text("main")
    zhao.open(f"/registry/{workflow}/v1", known=True)
    zhao.page.fill("textarea[name=accepted]", "asked the safety department")
    for box in zhao.page.locator("input[name=people]").all():
        box.check()
    zhao.press("form[action$='/publish'] button")
    assert zhao.page.locator(".head .state-published").count() == 1
    zhao.open(f"/registry/{workflow}/v1/definition")
    zhao.open("/registry")
    li.open(f"/drafts/hazmat/{workflow}", known=True)
    li.press(".bar-below button")
    li.open(f"/registry/{workflow}/v2/changes?against=1")
    assert li.faults == [] and zhao.faults == []


def test_progress_moves_by_itself(
    site: Site, address: str, chromium: Any, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """The page of a build that is being made tells how far it is, and is another once it is made."""
    build = site.builds.new(About(title="x", by="li", at=now()))
    assert build.folder is not None
    states = {build.id: "running"}
    monkeypatch.setattr(site.compiling, "_states", states)
    rui = Person(chromium, address, "en-GB")
    rui.open(f"/builds/{build.id}")
    rui.sign_in("rui")
    (build.folder / "compile.log").write_text('{"stage": "compile", "done": 2, "total": 5}\n', "utf-8")
    rui.page.wait_for_selector("progress[value='2']", timeout=10_000)
    site.builds.build("hazmat").out.rename(build.out)
    states.clear()
    rui.page.wait_for_selector("a[href^='/drafts/']", timeout=10_000)
    rui.hold()
    assert rui.faults == []
