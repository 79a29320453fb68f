"""The queue, two reviewers at once, undo, and decisions out and in."""

import json
from pathlib import Path

import pytest
from conftest import Bench
from test_corrections import item

from compiler.build.builder import redraft
from compiler.build.folder import write_build
from compiler.build.scheduler import Settings
from ir.decision import read_decisions
from ir.errors import BadInputFile
from review.decide import decide, decide_all, new_decision, undo
from review.errors import Conflict, Refused
from review.exchange import export_lines, import_lines, import_sheet, write_sheet
from review.folder import read_build
from review.forms import operation_from
from review.queue import Risk, agreed, progress, queue
from review.status import status


def test_the_riskiest_comes_first(bench: Bench) -> None:
    """Prohibitions, approvals, weighty questions, unmapped steps; keys are unique and stay."""
    items = queue(bench.draft)
    assert [one.risk for one in items] == sorted(one.risk for one in items)
    assert {one.title for one in items if one.risk is Risk.APPROVAL} == {
        "The manager approves the order within 3 days", "the director approves the order",
    }  # fmt: skip
    assert len({one.key for one in items}) == len(items)
    draft = bench.draft
    after = decide(draft, new_decision(draft, items[0], "accept", author="Ng", reason="seen"))
    assert {one.key for one in queue(after)} == {one.key for one in items}
    assert progress(queue(after)) == (1, len(items))


def test_what_is_agreed_is_accepted_together_each_for_itself(bench: Bench) -> None:
    """One line each, all of them or none."""
    draft = bench.draft
    together = agreed(queue(draft))
    assert together
    assert all(one.standing == "verbatim" and not one.why for one in together)
    after = decide_all(draft, [new_decision(draft, one, "accept", author="Ng", reason="seen") for one in together])
    assert len(after.build.decisions.read_text("utf-8").splitlines()) == len(together)
    assert progress(queue(after))[0] == len(together)


def test_a_second_reviewer_is_told(bench: Bench) -> None:
    """Nothing is written over; about another element both decide."""
    first = second = bench.draft
    own, other = item(first, "step", "enters the order"), item(first, "step", "sends the papers")
    decide(first, new_decision(first, own, "accept", author="Ng", reason="seen"))
    with pytest.raises(Conflict) as caught:
        decide(second, new_decision(second, own, "reject", author="Wu", reason="no"))
    assert caught.value.other.author == "Ng"
    after = decide(second, new_decision(second, other, "accept", author="Wu", reason="seen"))
    assert [one.author for one in after.decisions] == ["Ng", "Wu"]


def test_undo_gives_the_draft_back_and_keeps_both_lines(bench: Bench) -> None:
    """Of the author's own last decision."""
    draft = bench.draft
    one = item(draft, "step", "enters the order")
    operation = operation_from(draft, one, "change_step.actor", {"value": "Porter"})
    decide(draft, new_decision(draft, one, "correct", author="Ng", reason="x", value=operation))
    with pytest.raises(Refused):
        undo(bench.draft, "Wu")
    after = undo(bench.draft, "Ng")
    assert after.workflow == draft.workflow
    assert [one.kind for one in after.decisions] == ["correct", "undo"]


def test_a_decision_without_a_reason_is_refused(bench: Bench) -> None:
    """Nothing is written."""
    draft = bench.draft
    with pytest.raises(Refused):
        decide(draft, new_decision(draft, queue(draft)[0], "accept", author="Ng", reason=" "))
    assert not draft.build.decisions.exists()


def test_a_draft_made_again_is_the_compiled_one(bench: Bench, tmp_path: Path) -> None:
    """Byte for byte, from what was read and the decisions alone."""
    draft = bench.draft
    step, condition = item(draft, "step", "enters the order"), item(draft, "condition", "exceeds 5000")
    decide_all(draft, [
        new_decision(draft, step, "correct", author="Ng", reason="x",
                     value=operation_from(draft, step, "change_step.actor", {"value": "Porter"})),
        new_decision(draft, condition, "reject", author="Ng", reason="not this sum"),
        new_decision(draft, item(draft, "prohibition", "Smoking"), "accept", author="Ng", reason="seen"),
    ])  # fmt: skip
    bench.compile()
    folder = read_build(bench.out)
    listed = read_decisions(folder.decisions.read_text("utf-8"), "d")
    write_build(
        redraft(folder.readings, Settings(embedder="lexical", syntax=False, decisions=listed)), tmp_path / "two"
    )
    for name in ("workflow", "diagnostics", "statements"):
        (one,) = bench.out.glob(f"release/*.{name}.json")
        assert one.read_bytes() == (tmp_path / "two" / "release" / one.name).read_bytes()
    for name in ("procedures.json", "reading.json", "decided.json", "document.json"):
        assert (bench.out / "release" / name).read_bytes() == (tmp_path / "two" / "release" / name).read_bytes()


