"""From a draft to a published version in a real browser: reviewed, tested and published with the keyboard alone."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import PASSWORD, Person

from ir.decisions.decision import FILE
from registry.versions import versions
from review.draft import drafts_of, open_draft
from review.queue import progress, queue
from server.site import Site


@pytest.fixture
def place(site: Site, tmp_path: Path) -> str:
    """The address of the first case's draft; what is decided stands in the build's own folder."""
    summary = json.loads((tmp_path / "hazmat" / "summary.json").read_text("utf-8"))
    (tmp_path / "hazmat" / "summary.json").write_text(json.dumps(summary | {"decisions": FILE}), "utf-8")
    return f"/drafts/hazmat/{drafts_of(site.builds.build('hazmat').out)[0]}"


class Reviewer(Person):
    """Somebody who has a keyboard and nothing else."""

    def type(self, *keys: str) -> None:
        """Press keys, or write words where they are of more than one letter and no name of a key."""
        for one in keys:
            named = one in ("Enter", "Tab", "Escape", "ArrowDown", "Control+Enter", "Control+A") or len(one) == 1
            (self.page.keyboard.press if named else self.page.keyboard.type)(one)

    def wait(self, selector: str) -> None:
        """Wait until something is there to be seen."""
        self.page.wait_for_selector(selector, timeout=20_000)

    def until(self, holds: str) -> None:
        """Wait until an expression holds; the page's policy lets it be asked for from outside alone."""
        end = time.monotonic() + 20
        while not self._holds(holds):
            assert time.monotonic() < end, holds
            self.page.wait_for_timeout(10)

    def _holds(self, expression: str) -> bool:
        """Whether it does; not while another page is coming."""
        from playwright.sync_api import Error

        try:
            return bool(self.page.evaluate(expression))
        except Error:
            return False

    def to(self, selector: str) -> None:
        """Go to a field or button."""
        while not self.page.evaluate(f"document.activeElement.matches({json.dumps(selector)})"):
            self.type("Tab")

    @property
    def focus(self) -> str:
        """What the keys go to: its id, or its name."""
        return str(self.page.evaluate("document.activeElement.id || document.activeElement.className"))

    @property
    def item(self) -> str:
        """What the card shows; empty where nothing is open."""
        return self.page.get_attribute("#card", "data-item") or ""

    def enter(self, name: str, place: str) -> None:
        """Sign in on the way to a page."""
        self.page.goto(self.address + place)
        self.to("input[name=name]")
        with self.page.expect_navigation(url=f"**{place}"):
            self.type(name, "Tab", PASSWORD, "Enter")
        self.hold()

    def send(self, button: str) -> None:
        """Send a form by its button; the page that comes is held against axe as well."""
        self.to(button)
        with self.page.expect_navigation():
            self.type("Enter")
        self.hold()

    def go(self, words: str, hit: str) -> None:
        """Search, and open the first place of a sort where the words are found."""
        self.type("/", words)
        self.wait(f"#found {hit}")
        self.to(hit)
        self.type("Enter")

    def decide(self, *keys: str) -> None:
        """Decide; the next card is there, and has the keys."""
        before = self.item
        self.type(*keys)
        other = f"(document.querySelector('#card').dataset.item || '') !== {json.dumps(before)}"
        self.until(f"{other} && document.activeElement.id === 'card-title'")

    def settle(self) -> None:
        """Decide about the thing at hand as its sort asks for."""
        if self.item.startswith(("text:", "statement:")):
            self.decide("d", "it tells who is in charge", "Control+Enter")
        elif self.page.locator('#card form [data-key="a"]').count():
            self.decide("a")
        else:
            self.decide("a", "the department has been asked", "Control+Enter")


