"""The pages in a real browser: a draft is submitted by one user and published by another; no page has grave faults."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import PASSWORD

from server.app import make_app
from server.builds.folders import About
from server.site import Site
from store.clock import now

CHROMIUM = Path("/usr/bin/chromium")
GRAVE = ("serious", "critical")


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    """A server that listens."""
    import uvicorn

    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(make_app(site), log_level="warning"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    end = time.monotonic() + 20
    while not server.started and time.monotonic() < end:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def chromium() -> Iterator[Any]:
    """Debian's Chromium; the test is skipped where it is not, except in CI."""
    if not CHROMIUM.is_file():
        if os.environ.get("CI"):
            pytest.fail(f"{CHROMIUM} is missing; .ci/run installs it")
        pytest.skip(f"needs {CHROMIUM} (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield started
        started.close()


class Person:
    """Somebody with a browser; what the page's console or policy complains of is kept.

    Args:
        language: that the browser asks for.
    """

    def __init__(self, chromium: Any, address: str, language: str) -> None:
        self.page, self.address = chromium.new_context(locale=language).new_page(), address
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda told: self.faults.append(told.text) if "Security Policy" in told.text else None)

    def open(self, path: str, *, known: bool = False) -> None:
        """Go to a page, and hold it against axe-core's rules unless it is known."""
        self.page.goto(self.address + path)
        if not known:
            self.hold()

    def hold(self) -> None:
        """Note what axe finds on the page that is serious or critical."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        self.faults += [
            f"{self.page.url}: {one['id']} {one['nodes'][0]['target']}" for one in found if one["impact"] in GRAVE
        ]

    def sign_in(self, name: str) -> None:
        """Fill in the form, and send it."""
        self.page.fill("input[name=name]", name)
        self.page.fill("input[name=password]", PASSWORD)
        self.press("form[action='/sign-in'] button")

    def press(self, selector: str) -> None:
        """Send a form or follow a link; the page that comes is held as well."""
        with self.page.expect_navigation():
            self.page.click(selector)
        self.hold()


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
    li.open(f"/drafts/hazmat/{workflow}")
    li.page.click("svg [data-node]")
    assert li.page.locator("svg .node.on").count() == 1
    assert li.page.locator("#panel-selection.open").count() == 1
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
