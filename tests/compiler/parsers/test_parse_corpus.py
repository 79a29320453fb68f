"""Real documents beside the repository: facts about them, none of their text."""

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from compiler.parsers import Parsed, parse
from compiler.parsers.pdf import ocr
from ir.diagnostics import has_errors
from ir.document import Block, Document

pytestmark = pytest.mark.slow

CORPUS = Path(__file__).resolve().parents[3].parent / "shared" / "corpus"
CASE = Path(__file__).resolve().parents[3] / "fixtures" / "cases" / "hazmat-transport" / "documents"
INDEX = CORPUS / "index.tsv"
ROWS = INDEX.read_text(encoding="utf-8").splitlines() if INDEX.exists() else []
FILES = [row["file"] for row in csv.DictReader(ROWS, delimiter="\t")]

without_ocr = pytest.mark.skipif(ocr.available(), reason="the ocr extra is here")
needs_corpus = pytest.mark.skipif(not FILES, reason="the shared corpus is not here")


@cache
def parsed(name: str) -> Parsed:
    """What became of a file of the corpus."""
    return parse((CORPUS / name).read_bytes(), name)


def document(name: str) -> Document:
    """The document of a file that must read."""
    found = parsed(name).document
    assert found is not None, parsed(name).diagnostics
    return found


def labelled(name: str, ending: str) -> list[Block]:
    """Body blocks whose label ends so."""
    return [block for block in document(name).body() if block.label and block.label.text.endswith(ending)]


@needs_corpus
@pytest.mark.parametrize("name", FILES)
def test_every_file_is_a_document_or_an_error(name: str) -> None:
    """Addresses are unique, parents come first, spans resolve, labels stand at the text's beginning."""
    found = parsed(name)
    assert (found.document is None) == has_errors(found.diagnostics)
    if found.document is None:
        return
    passages = list(found.document.passages())
    addresses = [passage.address for passage in passages]
    assert len(set(addresses)) == len(addresses)
    seen: set[str] = set()
    for block in found.document.blocks:
        assert block.parent is None or block.parent in seen
        seen.add(block.address)
        if block.label and not block.label.generated:
            assert block.text[: block.label.end].endswith(block.label.text) or not block.label.ordered
            assert 0 < block.label.end <= len(block.text)
        assert block.kind == "heading" or block.kind == "list_item" or block.level == 0
    assert parse((CORPUS / name).read_bytes(), name).document == found.document


@needs_corpus
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("nasty/truncated-fpki-imp.pdf", "truncated-document"),
        ("nasty/encrypted-password.pdf", "encrypted-document"),
        pytest.param("nasty/flat-image-lorem.pdf", "image-only-document", marks=without_ocr),
        pytest.param("nasty/scan-minutes.pdf", "image-only-document", marks=without_ocr),
    ],
)
def test_unreadable_files_are_named(name: str, code: str) -> None:
    """Each gives the one error that fits."""
    assert [found.error_code for found in parsed(name).diagnostics] == [code]


@needs_corpus
@pytest.mark.parametrize(
    ("name", "articles", "chapters"),
    [
        ("zh/labour-contract-regs.docx", 38, 6),
        ("zh/labour-contract-regs.pdf", 38, 6),
        ("zh/cybersecurity-law.pdf", 79, 7),
        ("zh/road-transport-regs.html", 83, 7),
        ("zh/aml-law-2024.html", 65, 7),
        ("zh/accident-report-investigation.html", 46, 6),
        ("zh/govcn-iit-special-deductions.html", 32, 9),
    ],
)
def test_every_article_is_one_block_under_its_chapter(name: str, articles: int, chapters: int) -> None:
    """Articles are counted without gap or double; chapters are headings; each article stands under one."""
    found = labelled(name, "条")
    assert len(found) == articles
    assert len({block.label.text for block in found if block.label}) == articles
    heads = {block.address: block for block in labelled(name, "章")}
    assert len(heads) == chapters
    assert all(block.kind == "heading" for block in heads.values())
    sections = {block.address: block for block in labelled(name, "节")}
    assert all(block.parent in heads or block.parent in sections for block in found)
    assert all(block.text.rstrip("”’）").endswith(("。", "：", "；", ":", ";")) for block in found)
    assert document(name).language == "zh"