@pytest.mark.slow
def test_the_keyboard_alone_takes_a_draft_to_its_publication(
    site: Site, place: str, address: str, chromium: Any
) -> None:  # fmt: skip
    """Three people: one reviews all of it and judges twenty cases, one submits, another publishes.

    Reviewed is: a clause found, a condition corrected with the runs seen that change, and what that breaks, taken back,
    a question answered, what the words say accepted in bulk, and all the rest one by one.
    """
    ren = Reviewer(chromium, address, "en-GB")
    ren.page.set_viewport_size({"width": 1440, "height": 900})
    ren.page.goto(address + place)
    ren.to("input[name=name]")
    ren.type("ren", "Tab", PASSWORD, "Enter")
    ren.until("document.activeElement.id === 'card-title'")
    assert ren.page.url.startswith(address + place)
    ren.hold()

    ren.go("及时将核查结果反馈物流部", "[data-block-at]")
    assert ren.page.evaluate("[...CSS.highlights.get('words')].map(String)") == ["及时将核查结果反馈物流部"]

    ren.go("且属于一类或者二类危险化学品采用公路方式运输的", "[data-item-at^=condition]")
    ren.wait("#card[data-item^=condition]")
    ren.type("Escape", "e")
    ren.wait("#field-text")
    ren.type("Control+A", '运输方式 == "公路" and quant')
    ren.wait("#names-text [data-name=quantity]")
    ren.type("ArrowDown", "Tab", " >> 5")
    ren.wait("#fault-text mark")
    ren.until("document.activeElement.id === 'field-text'")
    assert "column" in ren.page.inner_text("#fault-text")
    for _ in range(4):
        ren.page.keyboard.press("Backspace")
    ren.type("> 5", "Tab", "five tons is the limit", "Control+Enter")
    ren.wait("#save")
    ren.until("document.activeElement.id === 'save'")
    assert "Which way runs take" in ren.page.inner_text(".trial")
    ren.hold()
    with ren.page.expect_navigation():
        ren.type("Enter")
    ren.until("document.activeElement.id === 'card-title'")
    assert "Corrected" in ren.page.inner_text("#told")
    assert ren.page.inner_text(".count.errors b") == "1"  # some runs find no way on now, and it would not be published
    with ren.page.expect_navigation():
        ren.type("u")
    ren.until("document.activeElement.id === 'card-title'")
    assert ren.page.inner_text(".count.errors b") == "0"

    ren.go("合规判定结论", "[data-item-at^=question]")
    ren.wait("#card[data-item^=question]")
    ren.type("Escape", "q")
    ren.until("document.activeElement.name === 'value'")
    asked = ren.item
    ren.decide("the conclusion has to be compliant", "Control+Enter")
    ren.decide("u")
    assert ren.item == asked and ren.page.locator("#card").count() == 1
    ren.type("q")
    ren.decide("the conclusion has to be compliant", "Control+Enter")

    ren.type("b")
    ren.wait("#card.bulk")
    ren.type("Tab", "Control+Enter")
    ren.page.wait_for_selector("#card.bulk", state="detached")
    ren.page.set_viewport_size({"width": 1024, "height": 768})
    assert ren.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    ren.hold()

    while ren.item:
        ren.settle()
    draft = open_draft(site.builds.build("hazmat").out, place.rpartition("/")[2])
    done, whole = progress(queue(draft))
    assert done == whole > 100 and f"{done} of {whole}" in ren.page.inner_text("#progress")
    ren.hold()

    ren.page.goto(f"{address}{place}/cases")
    ren.to("form[action$='/cases/make'] button")
    ren.type("Enter")
    ren.wait("#judge")
    ren.hold()
    for _ in range(20):
        with ren.page.expect_navigation():
            ren.type("r")
    assert ren.page.inner_text("#list-title").startswith("20 of ")

    workflow = place.rpartition("/")[2]
    li, zhao = Reviewer(chromium, address, "en-GB"), Reviewer(chromium, address, "zh-CN")
    li.enter("li", place)
    li.send(".bar-below button")
    li.send("form[action$='/hand-in'] button")
    zhao.enter("zhao", f"/registry/{workflow}/v1")
    for at in range(zhao.page.locator("input[name=people]").count()):
        zhao.page.locator("input[name=people]").nth(at).focus()
        zhao.type(" ")
    zhao.send("form[action$='/publish'] button")
    assert zhao.page.locator(".head .state-published").count() == 1
    with site.workspace.database.transaction() as connection:
        assert [(one.state, one.author) for one in versions(connection, workflow)] == [("published", "li")]
    assert ren.faults == li.faults == zhao.faults == []
