"""The whole way in a real browser: a draft is reviewed, tested and published, an agent calls it, people carry it out.

Everybody has a keyboard alone; the agent is a client of its protocol.

With `FLOWC_PICTURES=docs/images` it makes the pictures of the documentation on its way.
"""

import json
import shutil
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from calling_agent import Agent, calling
from conftest import CASE, PASSWORD, address_of
from keyboard import Keyboard
from run_site import add_people

from agents.http import ToolEndpoint
from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from compiler.build.scheduler import Settings
from demo.filings import serve
from ir.infix import to_infix
from ir.predicate import Tree
from ir.workflow import Edge, Workflow
from llm.choice import ModelChoice
from registry.forms import Version
from registry.versions import versions
from review.draft import drafts_of, open_draft
from review.queue import progress, queue
from runtime.executors.registry import executors_from
from runtime.governance.agency import Agency
from runtime.worker import Worker
from server.site import Site
from store.users import ANY

FILING = "运输方式经审查许可，且属于一类或者二类危险化学品采用公路方式运输的"
"""When article 15 has the filing looked up."""
NO_FILING = "三类危险化学品的运输，以及一类、二类危险化学品采用铁路、水路或者航空方式的运输"
"""When article 16 does without."""

FILED = "在运输备案系统中核查该批次运输的备案情况"
"""The step that looks the filing up, as its way is told."""

CONSIGNMENT = {"shipment_id": "SHIP-2026-00019", "substance_name": "硫酸", "quantity": 5000, "transport_mode": "公路"}
FILINGS = "io.check_filing_status"
MISSING = "危险化学品公路运输备案缺失"
WORK: Mapping[str, Mapping[str, str]] = {
    "ontology.identify_substance": {
        "entity/canonical_name": "硫酸",
        "entity/cas_number": "7664-93-9",
        "entity/un_number": "UN1830",
        "is_hazardous": "true",
    },
    "decision.check_transport_mode": {
        "allowed": "true",
        "reason_code": "ROAD_WITH_FILING",
        "required_checks": "filing_required",
    },
    "human.input": {"conclusion": "false", "missing_conditions": MISSING},
}
"""By Type of a step what the logistics department enters, in the order in which it is asked."""


@pytest.fixture
def filings(tmp_path: Path) -> Iterator[str]:
    """The address of a filing system, which knows nothing of the consignment."""
    with serve(0, tmp_path / "filings.jsonl") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/filings"
        server.shutdown()


@pytest.fixture
def site(site: Site, listening: socket.socket, kept_password: str, filings: str) -> Iterator[Site]:
    """With the people of the first case and its filing system, an agent that is told of pages, and a worker."""
    add_people(site, kept_password)
    agency = Agency(allow={"bot": frozenset({ANY})}, address=f"{address_of(listening)}/tasks/{{task}}")
    system = {"kind": "http", "url": filings, "private": True, "allow": ["*"]}
    executors = executors_from({FILINGS: system}, types=site.host.catalog.node_types)
    host = replace(site.host, agency=agency, executors=executors)
    with Worker(host):
        yield replace(site, host=host, tools=ToolEndpoint(host, site.find, "0.1"))


@pytest.fixture
def agent(site: Site, address: str) -> Iterator[Agent]:
    """An agent that is there from the beginning."""
    with calling(site, address, "bot") as found:
        yield found


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
    (name,) = [name for name, node in workflow.nodes.items() if node.type == FILINGS]
    (edge,) = workflow.edges_to(name)
    assert isinstance(edge.condition, Tree)
    return edge, to_infix(edge.condition)


class Reviewer(Keyboard):
    """Somebody who reviews a draft."""

    def until_shown(self, sort: str) -> None:
        """Wait until a thing of a sort is open, and its card has the keys."""
        self.until(f"(document.querySelector('#card').dataset.item || '').startsWith({json.dumps(sort)})")
        self.until_at("card-title")

    @property
    def item(self) -> str:
        """What the card shows; empty where nothing is open."""
        return self.page.get_attribute("#card", "data-item") or ""

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


class Colleague(Keyboard):
    """Somebody who does tasks."""

    def give(self, name: str, value: str) -> None:
        """Fill in a field of a form."""
        field = f"field/{name}"
        options = self.page.locator(f"input[type=radio][name='{field}']").count()
        self.to(f"[name='{field}']")
        if not options:
            self.page.keyboard.insert_text(value)
            return
        self.type(" ")
        for _ in range(options):
            if not self.page.is_checked(f"[name='{field}'][value='{value}']"):
                self.type("ArrowDown")
        assert self.page.is_checked(f"[name='{field}'][value='{value}']")

    def do(self, title: str, given: Mapping[str, str]) -> None:
        """Find a task among one's own, claim it, and fill in its form."""
        self.page.goto(f"{self.address}/tasks")
        self.hold()
        self.send("tbody th a")
        assert title in self.page.inner_text("h1")
        self.send("form[action$='/claim'] button")
        for name, value in given.items():
            self.give(name, value)
        self.send("form.controls button.main")
        assert self.page.locator("h1 .task-done").count() == 1, self.page.inner_text("main")


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
def test_from_a_draft_to_the_answer_of_an_agent(
    site: Site, place: str, address: str, agent: Agent, chromium: Any
) -> None:  # fmt: skip
    """What people reviewed and published is what an agent has its answer from, and the audit tells of all of them."""
    assert not [one for one in agent.tools() if one.startswith("workflow_")]
    published = _published(site, place, address, chromium)
    _answered(agent, published, address, chromium)