@needs_corpus
def test_one_plan_in_three_formats_reads_alike() -> None:
    """Word and HTML agree on every item; the PDF, whose headings are only larger type, nearly so."""
    word, page, print_ = (document(f"en/ir-plan-counteractive.{kind}") for kind in ("docx", "html", "pdf"))

    def words(block: Block) -> str:
        return "".join(block.body.split()).replace("’", "'")

    def items(found: Document) -> Counter[str]:
        return Counter(words(block) for block in found.body() if block.kind == "list_item")

    assert items(word).total() == items(page).total() == 848
    assert (items(word) & items(page)).total() >= 840
    assert (items(word) & items(print_)).total() >= 820
    heads = [Counter(words(b) for b in found.body() if b.kind == "heading") for found in (word, page, print_)]
    assert heads[0] == heads[1]
    assert (heads[0] & heads[2]).total() >= 0.8 * heads[0].total()


@needs_corpus
def test_a_list_resumes_its_numbering() -> None:
    """A counter goes on after an interruption."""
    found = [block.label.text for block in document("nasty/resumed-numbering.docx").body() if block.label]
    assert found == ["1.", "2.", "•", "•", "3."]


@needs_corpus
def test_the_battle_card_has_its_numbered_steps() -> None:
    """Sections are headings; steps carry the browser's numbers; typed letters are a level below."""
    found = document("en/gspbc1010-device-loss.html")
    steps = [block for block in found.body() if block.kind == "list_item" and block.label]
    assert sum(block.label.generated and block.label.ordered for block in steps if block.label) == 25
    assert [block.level for block in steps if block.label and not block.label.generated] == [2] * 4
    assert sum(block.kind == "heading" for block in found.body()) == 7


@needs_corpus
def test_the_expenses_policy_is_one_table() -> None:
    """Six rows of three under three headings of columns."""
    table = next(block for block in document("en/expenses-policy.docx").blocks if block.kind == "table")
    assert (len(table.cells), max(cell.row for cell in table.cells)) == (18, 6)
    assert [cell.header for cell in table.cells[:4]] == [True, True, True, False]


@needs_corpus
def test_requirements_in_a_table_over_pages_are_all_there() -> None:
    """The 26 requirements of one table over three pages stand in its first column."""
    tables = [block for block in document("en/piv-card-body-approval-procedures.pdf").blocks if block.kind == "table"]
    first = [cell.text for cell in tables[-1].cells if cell.column == 1 and not cell.header]
    assert len(first) == len(set(first)) == 25
    assert len({cell.page for cell in tables[-1].cells}) == 3


@needs_corpus
def test_running_headers_and_footers_are_tagged_on_every_page() -> None:
    """Each page's furniture is apart from the body."""
    found = document("en/irm17-ransomware.pdf")
    for tag in ("header", "footer"):
        assert {block.page for block in found.blocks if block.tag == tag} == set(range(1, 10))


@needs_corpus
def test_comments_and_checkboxes_of_real_word_files() -> None:
    """Comments are tagged, boxes show their state."""
    assert sum(block.tag == "comment" for block in document("nasty/comments.docx").blocks) == 3
    marks = Counter(c for passage in document("nasty/checkboxes.docx").passages() for c in passage.text if c in "☑☐")
    assert marks["☑"] >= 3
    assert marks["☐"] >= 3


@pytest.mark.skipif(not CASE.exists(), reason="the case is not here")
def test_the_documents_of_the_hazmat_case() -> None:
    """The policy's articles, the list's rows and the form's keys are all found."""
    found = {path.suffix: parse(path.read_bytes(), path.name).document for path in sorted(CASE.iterdir())}
    policy, chemicals, form = found[".pdf"], found[".html"], found[".docx"]
    assert policy is not None
    assert chemicals is not None
    assert form is not None
    articles = [block for block in policy.body() if block.label and block.label.text.endswith("条")]
    assert len(articles) == len({block.label.text for block in articles if block.label}) > 20
    assert {block.tag for block in policy.blocks} == {None, "header", "footer"}
    (table,) = [block for block in chemicals.blocks if block.kind == "table"]
    assert sum(cell.header for cell in table.cells) == max(cell.column for cell in table.cells)
    assert sum(block.kind == "table" for block in form.blocks) == 3
