"""A review from the first thing to the last, in a real browser, with the keyboard alone."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import PASSWORD, Person

from ir.decisions.decision import FILE
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

    @property
    def focus(self) -> str:
        """What the keys go to: its id, or its name."""
        return str(self.page.evaluate("document.activeElement.id || document.activeElement.className"))

    @property
    def item(self) -> str:
        """What the card shows; empty where nothing is open."""
        return self.page.get_attribute("#card", "data-item") or ""

    def go(self, words: str, hit: str) -> None:
        """Search, and open the first place of a sort where the words are found."""
        self.type("/", words)
        self.wait(f"#found {hit}")
        while not self.page.evaluate(f"document.activeElement.matches('{hit}')"):
            self.type("Tab")
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


def test_the_keyboard_alone_reviews_a_draft_to_its_end(
    site: Site, place: str, address: str, chromium: Any
) -> None:  # fmt: skip
    """Sign in, find a clause, correct a condition and see which runs change, answer, accept in bulk, and the rest."""
    ren = Reviewer(chromium, address, "en-GB")
    ren.page.set_viewport_size({"width": 1440, "height": 900})
    ren.page.goto(address + place)
    while ren.page.evaluate("document.activeElement.name") != "name":
        ren.type("Tab")
    ren.type("ren", "Tab", PASSWORD, "Enter")
    ren.wait("#card-title")
    assert ren.focus == "card-title" and ren.page.url.startswith(address + place)
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
    assert ren.focus == "field-text" and "column" in ren.page.inner_text("#fault-text")
    for _ in range(4):
        ren.page.keyboard.press("Backspace")
    ren.type("> 5", "Tab", "five tons is the limit", "Control+Enter")
    ren.wait("#save")
    assert "Which way runs take" in ren.page.inner_text(".trial") and ren.focus == "save"
    ren.hold()
    with ren.page.expect_navigation():
        ren.type("Enter")
    ren.until("document.activeElement.id === 'card-title'")
    assert "Corrected" in ren.page.inner_text("#told")

    ren.go("合规判定结论", "[data-item-at^=question]")
    ren.wait("#card[data-item^=question]")
    ren.type("Escape", "q")
    assert ren.page.evaluate("document.activeElement.name") == "value"
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
    assert ren.faults == []