def _published(site: Site, place: str, address: str, chromium: Any) -> Version:
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
    before, after = _ways(trial, "hazard level = class 3, transport mode = road")
    assert FILED in before and FILED not in after
    assert "incomplete-branch" in trial  # that class 3 goes on without a filing is still to be said
    ren.hold()
    ren.picture("review-preview")
    ren.save()
    assert ren.errors == "1"

    ren.begin_condition(NO_FILING)
    ren.type("Control+A", 's3.outcome == "pass" and (危险等级 == 3 or 运输方式 in ["铁路", "水路", "航空"])')
    trial = ren.try_it("all transports of class 3, as article 16 says")
    before, after = _ways(trial, "hazard level = class 3, transport mode = road")
    assert "no way is open" in before and "[Completed]" in after and FILED not in after
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
    return published


def _answered(agent: Agent, version: Version, address: str, chromium: Any) -> None:
    """An agent asks of a consignment; an operator lets the run begin, people carry it out, an approver looks at all.

    Its filing is missing, and so the agent is told; until the director approves that it is told nothing of it.
    """
    nodes = {node.type: (name, node.label or "") for name, node in version.definition.nodes.items() if node.step_ids}
    oda, zhao = (Colleague(chromium, address, "en-GB") for _ in range(2))
    han, dan = (Colleague(chromium, address, "zh-CN") for _ in range(2))
    for name, one in (("oda", oda), ("zhao", zhao), ("han", han), ("dan", dan)):
        one.page.set_viewport_size({"width": 1440, "height": 1080})
        one.enter(name, "/tasks")

    (found,) = agent.call("find_workflow", task="用公路运输5吨硫酸是否合规")["found"]
    assert found["workflow"] == version.name and found["tool"] in agent.tools() and not found["begins_by_itself"]
    asked = agent.call(found["tool"], **CONSIGNMENT)
    (start,) = asked["waits"]
    assert (asked["state"], asked["outputs"], start["who"]) == ("waiting", {}, ["operator"])

    oda.page.goto(f"{address}/tasks")
    oda.hold()
    oda.picture("tasks", down_to="main table")
    oda.send("tbody th a")
    assert oda.page.url == start["address"] and "硫酸" in oda.page.inner_text("main")
    oda.send("button[value=true]")
    oda.send(f"a[href='/runs/{asked['run']}']")
    for type_name, given in WORK.items():
        node, label = nodes[type_name]
        oda.wait(f"[data-node={node}].is-waiting")
        assert agent.call("see_run", run=asked["run"])["outputs"] == {}
        if type_name == "human.input":
            oda.wait(f"[data-node={nodes[FILINGS][0]}].is-succeeded")
            oda.hold()
            oda.picture("run-under-way")
        han.do(label, given)
        oda.wait(f"[data-node={node}].is-succeeded")
    oda.wait(f"[data-node={nodes['human.approval'][0]}].is-waiting")
    dan.page.goto(f"{address}/tasks")
    dan.send("tbody th a")
    dan.give("comment", "同意")
    dan.send("button[value=true]")
    oda.wait("#run[data-ended=true] #status.run-completed")
    oda.hold()
    oda.picture("run-answer", down_to="[data-part=answer]")

    seen, explained = (agent.call(one, run=asked["run"]) for one in ("see_run", "explain_run"))
    assert (seen["state"], seen["end"], seen["outputs"]["conclusion"]) == ("completed", "completed", False)
    assert "：不合规。" in seen["text"] and f"缺少：{MISSING}。" in seen["text"]
    assert seen["text"] == explained["text"] == oda.page.inner_text("[data-part=answer] .said")
    assert explained["people"] == ["oda", "han", "dan"] and set(explained["because"]) >= {"安全总监同意的"}

    zhao.page.goto(f"{address}/audit")
    zhao.to("input[name=run]")
    zhao.type(asked["run"])
    zhao.send("form.filters button")
    kinds = zhao.page.locator("tbody th .sub").all_inner_texts()
    people = zhao.page.locator("tbody td:nth-child(4)").all_inner_texts()
    told = [f"{kind} {who}" for kind, who in zip(kinds, people, strict=True)]
    assert told[-1] == "began bot" and set(told) >= {
        "agent-called bot", "let-begin oda", "task-claimed han", "answered han", "call-intended flowc",
        "call-answered flowc", "answered dan", "ended flowc",
    }  # fmt: skip
    zhao.send("form[action='/audit/verify'] button")
    assert "It is whole" in zhao.page.inner_text("[aria-labelledby=verified]")
    zhao.picture("audit")
    zhao.page.goto(f"{address}/figures")
    zhao.hold()
    figures = zhao.page.inner_text("dl.figures").split("\n")
    assert figures[figures.index("Runs") + 1] == "1" and figures[figures.index("Ended well") + 1] == "100.0 %"
    assert figures[figures.index("Calls that failed") + 1] == "0.0 %"
    assert [one.faults for one in (oda, zhao, han, dan)] == [[]] * 4
