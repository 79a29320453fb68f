"""Decisions and questions out and in: lines of JSON as they stand, and a sheet of questions to be answered."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from ir.decisions.decision import Decision, decision_line, in_force, read_decisions
from ir.errors import BadInputFile
from review.decide import decide_all, new_decision
from review.draft import ReviewDraft
from review.errors import Conflict, Refused
from review.ledger import append
from review.queue import Item, queue

COLUMNS = ("workflow", "key", "risk", "question", "words", "place", "answer", "reason", "author")
_WIDTHS = (18, 24, 12, 60, 60, 14, 50, 30, 16)
_LONGEST_CELL = 32_000  # characters; a cell takes 32,767
MOST_ROWS = 20_000


@dataclass(frozen=True)
class Imported:
    """What came of an import.

    Args:
        taken: decisions that were added.
        known: how many the file of decisions had already.
        refused: what was not taken, each with its place and the reason.
    """

    taken: tuple[Decision, ...] = ()
    known: int = 0
    refused: tuple[str, ...] = ()


def export_lines(drafts: Sequence[ReviewDraft]) -> str:
    """All decisions of a build, one a line, as they stand."""
    listed = {one.id: one for draft in drafts for one in draft.build_decisions}
    return "".join(map(decision_line, listed.values()))


def import_lines(draft: ReviewDraft, text: str, name: str) -> Imported:
    """Add decisions that were made elsewhere; those that are known are left alone.

    Raises:
        BadInputFile: a line is no decision; nothing was added.
        OutputError: the file of decisions cannot be written.
    """
    given = read_decisions(text, name)
    known = {one.id for one in draft.build_decisions}
    new = tuple({one.id: one for one in given if one.id not in known}.values())
    refused: list[str] = []

    def check(listed: tuple[Decision, ...]) -> None:
        force = in_force(listed)
        for one in new:
            other = next((each for each in force if each.is_about(one) and each.kind == one.kind != "comment"), None)
            if other is not None and one.kind != "undo":
                refused.append(f"{one.id}: decided here by {other.author} ({other.id}); the imported one counts now")

    if new:
        append(draft.build.decisions, new, check)
    return Imported(new, len(given) - len(new), tuple(refused))


def questions_of(drafts: Sequence[ReviewDraft]) -> Iterator[tuple[ReviewDraft, Item]]:
    """What a sheet asks: the open questions of all drafts, and prohibitions that nothing enforces."""
    for draft in drafts:
        for item in queue(draft):
            if item.subject in ("question", "prohibition") and item.open and not item.key.startswith("decision:"):
                yield draft, item


def write_sheet(drafts: Sequence[ReviewDraft], file: Path) -> int:
    """Write the open questions as a sheet; gives how many there are.

    Raises:
        OSError: the file cannot be written.
    """
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    sheet = book.active
    sheet.title = "questions"
    rows = [COLUMNS, *(_row(draft, item) for draft, item in questions_of(drafts))]
    for at, row in enumerate(rows, 1):
        for column, text in enumerate(row, 1):
            cell = sheet.cell(at, column, _shown(text))
            cell.data_type = "s"  # words of a document are no formula, whatever they begin with
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.font = Font(bold=at == 1)
    for column, width in enumerate(_WIDTHS, 1):
        sheet.column_dimensions[get_column_letter(column)].width = width
    sheet.freeze_panes = "A2"
    file.parent.mkdir(parents=True, exist_ok=True)
    book.save(file)
    return len(rows) - 1


def import_sheet(drafts: Sequence[ReviewDraft], file: Path, author: str) -> Imported:
    """Take the answers that were written into a sheet; rows without an answer are left alone.

    Args:
        author: of rows that name none.

    Raises:
        BadInputFile: the file is no such sheet.
        OutputError: the file of decisions cannot be written.
    """
    by_id = {draft.workflow.workflow_id: draft for draft in drafts}
    taken, refused, known = list[Decision](), list[str](), 0
    for number, row in enumerate(_rows(file), 2):
        if not row["answer"]:
            continue
        draft = by_id.get(row["workflow"])
        item = next((one for one in queue(draft) if one.key == row["key"]), None) if draft else None
        if draft is None or item is None:
            refused.append(
                f"row {number}: {row['workflow']} {row['key']} is not asked any more: {row['question'][:80]}"
            )
        elif not item.open:
            known += 1
        else:
            try:
                made = _answer(draft, item, row, author)
                by_id[row["workflow"]] = decide_all(draft, (made,))
                taken.append(made)
            except (Refused, Conflict) as error:
                refused.append(f"row {number}: {error}")
    return Imported(tuple(taken), known, tuple(refused))


def _answer(draft: ReviewDraft, item: Item, row: dict[str, str], author: str) -> Decision:
    by, reason = row["author"] or author, row["reason"] or "answered in a sheet"
    if item.subject == "question":
        return new_decision(draft, item, "answer", author=by, reason=reason, value=row["answer"])
    return new_decision(draft, item, "accept", author=by, reason=row["answer"])


def _row(draft: ReviewDraft, item: Item) -> tuple[str, ...]:
    words = " … ".join(quote for quote, _ in item.words)
    place = ", ".join(dict.fromkeys(block for _, block in item.words if block))
    return draft.workflow.workflow_id, item.key, item.risk.name.lower(), item.title, words, place, "", "", ""


def _shown(text: str) -> str:
    """A text as a cell takes it: no control characters, not too long."""
    plain = "".join(char if char >= " " or char in "\n\t" else " " for char in text)
    return plain if len(plain) <= _LONGEST_CELL else f"{plain[:_LONGEST_CELL]}…"


def _rows(file: Path) -> Iterator[dict[str, str]]:
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = load_workbook(file, read_only=True, data_only=True)
    except (OSError, InvalidFileException, BadZipFile, KeyError, ValueError) as error:
        raise BadInputFile(f"{file}: no sheet can be read ({error}); export one with `flowc review export`") from None
    try:
        rows: Iterator[tuple[Any, ...]] = book[book.sheetnames[0]].iter_rows(max_row=MOST_ROWS, values_only=True)
        heads = [str(one or "").strip() for one in next(rows, ())]
        if missing := [one for one in COLUMNS if one not in heads]:
            told = ", ".join(missing)
            raise BadInputFile(f"{file}: the first row lacks {told}; keep the row of headings as it was exported")
        for row in rows:
            cells = dict(zip(heads, row, strict=False))
            yield {name: _text(cells.get(name)) for name in COLUMNS}
    finally:
        book.close()


def _text(value: object) -> str:
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
