"""What a draft leaves open is what the approver is shown of its version, and stops or has to be accepted."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Answer, Browser, Browsers

from catalog.load import load_catalog
from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from compiler.build.scheduler import Settings
from ir.kept_case import KeptCases
from registry.versions import version_of
from review.cases import tested
from review.cases.case_file import cases_beside, change_cases, read_cases
from review.cases.judging import Opinion, judged
from review.decide import decide, new_decision
from review.draft import ReviewDraft, open_draft
from review.queue import queue, unsettled
from review.submission import version_cases
from server.builds.folders import BuildFolder
from server.site import Site
from store import audit

POLICY = """# Release of goods

1. The clerk files the papers.
2. If the amount exceeds 5000 yuan, the manager approves the order; otherwise the storekeeper approves the order.
3. The storekeeper releases the goods.
4. The storekeeper must not release the goods without a label.
5. Smoking is prohibited in the store.
"""


def left_of(answer: Answer) -> list[str]:
    """What stands in the way, as a page tells it."""
    told = re.search(r'<ul class="points bad">(.*?)</ul>', answer.text, re.DOTALL)
    return re.findall(r"<li>(.*?)</li>", told[1]) if told else []


@dataclass
class Handed:
    """A small draft on its way to the registry, with who takes it there."""

    site: Site
    out: Path
    workflow: str
    li: Browser
    zhao: Browser

    @property
    def draft(self) -> ReviewDraft:
        """As it stands."""
        return open_draft(self.out, self.workflow)

    @property
    def place(self) -> str:
        """The address of the version."""
        return f"/registry/{self.workflow}/v1"

    def accept(self, *subjects: str) -> None:
        """Have somebody accept what is open of some sorts."""
        for item in [one for one in unsettled(queue(self.draft)) if one.subject in subjects]:
            decide(self.draft, new_decision(self.draft, item, "accept", author="ren", reason=f"seen: {item.subject}"))

    def submit(self) -> Answer:
        """Put the draft into the registry and hand it in."""
        self.li.send("/registry/submit", build="goods", workflow=self.workflow)
        return self.li.send(f"{self.place}/hand-in")

    def publish(self, accepted: str = "", **given: str) -> Answer:
        """Publish it, with people for what no system carries out."""
        people = re.findall(r'name="people" value="([^"]+)"', self.zhao.get(self.place).text)
        return self.zhao.send(f"{self.place}/publish", accepted=accepted, people=people, **given)

    def back(self) -> None:
        """Give it back to its author, so that the next draft takes its place."""
        self.zhao.send(f"{self.place}/give-back", reason="mend it")

    def judge(self, opinion: Opinion) -> str:
        """Judge the first case of the draft; gives its id."""
        path = next(self.out.glob("*/*.workflow.json"))
        file = cases_beside(path, path.name.removesuffix(".workflow.json"))
        found = tested.Tested(path, file, self.draft.workflow, load_catalog())

        def change(kept: KeptCases | None) -> KeptCases:
            made = kept or found.made(None)
            return judged(made, self.draft.workflow, made.cases[0].id, opinion)

        return change_cases(file, self.workflow, change).cases[0].id


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the policy and its build; to be copied."""
    root = tmp_path_factory.mktemp("goods")
    (root / "policies").mkdir()
    (root / "policies" / "release.md").write_text(POLICY, "utf-8")
    write_build(compile_documents(root / "policies", Settings(embedder="lexical", syntax=False)), root / "out")
    return root


@pytest.fixture
def goods(site: Site, compiled: Path, tmp_path: Path, browser: Browsers) -> Handed:
    """The draft, which nobody looked at yet."""
    shutil.copytree(compiled, tmp_path / "goods")
    out = tmp_path / "goods" / "out"
    site.builds.named["goods"] = BuildFolder("goods", "goods", out)
    made = BuildFolder("goods", "goods", out).read()
    return Handed(site, out, made.workflow(made.drafts[0]).workflow_id, browser("li"), browser("zhao"))


def test_the_version_says_what_the_draft_says(goods: Handed) -> None:
    """The same warnings, questions and prohibitions, each in its words, and who decided what."""
    goods.accept("question")
    draft, open_ = goods.draft, unsettled(queue(goods.draft))
    goods.submit()
    with goods.site.workspace.database.transaction() as connection:
        report = version_of(connection, goods.workflow, 1).report
    assert report.tier == "sources" and report.reviewed is not None
    assert report.warnings == sum(one.severity == "warning" for one in draft.diagnostics) > 0
    assert [one.words for one in report.reviewed.open] == [one.title for one in open_]
    assert len(report.reviewed.open_of("prohibition")) == draft.verdict.prohibitions.unenforced > 0
    assert len(report.open_questions) == draft.verdict.questions.weighty == 0
    page = goods.zhao.get(goods.place).text
    assert all(one.title in page for one in open_)
    assert "seen: question" in page and " · ren " in page
    told = goods.zhao.get(f"{goods.place}/definition").text
    assert re.search(r"count weighty[^>]*>[^<]*<b>0</b>", told) and f"<b>{report.warnings}</b>" in told


