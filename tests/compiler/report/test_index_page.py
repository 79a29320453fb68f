"""The front page of a build: every row is there, sums are true, links stay inside the build."""

from bs4 import BeautifulSoup
from emit_hostile import HOSTILE

from compiler.report.index.page import BuildIndex, DocumentRow, ProcedureRow, WorkRow, render_index, total_work
from ir.verdict import ProhibitionCounts, QuestionCounts, StepCounts, Verdict

DOCUMENTS = (
    DocumentRow("制度/a b#1.pdf", "pdf", 5, "policy", 2, folder="制度/a b#1"),
    DocumentRow("scan.pdf", "pdf", 3, refused="it holds images only; install the extra ocr", code="no-text-layer"),
)
OPEN = Verdict(
    sound=True,
    questions=QuestionCounts(all=2, weighty=1),
    steps=StepCounts(all=6, executable=3, manual=2, unmapped=1),
    prohibitions=ProhibitionCounts(all=3, enforced=1, unenforced=2),
    read_by="glm",
)
PROCEDURES = (
    ProcedureRow("审批", "制度/a b#1.pdf", "制度/审批?.review.html", 0, 1, OPEN, "high"),
    ProcedureRow("报销", "制度/a b#1.pdf", None, 2, 0, Verdict(sound=False, steps=StepCounts(all=4, executable=4))),
)
WORK = (WorkRow("parse_document", 1.5), WorkRow("align_steps", 2.0, 3, 100, 50, None))


def soup(index: BuildIndex) -> BeautifulSoup:
    """The page as a browser would read it."""
    return BeautifulSoup(render_index(index), "html.parser")


def test_rows_and_totals() -> None:
    """Procedures and documents with their findings, and the sums of both in the head."""
    page = soup(BuildIndex("build", "zh", DOCUMENTS, PROCEDURES, WORK, (("编译器", "flowc"),), 9.0))
    tables = page.select("table.sortable tbody")
    assert [len(body.select("tr")) for body in tables] == [2, 2]
    assert "no-text-layer" in tables[1].get_text()
    tiles = [tile.get_text(" ", strip=True) for tile in page.select(".tile")]
    assert tiles == ["2 文档", "1 未处理", "2 流程", "1 有错误", "1 警告", "2 待确认", "1 要紧", "2 无保证的禁止",
                     "10 步骤", tiles[-1]]  # fmt: skip
    assert "7 / 2 / 1" in tiles[-1]


def test_links_stay_inside_the_build() -> None:
    """Addresses are relative and quoted, whatever files are called."""
    row = ProcedureRow("x", "d", "javascript:alert(1)", 0, 0, OPEN)
    page = soup(BuildIndex("build", "en", DOCUMENTS, (*PROCEDURES, row)))
    links = [str(link["href"]) for link in page.select("a")]
    assert all(link.startswith("./") for link in links)
    assert "./javascript%3Aalert%281%29" in links
    assert "./%E5%88%B6%E5%BA%A6/a%20b%231" in links


def test_unknown_is_not_zero() -> None:
    """A sum over an unknown cost is unknown; passes that ask no model have no tokens to know."""
    total = total_work(WORK)
    assert (total.calls, total.tokens_in, total.cost) == (3, 100, None)
    page = soup(BuildIndex("build", "en", work=WORK))
    cells = [cell.get_text() for cell in page.select("tr.total td")]
    assert cells == ["3", "3.5", "100", "50", "unknown"]


def test_page_is_self_contained_and_safe() -> None:
    """One script, no foreign address, and hostile names stay text."""
    rows = (DocumentRow(HOSTILE, refused=HOSTILE, code="x"),)
    procedures = (ProcedureRow(HOSTILE, HOSTILE, HOSTILE, 0, 0, OPEN),)
    page = soup(BuildIndex(HOSTILE, "en", rows, procedures, facts=((HOSTILE, HOSTILE),)))
    assert len(page.find_all("script")) == 1
    assert not page.select("img, link, [src], [style]")
    assert HOSTILE in page.get_text()


def test_empty_build_has_a_page() -> None:
    """A build of nothing says that there is nothing."""
    text = soup(BuildIndex("build", "en")).get_text(" ")
    assert "No documents." in text
    assert "No procedures were found." in text
