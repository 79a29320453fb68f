"""What a report says of a procedure, its cases and its changes, as Word document and as page."""

import json
import re
from io import BytesIO
from pathlib import Path

import docx
import pytest
from docx.oxml.ns import qn

from catalog.load import load_catalog
from compiler.report.markup import plain
from compiler.report.review.parts import Review
from ir.codec import digest, read_form, read_workflow, read_yaml
from ir.scenario import ExpectedResult, Scenario, Scenarios
from ir.workflow import Workflow
from review.decide import decide, new_decision
from review.paper.paper import make_paper
from review.paper.parts import Picture, Signatures
from review.paper.source import PaperSource, source_of
from review.paper.write_docx import docx_bytes
from review.paper.write_html import html_page
from review.queue import queue
from validator.checks import CheckInput, validate

from .conftest import CASES, compiled, rows_under, word_text, words_of

POLICY = """# Release of goods

1. The clerk enters the order in the register.
2. The manager approves the order within 3 days. If the manager approves it, the clerk releases the goods; otherwise the
order ends.
3. If the amount exceeds 5000 EUR, the director approves the order.
4. The clerk must not release the goods without a label.
5. Smoking is prohibited in the store.
"""
GOLD = CASES / "hazmat-transport" / "gold" / "transport-compliance.workflow.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one policy."""
    made = tmp_path / "policies"
    made.mkdir()
    (made / "release.md").write_text(POLICY, encoding="utf-8")
    return made


def gold() -> Workflow:
    """The workflow of the first case as it should be."""
    workflow, faults = read_workflow(GOLD)
    assert workflow is not None and not faults
    return workflow


def gold_scenarios() -> tuple[Scenario, ...]:
    """Its scenarios."""
    raw, _ = read_yaml((CASES / "hazmat-transport" / "scenarios.yaml").read_text("utf-8"))
    listed, faults = read_form(Scenarios, raw)
    assert listed is not None and not faults
    return tuple(one for one in listed.scenarios if one.workflow == gold().workflow_id)


def of_gold(scenarios: tuple[Scenario, ...] | None = None, earlier: Workflow | None = None) -> PaperSource:
    """What is known of it without its documents."""
    return PaperSource(Review(workflow=gold(), catalog=load_catalog()), scenarios=scenarios, earlier=earlier)


def test_who_does_what_and_what_is_forbidden(folder: Path) -> None:
    """Steps with who and when, approvals with what follows, prohibitions with what keeps them, all with clauses."""
    paper = make_paper(source_of(compiled(folder)))
    steps = rows_under(paper, "Who does what, and when")
    assert any("enters the order" in row[1] and row[2].lower() == "clerk" and row[5] == "1" for row in steps)
    (manager,) = [row for row in rows_under(paper, "Approvals") if "manager" in row[1].lower()]
    assert "3 days" in manager[2] and manager[4] == "2" and "not approved" in manager[3]
    bans = {row[0]: row for row in rows_under(paper, "Prohibitions, and how each is kept")}
    assert bans["Smoking is prohibited in the store."][1].startswith("Nothing enforces it")
    assert bans["Smoking is prohibited in the store."][2] == "5"
    assert any("amount is more than 5000" in row[1] for row in rows_under(paper, "Decisions and limits"))
    for told in words_of(paper):
        assert not re.search(r"\$\.|==|\w+_\w+|[{}]", told), told


def test_steps_without_means_are_no_questions(folder: Path) -> None:
    """The questions listed are as many as the overview and the page count; what no Type fits stands among the steps."""
    draft = compiled(folder)
    assert draft.verdict is not None and draft.verdict.steps.unmapped > 0
    paper = make_paper(source_of(draft))
    listed = [row for row in rows_under(paper, "Open questions") if len(row) == 3]
    assert len(listed) == draft.verdict.questions.all > 0
    steps = rows_under(paper, "Who does what, and when")
    assert sum(row[3] == "no means yet" for row in steps) == draft.verdict.steps.unmapped


def test_what_people_accepted_is_told_with_who_and_why(folder: Path) -> None:
    """An accepted prohibition is no longer told as one that nothing enforces."""
    draft = compiled(folder)
    ban = next(one for one in queue(draft) if one.subject == "prohibition" and "Smoking" in one.title)
    after = decide(draft, new_decision(draft, ban, "accept", author="Ng", reason="signs are put up"))
    paper = make_paper(source_of(after))
    (row,) = rows_under(paper, "Decisions taken and gaps accepted")
    assert "Smoking" in row[0] and row[1] == "Accepted" and row[2] == "signs are put up" and row[3].startswith("Ng ")
    (told,) = [row for row in rows_under(paper, "Prohibitions, and how each is kept") if "Smoking" in row[0]]
    assert told[1].startswith("Accepted: signs are put up (Ng, ")


def test_a_decision_that_does_not_hold_is_told_so(folder: Path) -> None:
    """The words that were decided on are not in the document any more."""
    draft = compiled(folder)
    ban = next(one for one in queue(draft) if one.subject == "prohibition" and "Smoking" in one.title)
    decide(draft, new_decision(draft, ban, "accept", author="Ng", reason="signs are put up"))
    text = (folder / "release.md").read_text("utf-8")
    (folder / "release.md").write_text(text.replace("5. Smoking is prohibited in the store.\n", ""), encoding="utf-8")
    (row,) = rows_under(make_paper(source_of(compiled(folder))), "Decisions taken and gaps accepted")
    assert "does not hold any more" in row[1]


