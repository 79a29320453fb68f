"""Cases in the browser: found, judged by two people, changed by corrections; questions; and by keys alone."""

import json
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from conftest import Browser, Browsers, Person

from catalog.load import load_catalog
from compiler.build.builder import compile_documents
from compiler.build.folder import SUMMARY, write_build
from compiler.build.scheduler import Settings
from ir.kept_case import KeptCases
from review.cases import tested
from review.cases.case_file import cases_beside, change_cases, read_cases
from review.cases.judging import Opinion, judged
from review.decide import decide, new_decision
from review.draft import open_draft
from review.forms import operation_from
from review.queue import queue
from server.builds.folders import BuildFolder
from server.site import Site
from store import audit

POLICY = """# Release of goods

1. The clerk enters the order in the register.
2. If the amount exceeds 5000 EUR, the director approves the order; otherwise the manager approves the order.
3. The storekeeper sends the papers to the customer.
"""


@dataclass(frozen=True)
class Release:
    """A small build beside its document."""

    build: BuildFolder
    workflow: str
    path: Path
    file: Path

    @property
    def place(self) -> str:
        """The address of its draft."""
        return f"/drafts/{self.build.id}/{self.workflow}"

    @property
    def kept(self) -> KeptCases:
        """The cases that stand in the file."""
        found = read_cases(self.file, self.workflow)
        assert found is not None
        return found


