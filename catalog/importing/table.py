"""A decision table as a Node Type: columns of conditions and of outcomes, the first row that fits decides."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from catalog.binding import TableBinding
from catalog.errors import CatalogFault
from catalog.importing.errors import MalformedSource
from catalog.importing.names import field_name
from catalog.importing.read_source import read_text
from catalog.importing.tool import Effects, Source, Tool
from catalog.read import Parsed
from ir.fields import Fields, FieldSpec, FieldType
from ir.predicate import ALWAYS, AnyCondition, Compare, CompareOp, Junction, Literally, Not, Ref, Tree
from ir.workflow import Rule

MOST_ROWS, MOST_COLUMNS = 5_000, 100
_CONDITION = re.compile(r"(?i)(?:if|when|input|condition)(?:\s*:\s*|\s+)(.+)|(?:如果|若|当|条件|输入)[\s:：]*(.+)")
_OUTCOME = re.compile(r"(?i)(?:then|output|outcome|result)(?:\s*:\s*|\s+)(.+)|(?:则|结果|输出)[\s:：]*(.+)")
_ANY = frozenset({"", "-", "*", "any", "任意", "不限"})
_SYMBOLS: dict[str, CompareOp] = {
    "<=": "lte", "≤": "lte", ">=": "gte", "≥": "gte", "!=": "ne", "≠": "ne", "<>": "ne", "<": "lt", ">": "gt",
    "=": "eq",
}  # fmt: skip
_OPERATOR = re.compile(r"(<=|>=|!=|<>|≤|≥|≠|<|>|=)\s*(.+)")
_RANGE = re.compile(r"([\[(])\s*([^\s,;]+?)\s*(?:\.\.|,|;|…)\s*([^\s,;]+?)\s*([\])])")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_TRUTH = {"true": True, "yes": True, "是": True, "false": False, "no": False, "否": False}


@dataclass(frozen=True)
class _Column:
    """A column, and how its cells are read."""

    at: int
    title: str
    name: str
    is_outcome: bool


@dataclass(frozen=True)
class _Test:
    """What a cell demands: a comparison, several values of which one, or a range."""

    op: CompareOp | None
    values: tuple[str, ...]
    closed: tuple[bool, bool] = (True, True)


def read_table(path: Path, outcomes: Sequence[str] = ()) -> Source:
    """The one Type of a decision table.

    A heading says what a column is: `if amount`, `then approver` (`如果 金额`, `则 审批人`). A cell of a condition
    holds a value, several with `|`, a comparison (`>= 5000`, `!= 公路`), a range (`[1000..5000)`), or nothing or `-`
    where the column does not matter; a cell of an outcome a value.

    Args:
        outcomes: titles of the columns that hold outcomes, where their headings do not say so.

    Raises:
        MalformedSource: it is no such table; every fault is listed with its row and column.
    """
    text = read_text(path)
    parsed = Parsed(str(path), text, None)
    faults: list[CatalogFault] = []
    rows = _rows(text, path, faults)
    columns = _columns(rows[0], outcomes, path, faults) if rows else []
    if faults:
        raise MalformedSource(faults)
    tests = {one.at: [_test(row[one.at]) for row in rows[1:]] for one in columns if not one.is_outcome}
    kinds = {
        one.at: _kind([row[one.at].strip() for row in rows[1:]])
        if one.is_outcome
        else _kind([value for test in tests[one.at] if test for value in test.values])
        for one in columns
    }
    rules = tuple(
        Rule(
            rule_id=f"R{number}",
            condition=_condition([(c, tests[c.at][number - 1]) for c in columns if not c.is_outcome], kinds),
            outcome={
                c.name: _value(row[c.at].strip(), kinds[c.at]) for c in columns if c.is_outcome and row[c.at].strip()
            },
        )
        for number, row in enumerate(rows[1:], 1)
    )
    _check_order(columns, tests, kinds, path, faults)
    if faults:
        raise MalformedSource(faults)
    inputs, outputs = _fields(columns, kinds, rules)
    given = ", ".join(one.title for one in columns if one.is_outcome)
    asked = ", ".join(one.title for one in columns if not one.is_outcome)
    chinese = bool(re.search(r"[\u3400-\u9fff]", given))
    tool = Tool(
        name=path.stem,
        path=(),
        binding=TableBinding(kind="table", rows=rules, names=_names(columns)),
        description=f"根据{asked}按表确定{given}" if chinese else f"Determine {given} from {asked} by a table",
        declared=(inputs, outputs),
        effects=Effects(read_only=True),
        tags=("rule_evaluation",),
    )
    return Source(path.name, parsed, (tool,))


def _rows(text: str, path: Path, faults: list[CatalogFault]) -> list[list[str]]:
    sample = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=sample.count) if any(one in sample for one in ",;\t") else ","
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text), delimiter=delimiter, strict=True) if any(map(str.strip, row))
        ]
    except csv.Error as error:
        faults.append(CatalogFault(str(path), "", str(error), "a table in CSV", "correct the file"))
        return []
    if len(rows) < 2 or len(rows) > MOST_ROWS + 1 or len(rows[0]) > MOST_COLUMNS:
        expected = f"headings and 1 to {MOST_ROWS:,} rows in at most {MOST_COLUMNS} columns"
        found = f"{max(len(rows) - 1, 0)} rows in {len(rows[0]) if rows else 0} columns"
        faults.append(CatalogFault(str(path), "", found, expected, "name a file with such a table"))
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(rows[0]):
            faults.append(_fault(path, number, None, f"{len(row)} cells", f"{len(rows[0])}, as there are headings"))
    return rows


def _columns(headings: list[str], outcomes: Sequence[str], path: Path, faults: list[CatalogFault]) -> list[_Column]:
    columns: list[_Column] = []
    known = [heading.strip() for heading in headings]
    for said in outcomes:
        if said not in known:
            faults.append(
                CatalogFault(str(path), "", repr(said), f"one of the headings: {', '.join(known)}", "correct it")
            )
    for at, heading in enumerate(known):
        condition, outcome = _CONDITION.fullmatch(heading), _OUTCOME.fullmatch(heading)
        matched = outcome or condition
        title = next((one.strip() for one in matched.groups() if one), heading) if matched else heading
        is_outcome = heading in outcomes or (bool(outcome) and not outcomes)
        if not title or (not matched and not outcomes):
            expected = "a heading that says what the column is: `if amount` or `then approver`"
            faults.append(_fault(path, 0, at, heading, expected, "correct it, or name the outcomes with --outcome"))
            continue
        name = field_name(title.replace(" ", "_"), [one.name for one in columns if one.is_outcome == is_outcome])
        columns.append(_Column(at, title, name, is_outcome))
    for kind, is_outcome in (("conditions", False), ("outcomes", True)):
        if not faults and not any(one.is_outcome == is_outcome for one in columns):
            faults.append(CatalogFault(str(path), "", f"no column of {kind}", "at least one", "mark it in its heading"))
    return columns


def _test(cell: str) -> _Test | None:
    """What a cell demands; None where the column does not matter for the row."""
    text = cell.strip()
    if text.casefold() in _ANY:
        return None
    if found := _RANGE.fullmatch(text):
        return _Test(None, (found[2], found[3]), (found[1] == "[", found[4] == "]"))
    if found := _OPERATOR.fullmatch(text):
        return _Test(_SYMBOLS[found[1]], (found[2].strip(),))
    return _Test("in" if "|" in text else "eq", tuple(part.strip() for part in text.split("|") if part.strip()))


def _condition(cells: list[tuple[_Column, _Test | None]], kinds: dict[int, FieldType]) -> AnyCondition:
    parts: list[Tree] = []
    for column, test in cells:
        if test is None:
            continue
        ref = Ref(f"$.inputs.{column.name}")
        values = [Literally(_value(one, kinds[column.at]), one, "quoted") for one in test.values]
        if test.op is None:
            parts.append(Compare("gte" if test.closed[0] else "gt", ref, values[0]))
            parts.append(Compare("lte" if test.closed[1] else "lt", ref, values[1]))
        elif test.op == "in":
            parts.append(
                Compare("in", ref, Literally([one.value for one in values], " | ".join(test.values), "quoted"))
            )
        elif test.op == "ne":
            parts.append(Not(Compare("eq", ref, values[0])))
        else:
            parts.append(Compare(test.op, ref, values[0]))
    return ALWAYS if not parts else parts[0] if len(parts) == 1 else Junction("and", tuple(parts))


def _check_order(
    columns: list[_Column],
    tests: dict[int, list[_Test | None]],
    kinds: dict[int, FieldType],
    path: Path,
    faults: list[CatalogFault],
) -> None:
    """Comparisons and ranges need numbers or dates."""
    for column in columns:
        for number, test in enumerate(tests.get(column.at, []), 1):
            ordered = test is not None and (test.op is None or test.op in ("lt", "lte", "gt", "gte"))
            if ordered and kinds[column.at] not in ("integer", "number", "date"):
                expected = "numbers alone, or dates alone, in a column of which rows compare"
                faults.append(_fault(path, number, column.at, test.values if test else "", expected))


def _kind(values: list[str]) -> FieldType:
    """The one type that all values of a column have."""
    said = [one for one in values if one]
    if said and all(_NUMBER.fullmatch(one) or _GROUPED.fullmatch(one) for one in said):
        return "number" if any("." in one for one in said) else "integer"
    if said and all(_DATE.fullmatch(one) for one in said):
        return "date"
    return "boolean" if said and all(one.casefold() in _TRUTH for one in said) else "string"


def _value(text: str, kind: FieldType) -> JsonValue:
    if kind in ("integer", "number"):
        plain = text.replace(",", "")
        return int(plain) if "." not in plain else float(plain)
    return _TRUTH[text.casefold()] if kind == "boolean" else text


def _fields(columns: list[_Column], kinds: dict[int, FieldType], rules: tuple[Rule, ...]) -> tuple[Fields, Fields]:
    inputs: Fields = {}
    outputs: Fields = {}
    for one in columns:
        kind = kinds[one.at]
        title = one.title if one.title != one.name else None
        if not one.is_outcome:
            kind = (
                "number" if kind == "integer" else kind
            )  # a border between whole numbers does not make a whole number
            inputs[one.name] = FieldSpec(type=kind, description=title, required=True)
            continue
        found = [rule.outcome.get(one.name) for rule in rules]
        enum = tuple(dict.fromkeys(value for value in found if value is not None)) if kind == "string" else None
        outputs[one.name] = FieldSpec(
            type=kind, description=title, required=True, nullable=None in found, enum=enum or None
        )
    return inputs, outputs


def _names(columns: list[_Column]) -> dict[str, str]:
    sides = {False: "inputs", True: "outputs"}
    return {f"{sides[one.is_outcome]}.{one.name}": one.title for one in columns if one.title != one.name}


def _fault(
    path: Path, row: int, column: int | None, found: object, expected: str, advice: str = "correct the row"
) -> CatalogFault:
    at = f"/{row}" if column is None else f"/{row}/{column}"
    return CatalogFault(str(path), at, repr(found), expected, advice, row + 1)
