"""From a draft to a published version in a real browser: reviewed, tested and published with the keyboard alone.

With `FLOWC_PICTURES=docs/images` it makes the pictures of the documentation on its way.
"""

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import CASE, PASSWORD, Person

from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from compiler.build.scheduler import Settings
from ir.infix import to_infix
from ir.predicate import Tree
from ir.workflow import Edge, Workflow
from llm.choice import ModelChoice
from registry.versions import versions
from review.draft import drafts_of, open_draft
from review.queue import progress, queue
from server.site import Site

LONGEST = 300
"""Seconds that anything may take on a machine that is busy with other things."""
MOST_STOPS = 400
"""How often Tab is pressed on the way to something."""
FILING = "运输方式经审查许可，且属于一类或者二类危险化学品采用公路方式运输的"
"""When article 15 has the filing looked up."""
NO_FILING = "三类危险化学品的运输，以及一类、二类危险化学品采用铁路、水路或者航空方式的运输"
"""When article 16 does without."""


@pytest.fixture
def place(site: Site, tmp_path: Path) -> str:
    """The address of the first case's draft where the model took class 3 for one of those whose filing is looked up."""
    shutil.copytree(CASE / "documents", tmp_path / "documents")
    shutil.copytree(CASE / "replies", tmp_path / "replies")
    _misread(next((tmp_path / "replies").glob("extract-*.json")))
    out = site.builds.build("hazmat").out
    shutil.rmtree(out)
    settings = Settings(model=ModelChoice(replay=tmp_path / "replies"))
    write_build(compile_documents(tmp_path / "documents", settings), out)
    return f"/drafts/hazmat/{drafts_of(out)[0]}"


def _misread(file: Path) -> None:
    """Have a model's answer read class 3, which article 16 excepts, into the condition of article 15."""
    kept = json.loads(file.read_text("utf-8"))
    answer = json.loads(kept["text"])
    flows = {flow["words"][0]["q"]: flow for flow in answer["procedures"][0]["flows"]}
    filing, none = flows[FILING], next(flow for words, flow in flows.items() if words.startswith(NO_FILING))
    filing["when"] = 's3.outcome == "pass" and hazard_level in ["一类","二类","三类"] and transport_mode == "公路"'
    filing["words"].append({"b": none["words"][0]["b"], "q": "三类危险化学品的运输"})
    none["when"] = 's3.outcome == "pass" and transport_mode in ["铁路","水路","航空"]'
    file.write_text(json.dumps(kept | {"text": json.dumps(answer, ensure_ascii=False)}, ensure_ascii=False), "utf-8")


def filing_branch(workflow: Workflow) -> tuple[Edge, str]:
    """The way to the check of the filing, and when it is taken."""
    (name,) = [name for name, node in workflow.nodes.items() if node.type == "io.check_filing_status"]
    (edge,) = workflow.edges_to(name)
    assert isinstance(edge.condition, Tree)
    return edge, to_infix(edge.condition)