def shown(site: Site, name: str, out: Path) -> Release:
    """A build that the server shows."""
    build = BuildFolder(name, name, out)
    site.builds.named[name] = build
    made = build.read()
    path = out / made.drafts[0].workflow
    file = cases_beside(path, path.name.removesuffix(".workflow.json"))
    return Release(build, made.workflow(made.drafts[0]).workflow_id, path, file)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small policy and its build, with cases; to be copied."""
    root = tmp_path_factory.mktemp("release")
    (root / "policies").mkdir()
    (root / "policies" / "release.md").write_text(POLICY, "utf-8")
    write_build(compile_documents(root / "policies", Settings(embedder="lexical", syntax=False)), root / "out")
    return root


@pytest.fixture
def release(site: Site, compiled: Path, tmp_path: Path) -> Release:
    """The small build without cases."""
    shutil.copytree(compiled, tmp_path / "release")
    return shown(site, "release", tmp_path / "release" / "out")


@pytest.fixture
def found(release: Release) -> Release:
    """The same with cases."""
    made = tested.Tested(
        release.path, release.file, open_draft(release.build.out, release.workflow).workflow, load_catalog()
    )
    change_cases(release.file, release.workflow, made.made)
    return release


def say(who: Browser, at: Release, case: str, seen: str | None = None, **fields: object) -> Any:
    """Send the form of a case, with what its page shows or showed."""
    page = f"{at.place}/cases?case={case}"
    return who.send(f"{at.place}/cases/{case}", page, seen=seen or who.get(page).field("seen"), **fields)


def test_the_solver_finds_cases_beside_the_requests(site: Site, release: Release, browser: Browsers) -> None:
    """An author begins the search, the page says that it goes on, then lists what the file of the commands holds."""
    li, rui = browser("li"), browser("rui")
    assert "There are no cases yet" in rui.get(f"{release.place}/cases", headers={"Accept-Language": "en"}).text
    refused = rui.send(f"{release.place}/cases/make")
    assert (refused.status, refused.code) == (403, "not-allowed")
    answer = li.send(f"{release.place}/cases/make")
    assert answer.path == f"{release.place}/cases"
    end = time.monotonic() + 60
    while site.searches.state(str(release.file)) and time.monotonic() < end:
        time.sleep(0.05)
    assert site.searches.state(str(release.file)) is None
    assert li.get(f"{release.place}/cases/progress").header("HX-Refresh") == "true"
    text = li.get(f"{release.place}/cases").text
    for one in release.kept.cases:
        assert f"?case={one.id}" in text
    assert len(release.kept.cases) > 2
    with site.workspace.transaction() as connection:
        kinds = [one.kind for one in audit.events(connection)]
    assert "cases-made" in kinds


def test_what_people_say_stands_in_the_file(found: Release, browser: Browsers) -> None:
    """Right, wrong with what should happen, cannot say; each with who; the next open case follows."""
    ren, first, second, third = browser("ren"), *(one.id for one in found.kept.cases[:3])
    after = say(ren, found, first, verdict="right", comment="as in practice", should="ignored where it is right")
    assert f"case={second}" in str(after.response.url)
    steps = found.kept.cases[1].scenario.path or ()
    say(ren, found, second, verdict="wrong", should="the manager decides", must=steps[0], must_not=steps[1])
    say(ren, found, third, verdict="unsure")
    one, two, three = (case.judgement for case in found.kept.cases[:3])
    assert one and two and three
    assert (one.verdict, one.author, one.comment, one.should) == ("right", "ren", "as in practice", None)
    assert (two.verdict, two.should, two.must, two.must_not) == ("wrong", "the manager decides", steps[:1], steps[1:2])
    assert three.verdict == "unsure"
    text = ren.get(f"{found.place}/cases?case={second}", headers={"Accept-Language": "en"}).text
    assert f"3 of {len(found.kept.cases)} judged" in text and "the manager decides" in text and "still wrong" in text


def test_the_second_reviewer_is_told_and_nothing_is_overwritten(found: Release, browser: Browsers) -> None:
    """Both were shown the same; what the second wrote stands in the form, and may be sent once it was looked at."""
    ren, li, case = browser("ren"), browser("li"), found.kept.cases[0].id
    seen = li.get(f"{found.place}/cases?case={case}").field("seen")
    say(ren, found, case, verdict="right")
    before = found.file.read_bytes()
    late = say(li, found, case, seen, verdict="wrong", should="ask the owner first")
    assert late.status == 409 and "ren judged it right" in late.text and "ask the owner first" in late.text
    assert found.file.read_bytes() == before
    say(li, found, case, late.field("seen"), verdict="wrong", should="ask the owner first")
    said = found.kept.cases[0].judgement
    assert said and (said.author, said.verdict) == ("li", "wrong")


def test_what_cannot_be_taken_is_said_and_not_written(found: Release, browser: Browsers) -> None:
    """A wrong case without what should happen, a step that is not there, a case that is not there, another's form."""
    ren, rui, case = browser("ren"), browser("rui"), found.kept.cases[0].id
    before = found.file.read_bytes()
    assert say(ren, found, case, verdict="wrong").status == 400
    unknown = say(ren, found, case, verdict="wrong", end="nowhere")
    assert unknown.status == 400 and "nowhere" in unknown.text
    assert say(ren, found, case, verdict="perhaps").code == "bad-form"
    assert ren.send(f"{found.place}/cases/c99", verdict="right", seen="x").code == "unknown-place"
    assert ren.get(f"{found.place}/cases?case=c99").code == "unknown-place"
    looking = rui.get(f"{found.place}/cases?case={case}").text
    assert 'id="judge"' not in looking
    assert say(rui, found, case, seen="x", verdict="right").code == "not-allowed"
    foreign = ren.client.post(f"{found.place}/cases/{case}", data={"verdict": "right", "seen": "x"})
    assert foreign.status_code == 403
    assert found.file.read_bytes() == before


def test_corrections_say_which_cases_they_change(site: Site, found: Release, browser: Browsers) -> None:
    """Exactly those whose run is another: they are listed, stand first, and fail as the command says."""
    draft = open_draft(found.build.out, found.workflow)

    def change(kept: KeptCases | None) -> KeptCases:
        assert kept is not None
        for one in kept.cases:
            kept = judged(kept, draft.workflow, one.id, Opinion("right", "ren"))
        return kept

    change_cases(found.file, found.workflow, change)
    ren, english = browser("ren"), {"Accept-Language": "en"}
    assert "Corrections since" not in ren.get(f"{found.place}/cases", headers=english).text
    limit = next(one for one in queue(draft) if one.subject == "condition" and "5000" in one.title)
    higher = operation_from(draft, limit, "set_condition", {"text": "amount >= 8000"})
    decide(draft, new_decision(draft, limit, "correct", author="ren", reason="it was raised in May", value=higher))
    amounts = {one.id: next(iter(one.scenario.inputs.values())) for one in found.kept.cases}
    other = [name for name, amount in amounts.items() if isinstance(amount, int) and 5000 < amount < 8000]
    text = ren.get(f"{found.place}/cases", headers=english).text
    assert f"change {len(other)} cases (1 corrections)" in text and "it was raised in May" in text
    changes, _, listed = text.partition('class="desk"')
    rows = listed[listed.index("<ol") : listed.index("</ol")]
    assert re.findall(r"case=(c\d+)", changes) == re.findall(r"case=(c\d+)", rows)[: len(other)] == other
    shown_now = ren.get(f"{found.place}/cases?case={other[0]}", headers=english).text
    assert "differs now" in shown_now and "Decided now by" in shown_now
    assert re.search(rf'href="{found.place}#(edge|node)=', shown_now)


