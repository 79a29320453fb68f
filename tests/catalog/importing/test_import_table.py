"""Decision tables as Node Types whose rows can be walked."""

from pathlib import Path

import pytest
from pydantic import JsonValue

from catalog.binding import TableBinding
from catalog.importing import Wanted, import_tools
from catalog.importing.errors import MalformedSource
from catalog.node_type import NodeType
from ir.predicate import Always, Ref, evaluate

FILES = Path(__file__).resolve().parents[3] / "fixtures" / "imports"


def table(path: Path, *outcomes: str) -> NodeType:
    """The Type of a table."""
    (node_type,) = import_tools(Wanted(str(path), outcomes=outcomes)).types.values()
    return node_type


def decide(node_type: NodeType, **inputs: JsonValue) -> dict[str, JsonValue]:
    """What the first row gives whose condition holds."""
    assert isinstance(node_type.binding, TableBinding)

    def held(ref: Ref) -> JsonValue:
        return inputs[ref.path[0]]

    for row in node_type.binding.rows:
        if isinstance(row.condition, Always) or evaluate(row.condition, held) is True:  # type: ignore[arg-type]
            return row.outcome
    return {}


@pytest.mark.parametrize(
    ("amount", "category", "approver"),
    [
        (999.99, "travel", "team lead"),
        (1000, "travel", "department head"),
        (5000, "training", "department head"),
        (5000, "food", "controller"),
        (5000.01, "food", "director"),
        (9000, "travel", "controller"),
    ],
)
def test_the_first_row_that_fits_decides(amount: float, category: str, approver: str) -> None:
    """Borders count as the brackets say; several values, exceptions and cells that do not matter."""
    node_type = table(FILES / "approvals.csv")
    assert decide(node_type, amount=amount, category=category)["approver"] == approver


def test_a_table_is_a_decision_without_effects() -> None:
    """Its inputs and outputs have types; what a row leaves out may be null; nothing is assumed."""
    node_type = table(FILES / "approvals.csv")
    assert (node_type.type, node_type.category) == ("approvals.approvals", "decision")
    assert not node_type.capabilities.side_effect
    assert {name: one.type for name, one in node_type.inputs_schema.items()} == {
        "amount": "number",
        "category": "string",
    }
    assert node_type.outputs_schema["approver"].enum == ("team lead", "department head", "director", "controller")
    assert (node_type.outputs_schema["report"].type, node_type.outputs_schema["report"].nullable) == ("boolean", True)
    assert node_type.imported is not None
    assert node_type.imported.assumed == ()


def test_chinese_headings_and_named_outcomes(tmp_path: Path) -> None:
    """如果 and 则 mark columns; else outcomes are named."""
    path = tmp_path / "penalties.csv"
    path.write_text("如果:等级,则:罚款\n一类,50000\n二类,20000\n", encoding="utf-8")
    marked = table(path)
    assert marked.summary == "根据等级按表确定罚款"
    assert marked.binding is not None
    assert set(marked.binding.names.values()) == {"等级", "罚款"}
    path.write_text("class;fine\n1;50000\n2;20000\n", encoding="utf-8")
    named = table(path, "fine")
    assert decide(named, **{"class": 2}) == {"fine": 20000}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "0 rows"),
        ("if a,then b\n", "0 rows"),
        ("a,b\n1,2\n", "a heading that says what the column is"),
        ("if a,if b\n1,2\n", "no column of outcomes"),
        ("if a,then b\n1\n", "/1: found '1 cells'"),
        ("if a,then b\n> x,2\n", "/1/0: found"),
        ("if a,then b\n[1..5),2\nsome,3\n", "numbers alone"),
        ('if a,then b\n"1,2\n', "CSV"),
    ],
)
def test_what_is_no_such_table_is_told(text: str, said: str, tmp_path: Path) -> None:
    """With row and column."""
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MalformedSource) as caught:
        table(path)
    assert said in str(caught.value)