class Reviewer(Person):
    """Somebody who has a keyboard and nothing else."""

    def __init__(self, chromium: Any, address: str, language: str) -> None:
        super().__init__(chromium, address, language)
        self.page.set_default_timeout(LONGEST * 1000)

    def type(self, *keys: str) -> None:
        """Press keys, or write words where they are of more than one letter and no name of a key."""
        for one in keys:
            named = one in ("Enter", "Tab", "Escape", "ArrowDown", "Control+Enter", "Control+A") or len(one) == 1
            (self.page.keyboard.press if named else self.page.keyboard.type)(one)

    def wait(self, selector: str) -> None:
        """Wait until something is there to be seen."""
        self.page.wait_for_selector(selector)

    def picture(self, name: str) -> None:
        """Keep what is to be seen for the documentation, in the folder that `FLOWC_PICTURES` names."""
        if folder := os.environ.get("FLOWC_PICTURES"):
            self.page.screenshot(path=Path(folder) / f"{name}.png")

    def until(self, holds: str) -> None:
        """Wait until an expression holds; the page's policy lets it be asked for from outside alone."""
        end = time.monotonic() + LONGEST
        while not self._holds(holds):
            assert time.monotonic() < end, holds
            self.page.wait_for_timeout(10)

    def until_at(self, field: str) -> None:
        """Wait until the keys go to a field, by its id."""
        self.until(f"document.activeElement.id === {json.dumps(field)}")

    def until_shown(self, sort: str) -> None:
        """Wait until a thing of a sort is open, and its card has the keys."""
        self.until(f"(document.querySelector('#card').dataset.item || '').startsWith({json.dumps(sort)})")
        self.until_at("card-title")

    def _holds(self, expression: str) -> bool:
        """Whether it does; not while another page is coming."""
        from playwright.sync_api import Error

        try:
            return bool(self.page.evaluate(expression))
        except Error:
            return False

    def to(self, selector: str) -> None:
        """Go to a field or button."""
        for _ in range(MOST_STOPS):
            if self._holds(f"document.activeElement.matches({json.dumps(selector)})"):
                return
            self.type("Tab")
        raise AssertionError(f"no Tab leads to {selector}")

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
        self.type("/")
        self.until_at("search")
        self.page.keyboard.insert_text(words)  # at once, as an input method does
        self.wait(f"#found {hit}")
        self.to(hit)
        self.type("Enter")

    def begin_condition(self, words: str) -> None:
        """Open a condition that is found by its words, and the field that corrects it."""
        self.go(words, "[data-item-at^=condition]")
        self.until_shown("condition:")
        self.type("e")
        self.until_at("field-text")

    def try_it(self, reason: str) -> str:
        """Have what was entered tried; gives what it would come to."""
        self.to("#field-reason")
        self.type(reason, "Control+Enter")
        self.until_at("save")
        return str(self.page.inner_text(".trial"))

    def save(self) -> None:
        """Save what was tried; the page comes anew, with what it came to."""
        with self.page.expect_navigation():
            self.type("Enter")
        self.until_at("card-title")
        self.until("document.querySelector('#told').innerText.includes('Corrected')")

    @property
    def errors(self) -> str:
        """How many errors the page says that its draft has."""
        return str(self.page.inner_text(".count.errors b"))

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


def _ways(trial: str, values: str) -> tuple[str, str]:
    """Of a trial the ways that a run with these values takes now and would take."""
    lines = trial.partition(values)[2].splitlines()
    return next(one for one in lines if "old: " in one), next(one for one in lines if "new: " in one)


def test_a_refused_correction_leaves_the_head_in_sight(address: str, chromium: Any, place: str) -> None:
    """However far down the field is that has the fault, and whatever comes into sight."""
    ren = Reviewer(chromium, address, "en-GB")
    ren.page.set_viewport_size({"width": 1200, "height": 420})
    ren.enter("ren", place)
    ren.page.evaluate(
        "document.querySelectorAll('.sr, #card *').forEach((one) => one.scrollIntoView({ block: 'start' }))"
    )
    ren.page.evaluate("window.scrollTo(0, 400)")
    assert ren.page.evaluate("[window.scrollY, document.body.scrollTop, document.documentElement.scrollTop]") == [0] * 3
    assert ren.page.evaluate("document.querySelector('header').getBoundingClientRect().top") >= 0