def test_a_question_is_answered_for_facts_that_are_partly_given(found: Release, browser: Browsers) -> None:
    """Open as long as something decides; what was entered stays; what cannot be is told at the field's name."""
    rui, english = browser("rui"), {"Accept-Language": "en"}
    form = rui.get(f"{found.place}/ask", headers=english)
    assert form.status == 200 and "EUR" in form.text and "Fill in what is known" in form.text
    amount = next(name for name in _fields(form.text) if "amount" in name)
    decided = [name for name in _fields(form.text) if name.endswith(".approved")]

    def asked(**given: str) -> Any:
        return rui.get(f"{found.place}/ask?{urlencode({**given, 'asked': '1'})}", headers=english)

    assert "verdict-open" in asked().text
    told = asked(**{amount: "6000", **dict.fromkeys(decided, "true")})
    assert "verdict-yes" in told.text and 'value="6000"' in told.text and "director" in told.text
    wrong = asked(**{amount: "many"})
    assert wrong.status == 400 and "expected a number" in wrong.text
    assert asked(**{"$.inputs.nothing": "1"}).status == 400


def _fields(text: str) -> list[str]:
    return [part.split('"')[0] for part in text.split('name="')[1:] if part.startswith("$.")]


def test_a_version_has_cases_of_its_own(site: Site, hazmat: str, browser: Browsers) -> None:
    """They stand in the workspace, for all versions of the workflow; its page leads there."""
    rui, place = browser("rui"), f"/registry/{hazmat}/v1"
    assert f"{place}/cases" in rui.get(place).text
    assert rui.get(f"{place}/cases").status == rui.get(f"{place}/ask").status == 200
    assert rui.get(f"/registry/{hazmat}/v9/cases").status == 404


@pytest.fixture(scope="module")
def hazmat_cases(built: Path) -> bytes:
    """The cases of the first case, as the command writes them."""
    path = next(built.glob("*/*.workflow.json"))
    flow = open_draft(built, json.loads(path.read_text("utf-8"))["workflow_id"]).workflow
    made = tested.Tested(path, path.with_name("none"), flow, load_catalog()).made(None)
    return json.dumps(made.to_json(), ensure_ascii=False).encode()


@pytest.mark.slow
def test_three_cases_are_judged_by_keys_alone(
    site: Site, address: str, chromium: Any, hazmat_cases: bytes, tmp_path: Path
) -> None:  # fmt: skip
    """Right, cannot say, wrong with words; no hand on the mouse; the page holds against axe and the policy."""
    summary = tmp_path / "hazmat" / SUMMARY
    raw = json.loads(summary.read_text("utf-8"))
    summary.write_text(json.dumps({**raw, "decisions": "../rules/decisions.jsonl"}), "utf-8")
    at = shown(site, "hazmat", tmp_path / "hazmat")
    at.file.parent.mkdir(parents=True)
    at.file.write_bytes(hazmat_cases)
    ren = Person(chromium, address, "en-GB")
    ren.open(f"{at.place}/cases", known=True)
    ren.sign_in("ren")
    keys = ren.page.keyboard
    for key in ("r", "u"):
        with ren.page.expect_navigation():
            keys.press(key)
    keys.press("w")
    keys.type("the safety director decides, r u j")
    with ren.page.expect_navigation():
        keys.press("Control+Enter")
    with ren.page.expect_navigation():
        keys.press("k")
    keys.press("?")
    assert ren.page.locator("dialog[open]").count() == 1
    keys.press("Escape")
    ren.hold()
    ren.open(f"{at.place}/ask")
    said = [one.judgement for one in at.kept.cases[:3]]
    assert [one and one.verdict for one in said] == ["right", "unsure", "wrong"]
    assert said[2] and said[2].should == "the safety director decides, r u j"
    assert all(one.judgement is None for one in at.kept.cases[3:])
    assert ren.faults == []
