"""Rules that hold for a whole run are guards; what nothing enforces is asked."""

from pathlib import Path

from compiler.build.builder import compile_documents
from ir.infix import to_infix
from ir.walk import walk
from ir.workflow import Workflow


def drafted(tmp_path: Path, text: str) -> Workflow:
    """The draft of a text that is all of a policy."""
    (tmp_path / "policy.txt").write_text(text + "\n", "utf-8")
    (one,) = compile_documents(tmp_path).procedures
    return one.workflow


def test_a_prohibition_stops_the_run_that_breaks_it(tmp_path: Path) -> None:
    """Both ways round of the negation, in both languages: above the limit the run is refused, at it it is not."""
    for number, text in enumerate(
        [
            "Vehicles must not carry more than 5 tonnes of solvent.",
            "Vehicles must carry no more than 5 tonnes of solvent.",
            "车辆单次运输数量不得超过5吨。",
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        workflow = drafted(folder, text)
        ends = [walk(workflow, {"quantity_kg": kg}, {}).result.status for kg in (4999, 5000, 5001)]
        assert ends == ["completed", "completed", "rejected"], text


def test_an_exception_is_part_of_the_guard(tmp_path: Path) -> None:
    """`unless` lets through, and the yes or no that decides is asked about with its words."""
    workflow = drafted(tmp_path, "The load may not exceed 5 t, except in an emergency.")
    (guard,) = workflow.guards
    assert "quantity_kg > 5000" in to_infix(guard.condition)
    assert [gap.kind for gap in workflow.gaps] == ["unclear_condition"]
    assert "an emergency" in workflow.gaps[0].question


def test_a_prohibition_that_is_not_understood_is_asked_about(tmp_path: Path) -> None:
    """No node, no guard: a question with its words."""
    workflow = drafted(tmp_path, "The clerk files the form. Gifts of a certain kind must not be accepted lightly.")
    assert workflow.guards == ()
    assert any("must not be accepted" in gap.question for gap in workflow.gaps)


def test_beside_steps_a_rule_is_no_precondition(tmp_path: Path) -> None:
    """What is not registered must not leave; a step registers it, so that the run may start without: it is asked."""
    workflow = drafted(tmp_path, "仓管员应当办理货物备案。未办理备案的货物不得发运。承运人应当发运货物。")
    assert workflow.guards == ()
    assert any("备案" in gap.question and gap.kind == "unclear_condition" for gap in workflow.gaps)


def test_a_permission_that_nothing_carries_is_asked_about(tmp_path: Path) -> None:
    """Where rules are all that there is, what may be done has to stand somewhere, too."""
    workflow = drafted(tmp_path, "Tellers may, at their discretion, waive small charges for long-standing customers.")
    assert any("waive small charges" in gap.question for gap in workflow.gaps)