def test_cases_are_played_and_told(tmp_path: Path) -> None:
    """Each is told by what decides; one that comes out otherwise says how; one of other steps is stale."""
    scenarios = gold_scenarios()
    wrong = scenarios[0].model_copy(update={"result": ExpectedResult(status="rejected")})
    stale = scenarios[0].model_copy(update={"path": ("nowhere",)})
    rows = rows_under(make_paper(of_gold((*scenarios, wrong, stale))), "测试案例与覆盖")
    assert [row[2] for row in rows[: len(scenarios)]] == ["相符"] * len(scenarios)
    assert rows[-2][1:] == ("驳回", "不符：实为完成")
    assert rows[-1][2].startswith("已过时")
    assert "危险等级：二类" in rows[0][0] and "运输方式：公路" in rows[0][0] and "5000 kg" in rows[0][0]
    assert any("CAS号查不到或未知" in row[0] for row in rows)


def test_coverage_says_what_no_case_comes_through() -> None:
    """Figures of cases, steps and ways; the steps that are left by name."""
    (case,) = gold_scenarios()[:1]
    said = " ".join(words_of(make_paper(of_gold((case,)))))
    assert "1 个案例，1 个相符" in said and "补充查不到的信息" in said.partition("没有案例经过：")[2]


def test_changes_are_told_by_meaning() -> None:
    """A limit, an approver and a deadline that changed, in words; what is the same is not told."""
    raw = gold().to_json()
    nodes = raw["nodes"]
    assert isinstance(nodes, dict)
    text = json.dumps(raw, ensure_ascii=False).replace("30000", "25000").replace('["安全总监"]', '["物流总监"]')
    text = text.replace('"P1BD"', '"P3BD"')
    earlier, _ = read_workflow(text.encode())
    assert earlier is not None
    rows = rows_under(make_paper(of_gold(earlier=earlier)), "与上一版相比的变化")
    told = "\n".join("|".join(row) for row in rows)
    assert "审批人：原为“物流总监”，现为“安全总监”" in told
    assert "时限：原为“3个工作日”，现为“1个工作日”" in told
    assert "判断改变" in told and "原为审查结论：不合格，现为审查结论：合格" in told
    assert not re.search(r"[A-Za-z]{3,}", told.replace("kg", "")), told
    same = " ".join(words_of(make_paper(of_gold(earlier=gold()))))
    assert "没有变化。" in same


def test_without_a_record_of_statements_nothing_is_said_of_prohibitions() -> None:
    """That none was recorded is not that there is none."""
    said = " ".join(words_of(make_paper(of_gold())))
    assert "没有逐句的记录。" in said and "没有读到禁止性规定" not in said and "禁止性规定 0 条" not in said


def test_what_is_signed_is_named_by_its_digest(folder: Path) -> None:
    """The workflow's digest and each document's stand beside the lines to sign on."""
    draft = compiled(folder)
    (part,) = [one for one in make_paper(source_of(draft)).sections[-1].parts if isinstance(one, Signatures)]
    signed = " ".join(part.signed)
    assert digest(draft.workflow).removeprefix("sha256:") in signed
    assert draft.document.source.sha256 in signed
    assert part.roles == ("Prepared", "Reviewed", "Approved")


def test_word_and_page_say_the_same() -> None:
    """All words of the report stand in both; the Word document has headings, heads that repeat, fonts, page numbers."""
    paper = make_paper(of_gold(gold_scenarios()))
    content, page = docx_bytes(paper), html_page(paper)
    told = word_text(content)
    for words in words_of(paper):
        assert words in told or any(words in one for one in told), words
        assert plain(words) in page
    document = docx.Document(BytesIO(content))
    headings = [one.text for one in document.paragraphs if one.style is not None and one.style.name == "Heading 1"]
    assert headings == [one.title for one in paper.sections]
    assert all(table.rows[0]._tr.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None for table in document.tables)
    fonts = document.styles["Normal"].element.rPr.rFonts
    assert fonts.get(qn("w:eastAsia")) == "Microsoft YaHei"
    fields = [one.text for one in document.sections[0].footer._element.iter(qn("w:instrText"))]
    assert fields == ["PAGE", "NUMPAGES"]
    pictures = [one for section in paper.sections for one in section.parts if isinstance(one, Picture)]
    assert len(document.inline_shapes) == len(pictures) == page.count("<img ") == 1
    assert "<script" not in page and "@page" in page and "http" not in page.replace("http-equiv", "")


def test_what_a_document_says_is_no_markup() -> None:
    """Titles with markup and characters that no file may hold are shown as text."""
    raw = gold().model_copy(
        update={"metadata": gold().metadata.model_copy(update={"title": "<script>\x0b</script>\u202e"})}
    )
    paper = make_paper(PaperSource(Review(workflow=raw, catalog=load_catalog())))
    assert "<script" not in html_page(paper) and "&lt;script&gt;" in html_page(paper)
    assert any("<script>" in one for one in word_text(docx_bytes(paper)))


def test_a_workflow_with_faults_is_told_as_far_as_it_goes() -> None:
    """A cycle and an edge to nowhere: the report says that it may not run, and that cases cannot be played."""
    broken = gold()
    back = broken.edges[0].model_copy(update={"source": "summary", "target": "identify"})
    lost = broken.edges[0].model_copy(update={"source": "nowhere", "target": "level"})
    workflow = broken.model_copy(update={"edges": (*broken.edges, back, lost)})
    catalog = load_catalog()
    found = validate(CheckInput(workflow, catalog))
    review = Review(workflow=workflow, catalog=catalog, diagnostics=tuple(found))
    paper = make_paper(PaperSource(review, scenarios=gold_scenarios(), earlier=gold()))
    said = list(words_of(paper))
    assert "草案中还有错误，改正前不得执行。" in said
    assert said.count("流程有环或断路，无法检验") == len(gold_scenarios())
    assert word_text(docx_bytes(paper)) and html_page(paper)