def test_the_definition_of_a_version_stands_beside_its_document(goods: Handed) -> None:
    """As long as its build has the document in the very bytes; what was decided is told either way, in words."""
    goods.accept("question")
    goods.submit()
    address, text = f"{goods.place}/definition", "The storekeeper releases the goods."
    shown = goods.zhao.get(address).text
    source = shown[shown.index('class="pane source') :]
    assert text in re.sub("<[^>]+>", "", source) and 'href="/builds/goods"' in shown
    assert " · ren " in shown and "seen: question" in shown
    file = next(goods.out.glob("*/document.json"))
    read = json.loads(file.read_text("utf-8"))
    read["source"]["sha256"] = "0" * 64
    file.write_text(json.dumps(read), "utf-8")
    del goods.site.builds.named["goods"]
    for _ in range(2):
        bare = goods.zhao.get(address).text
        assert "the build of this version is gone" in bare and "The documents are not here" in bare
        assert " · ren " in bare and 'href="/builds/goods"' not in bare
        goods.site.builds.named["goods"] = BuildFolder("goods", "goods", goods.out)


def test_a_prohibition_that_nobody_sees_to_takes_a_reason(goods: Handed) -> None:
    """It is told in its words; accepted in the draft, it is not, and what else is open takes a reason as well."""
    goods.accept("question")
    goods.submit()
    stopped = goods.publish()
    assert stopped.status == 409 and "nobody accepted that" in stopped.text and "Smoking" in stopped.text
    goods.back()
    goods.accept("prohibition")
    goods.submit()
    assert "nobody accepted that" not in goods.zhao.get(goods.place).text
    bare = goods.publish()
    assert [one for one in left_of(bare) if "why it may stay so" in one] == left_of(bare) != []
    assert 'name="accepted"' in bare.text
    assert left_of(goods.publish("asked the owner")) == [] and "state-published" in goods.zhao.get(goods.place).text


@pytest.mark.parametrize(
    ("language", "told", "kept"), [("en", "things open that", "let pass"), ("zh", "未解决事项", "放行的")]
)
def test_what_a_reason_waives_is_shown_and_kept(goods: Handed, language: str, told: str, kept: str) -> None:
    """Each open thing stands at the reason; the version and the audit keep all of them with it."""
    goods.accept("question")
    goods.submit()
    goods.zhao.get(f"/language/{language}")
    page = goods.zhao.get(goods.place).text
    form = page[page.index('action="/registry') :].partition("</form>")[0]
    assert told in form and "Smoking is prohibited" in form
    shown = re.search(r'name="shown" value="([^"]+)"', form)
    assert shown
    assert goods.publish("the yard is open air", shown="0" * 64).status == 409
    goods.publish("the yard is open air", shown=shown[1])
    page = goods.zhao.get(goods.place).text
    history = page[page.index('<ol class="history">') :]
    assert "the yard is open air" in history and kept in history and "Smoking is prohibited" in history
    with goods.site.workspace.database.transaction() as connection:
        event = next(one for one in audit.events(connection) if one.kind == "version-published")
        version = version_of(connection, goods.workflow)
    assert event.body["waived"] == [one.to_json() for one in version.report.waived]
    assert {one.kind for one in version.report.waived} >= {"prohibition", "step"}


def test_a_case_that_is_wrong_stops_publishing(goods: Handed) -> None:
    """Until it is mended or judged anew; the version has the cases of its draft."""
    goods.accept("question", "prohibition")
    case = goods.judge(Opinion("wrong", "ren", should="the manager decides as well"))
    goods.submit()
    page = goods.zhao.get(goods.place).text
    assert "the manager decides as well" in page and f"{case} wrong" in page
    assert goods.publish("never mind").status == 409
    assert "still wrong" in goods.zhao.get(f"{goods.place}/cases?case={case}").text
    kept = read_cases(version_cases(goods.site.workspace.folder, goods.workflow), goods.workflow)
    assert kept is not None and kept.cases[0].judgement is not None
    goods.back()
    goods.judge(Opinion("right", "ren"))
    goods.submit()
    assert left_of(goods.publish("asked the owner")) == [] and "state-published" in goods.zhao.get(goods.place).text


def test_a_correction_that_leaves_a_prohibition_settles_nothing(goods: Handed) -> None:
    """The queue counts what the verdict counts, whatever was put in from the prohibition's card."""
    from review.forms import operation_from

    draft = goods.draft
    item = next(one for one in unsettled(queue(draft)) if one.subject == "prohibition")
    values = {"id": "weight", "name": "weight", "type": "number"}
    value = operation_from(draft, item, "add_fact", values)
    after = decide(draft, new_decision(draft, item, "correct", author="ren", reason="it is weighed", value=value))
    bare = [one for one in unsettled(queue(after)) if one.subject == "prohibition"]
    assert len(bare) == after.verdict.prohibitions.unenforced == draft.verdict.prohibitions.unenforced