def test_lines_go_out_and_in(bench: Bench, tmp_path: Path) -> None:
    """What is known is left alone; a line that is none is said, and nothing is taken."""
    draft = bench.draft
    after = decide(draft, new_decision(draft, queue(draft)[0], "accept", author="Ng", reason="seen"))
    text = export_lines([after])
    after.build.decisions.unlink()
    assert len(import_lines(bench.draft, text, "x").taken) == 1
    again = import_lines(bench.draft, text, "x")
    assert (again.taken, again.known) == ((), 1)
    with pytest.raises(BadInputFile, match="x, line 2"):
        import_lines(bench.draft, text + json.dumps({"kind": "accept"}) + "\n", "x")
    assert status([bench.draft]).counts["accept"]["unchanged"] == 1


def test_answers_come_in_from_a_sheet(bench: Bench, tmp_path: Path) -> None:
    """Words of a document are never a formula; a row that is asked no more is said."""
    openpyxl = pytest.importorskip("openpyxl")
    bench.change("6. Smoking is prohibited in the store.", "6. =1+1 is prohibited in the store.")
    draft = bench.draft
    file = tmp_path / "questions.xlsx"
    assert write_sheet([draft], file) == sum(
        one.open and one.subject in ("question", "prohibition") for one in queue(draft)
    )
    book = openpyxl.load_workbook(file)
    sheet = book.active
    assert {cell.data_type for row in sheet.iter_rows() for cell in row}.isdisjoint({"f"})
    rows = {str(row[1].value): row for row in sheet.iter_rows(min_row=2)}
    key = next(key for key in rows if key.startswith("question:"))
    rows[key][6].value = "then the order ends"
    gone = next(key for key in rows if key.startswith("prohibition:"))
    rows[gone][1].value, rows[gone][6].value = "prohibition:none:1", "seen to"
    book.save(file)
    found = import_sheet([draft], file, "Wu")
    assert [one.value for one in found.taken] == ["then the order ends"]
    assert len(found.refused) == 1
    assert "not asked any more" in found.refused[0]
    assert not next(one for one in queue(bench.draft) if one.key == key).open
    (tmp_path / "none.xlsx").write_text("no sheet")
    with pytest.raises(BadInputFile):
        import_sheet([draft], tmp_path / "none.xlsx", "Wu")


def test_a_reviewed_build_becomes_a_case(bench: Bench, tmp_path: Path) -> None:
    """Once each thing is decided; its gold is measured like any other's."""
    from evals.cases import read_case
    from evals.decisions.from_review import compiled_folder, write_case
    from evals.errors import MalformedSuite

    draft = bench.draft
    with pytest.raises(MalformedSuite, match="are not decided"):
        write_case([draft], compiled_folder(bench.out), tmp_path / "case")
    step = item(draft, "step", "enters the order")
    porter = operation_from(draft, step, "change_step.actor", {"value": "Porter"})
    draft = decide(draft, new_decision(draft, step, "correct", author="Ng", reason="x", value=porter))
    rest = [one for one in queue(draft) if one.open]
    draft = decide_all(draft, [new_decision(draft, one, "accept", author="Ng", reason="seen") for one in rest])
    write_case([draft], compiled_folder(bench.out), tmp_path / "case")
    case = read_case(tmp_path / "case")
    assert [one.step("s1").actor for one in case.procedures] == ["Porter"]
    assert (tmp_path / "case" / "documents" / "release.md").read_bytes() == bench.file.read_bytes()
    with pytest.raises(MalformedSuite, match="stands there"):
        write_case([draft], compiled_folder(bench.out), tmp_path / "case")