@pytest.mark.slow
def test_the_keyboard_alone_takes_a_draft_to_its_publication(
    site: Site, place: str, address: str, chromium: Any
) -> None:  # fmt: skip
    """Three people: one reviews all of it and judges twenty cases, one submits, another publishes.

    Reviewed is: a clause found; class 3, which the draft let into the filing branch, taken out of it and let go on
    without, each tried before it is saved; a question answered, what the words say accepted in bulk, and all the rest
    one by one. What is published looks the filing up of classes 1 and 2 alone.
    """
    out, workflow = site.builds.build("hazmat").out, place.rpartition("/")[2]
    drafted = open_draft(out, workflow)
    assert "hazard_level in [1, 2, 3]" in filing_branch(drafted.workflow)[1]
    assert drafted.verdict.sound  # nothing but its words speaks against it

    ren = Reviewer(chromium, address, "en-GB")
    ren.page.set_viewport_size({"width": 1440, "height": 900})
    ren.page.goto(address + place)
    ren.to("input[name=name]")
    ren.type("ren", "Tab", PASSWORD, "Enter")
    ren.until_at("card-title")
    assert ren.page.url.startswith(address + place)
    ren.hold()
    ren.picture("review-queue")

    ren.go("及时将核查结果反馈物流部", "[data-block-at]")
    ren.until("String([...CSS.highlights.get('words')].map(String)) === '及时将核查结果反馈物流部'")

    ren.begin_condition(FILING)
    ren.type("Control+A", 's3.outcome == "pass" and hazard_l')
    ren.wait("#names-text [data-name=hazard_level]")
    ren.wait("#fault-text mark")
    ren.picture("review-correcting")
    ren.type("ArrowDown", "Tab", ' in [1, 2] and 运输方式 == "公路" >> 5')
    ren.until("/column/.test(document.querySelector('#fault-text:has(mark)')?.innerText)")
    ren.until_at("field-text")
    for _ in range(5):
        ren.page.keyboard.press("Backspace")
    trial = ren.try_it("article 16 lets class 3 go on without a filing")
    before, after = _ways(trial, 'hazard_level = 3, $.inputs.transport_mode = "公路"')
    assert "check_filing_status" in before and "check_filing_status" not in after
    assert "incomplete-branch" in trial  # that class 3 goes on without a filing is still to be said
    ren.hold()
    ren.picture("review-preview")
    ren.save()
    assert ren.errors == "1"

    ren.begin_condition(NO_FILING)
    ren.type("Control+A", 's3.outcome == "pass" and (危险等级 == 3 or 运输方式 in ["铁路", "水路", "航空"])')
    trial = ren.try_it("all transports of class 3, as article 16 says")
    before, after = _ways(trial, 'hazard_level = 3, $.inputs.transport_mode = "公路"')
    assert "no way is open" in before and "[completed]" in after and "check_filing_status" not in after
    ren.save()
    assert ren.errors == "0"

    ren.go("合规判定结论", "[data-item-at^=question]")
    ren.until_shown("question:")
    ren.type("q")
    ren.until("document.activeElement.name === 'value'")
    asked = ren.item
    ren.decide("the conclusion has to be compliant", "Control+Enter")
    ren.decide("u")
    assert ren.item == asked and ren.page.locator("#card").count() == 1
    ren.type("q")
    ren.decide("the conclusion has to be compliant", "Control+Enter")

    ren.type("b")
    ren.wait("#card.bulk")
    ren.until_at("card-title")
    ren.type("Tab", "Control+Enter")
    ren.until("!document.querySelector('#card').matches('.bulk')")
    ren.until_at("card-title")
    ren.page.set_viewport_size({"width": 1024, "height": 768})
    ren.until("document.documentElement.scrollWidth <= innerWidth")
    ren.hold()

    while ren.item:
        ren.settle()
    draft = open_draft(out, workflow)
    done, whole = progress(queue(draft))
    assert done == whole > 100 and f"{done} of {whole}" in ren.page.inner_text("#progress")
    ren.hold()

    ren.page.goto(f"{address}{place}/cases")
    ren.to("form[action$='/cases/make'] button")
    ren.type("Enter")
    ren.wait("#judge")
    changes = ren.page.inner_text(".changes")
    assert "三类" in changes and "Corrections (2)" in changes
    ren.page.set_viewport_size({"width": 1440, "height": 900})
    ren.hold()
    ren.picture("cases")
    for _ in range(20):
        with ren.page.expect_navigation():
            ren.type("r")
    assert ren.page.inner_text("#list-title").startswith("20 of ")

    li, zhao = Reviewer(chromium, address, "zh-CN"), Reviewer(chromium, address, "en-GB")
    li.enter("li", place)
    li.send(".bar-below button")
    li.send("form[action$='/hand-in'] button")
    zhao.enter("zhao", f"/registry/{workflow}/v1")
    for at in range(zhao.page.locator("input[name=people]").count()):
        zhao.page.locator("input[name=people]").nth(at).focus()
        zhao.type(" ")
    zhao.picture("registry-publishing")
    zhao.send("form[action$='/publish'] button")
    assert zhao.page.locator(".head .state-published").count() == 1
    with site.workspace.database.transaction() as connection:
        (published,) = versions(connection, workflow)
    assert (published.state, published.author) == ("published", "li")
    edge, condition = filing_branch(published.definition)
    assert "hazard_level in [1, 2] and" in condition and edge.origin == "person"
    assert sum(one.origin == "person" for one in published.definition.edges) == 2
    assert ren.faults == li.faults == zhao.faults == []
