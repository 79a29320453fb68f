"""What has no place is counted once: terminal, page head, tab and JSON say one number."""

from pathlib import Path

from bs4 import BeautifulSoup

from compiler.build.builder import compile_documents
from compiler.build.folder import write_build

POLICY = """# Lockers

## 1. Scope

1.1 This policy governs lockers. 1.2 Every manager must know it.

## 2. Keys

2.1 The tenant submits a form.

2.2 The caretaker checks the form. The deposit amounts to 5% of the rent.

2.3 The caretaker hands over the key.

## 3. Records

3.1 The files are retained for seven years.
"""


def test_tab_and_statements_agree(tmp_path: Path) -> None:
    """The cards of the tab are the unplaced statements; other text that was read into nothing stands below them."""
    (tmp_path / "lockers.md").write_text(POLICY, "utf-8")
    build = compile_documents(tmp_path / "lockers.md")
    (one,) = build.procedures
    count = one.verdict.statements.unplaced
    assert count == sum(each.fate == "unplaced" for each in one.statements) > 0
    write_build(build, tmp_path / "out")
    (page,) = (tmp_path / "out").rglob("*.review.html")
    soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    panel = soup.select_one("#panel-unplaced")
    tab = next(each for each in soup.select("[role=tab]") if each.get("aria-controls") == "panel-unplaced")
    assert panel is not None
    assert len(panel.select("article[data-hash^='statement=']")) == count
    assert str(count) in tab.get_text()
