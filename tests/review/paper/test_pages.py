"""How long reports are, and what is said of what has no room."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from review.paper.fitting import fit, page_count
from review.paper.paper import PAGES, make_paper
from review.paper.parts import Paper, Row, Section, Table, Weight
from review.paper.source import source_of
from review.paper.write_html import html_page

from .conftest import Draft, words_of

CHROMIUM = Path("/usr/bin/chromium")
REPORTED = ("hazmat-transport", "privileged-access", "personal-data-export")
LATIN = re.compile(r"[A-Za-z][A-Za-z_]+")
KNOWN = {"SHA", "flowc", "CAS", "kg"}


@pytest.mark.slow
@pytest.mark.parametrize("case", REPORTED)
def test_a_report_has_three_to_five_pages(case_draft: Draft, case: str, tmp_path: Path) -> None:
    """Printed by a browser as it is by whoever opens it."""
    if not CHROMIUM.is_file():
        pytest.skip(f"needs {CHROMIUM} (apt-get install chromium)")
    paper = make_paper(source_of(case_draft(case)))
    page, printed = tmp_path / "report.html", tmp_path / "report.pdf"
    page.write_text(html_page(paper), "utf-8")
    subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={printed}",
         f"--user-data-dir={tmp_path / 'profile'}", page.as_uri()],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    with pymupdf.open(printed) as pdf:
        assert 3 <= len(pdf) <= PAGES
        assert abs(len(pdf) - page_count(paper)) <= 1
        said = "".join(one.get_text() for one in pdf).replace(" ", "").replace("\n", "")
        numbered = paper.page_of.format(1, len(pdf)).replace(" ", "")
    assert re.search(re.sub(r"\D", ".", numbered), said, re.DOTALL)  # without a font for it Chinese is not read back


@pytest.mark.slow
@pytest.mark.parametrize("case", ["hazmat-transport", "personal-data-export"])
def test_a_chinese_report_says_nothing_in_english(case_draft: Draft, case: str) -> None:
    """No ids, no references, no codes: what is not Chinese stands in the document itself."""
    draft = case_draft(case)
    document = " ".join(one.text for each in draft.documents for one in each.passages())
    names = " ".join(one.doc_id for one in draft.documents)
    for told in words_of(make_paper(source_of(draft))):
        assert "$." not in told and "{" not in told
        for word in LATIN.findall(re.sub(r"\b[0-9a-f]{64}\b", "", told)):
            assert word in KNOWN or word in document or word in names, told


def a_list(title: str, count: int, weight: Weight) -> Section:
    """A section with a table of rows that take several lines each."""
    rows = tuple(Row((f"{title} {number}", "long words " * 20), weight) for number in range(count))
    return Section(title, (Table(rows, ("what", "why"), (0.3, 0.7)),))


def test_the_lightest_rows_go_first_and_are_counted() -> None:
    """Rows that must be kept stay whatever comes of it; each table says how many it lacks."""
    sections = (a_list("kept", 30, Weight.KEPT), a_list("heavy", 40, Weight.HEAVY), a_list("light", 40, Weight.LIGHT))
    paper = Paper("title", "kind", "en", (), sections, "{0} of {1}")
    cut = fit(paper, 5, "and {} more".format)
    kept, heavy, light = (section.parts[0] for section in cut.sections)
    assert isinstance(kept, Table) and isinstance(heavy, Table) and isinstance(light, Table)
    assert page_count(cut) <= 5 < page_count(paper)
    assert (len(kept.rows), kept.left_out) == (30, 0)
    assert len(light.rows) < len(heavy.rows)
    for table, whole in ((heavy, 40), (light, 40)):
        assert len(table.rows) + table.left_out == whole
        assert table.more == (f"and {table.left_out} more" if table.left_out else "")
    assert [row.cells[0] for row in heavy.rows] == [f"heavy {number}" for number in range(len(heavy.rows))]


def test_what_has_room_is_not_cut() -> None:
    """A report that fits stays as it is."""
    paper = Paper("title", "kind", "en", (), (a_list("light", 3, Weight.LIGHT),), "{0} of {1}")
    assert fit(paper, 5, str) == paper == replace(paper)
