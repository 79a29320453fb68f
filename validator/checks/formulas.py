"""Do formulas fit together, and have a value that their field admits, whatever is read?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ir.diagnostics import Diagnostic, Location, Related
from ir.duration import CALENDARS
from ir.fields import FieldSpec
from ir.formula import Call, Constant, Expression, parts
from ir.formulas.infix import to_formula
from ir.predicate import Literally
from ir.workflow import Rule
from validator.analysis.fit import describe, quoted
from validator.analysis.formula_types import FaultCode, FormulaType, TypeFault, type_formula, type_of_spec
from validator.analysis.formula_units import between_words, odds, unit_words
from validator.analysis.locations import at_node, at_workflow
from validator.analysis.tables import Table, tables
from validator.analysis.types import narrows
from validator.analysis.units import wrong_amount
from validator.check_input import CheckInput, error, warning
from validator.runs.formula_proofs import FormulaFinding, What
from validator.runs.table_proofs import proved_tables


def operand_mismatch(given: CheckInput) -> Iterator[Diagnostic]:
    """An operation of a formula is given something of another type than it takes.

    What: an operand is a text, a list, a date where the operation takes a number, and so on; the values of a list or of
        the two branches of an `if` are of different types; a field is of another type than what is computed for it, or
        of whole numbers where that may have digits behind the point; `item` stands outside `for` and a filter.
    Why: the formula would have no value, and the node fail.
    Bad: `$.inputs.received + 5` where `received` is a date.
    Good: `$.inputs.received + "P5D"`
    """
    for typed, fault in _faults(given):
        if fault.code == "operand-mismatch":
            yield _mistyped(given, typed, fault)


def unit_mismatch(given: CheckInput) -> Iterator[Diagnostic]:
    """A formula adds, compares or gives numbers of different units.

    What: what is added, subtracted, compared or chosen between is in different units; a percentage is used as a plain
        number; the result is in another unit than its field; or a literal is another amount than its own words say.
        Where one side has no unit at all, or only a time more, it is a warning. A product with a bare number may be in
        any unit, since the number may be a rate; things that are counted (points, pallets) need not be named.
    Why: 5 tonnes and 300 kilograms are not 305 of anything.
    Bad: `$.inputs.price + $.inputs.weight`, in CNY and in kg.
    Good: `$.inputs.price + $.inputs.weight * 3 "CNY/kg"`
    """
    for typed, fault in _faults(given):
        if fault.code == "unit-mismatch":
            yield _mistyped(given, typed, fault)


def unknown_calendar(given: CheckInput) -> Iterator[Diagnostic]:
    """A formula counts the working days of a calendar that is not there.

    What: the calendar is neither in `calendars` nor `weekdays@1`.
    Why: which days are working days is not guessed.
    Bad: `add_working_days($.inputs.received, 5, "CN@2026")` without such a calendar.
    Good: the calendar, with its holidays, in `calendars`.
    """
    for typed, fault in _faults(given):
        if fault.code == "unknown-calendar":
            yield _mistyped(given, typed, fault)


def pack_output_mismatch(given: CheckInput) -> Iterator[Diagnostic]:
    """A rule pack declares an output otherwise than the Type of the node that applies it.

    What: `outputs` of the pack has a name that the Type gives too, and the pack's field is no closer description of it.
    Why: what reads the output would be checked against one of the two, and the other be true.
    Bad: `"outputs": {"passed": {"type": "string"}}` for a Type whose `passed` is a boolean.
    Good: another name; or the Type's type, with a unit or a range.
    """
    for name, node in given.workflow.nodes.items():
        pack = given.workflow.rule_packs.get(node.rule_pack or "")
        node_type = given.analysis.scope.type_of(name)
        for key, spec in pack.outputs.items() if pack is not None and node_type is not None else ():
            wider = node_type.outputs_schema.get(key) if node_type is not None else None
            if wider is not None and not narrows(spec, wider):
                yield error(
                    "pack-output-mismatch",
                    f'"{key}" of "{node.rule_pack}" is {describe(spec)}, and "{name}" gives {describe(wider)}',
                    at_workflow(given.workflow, "rule_packs", str(node.rule_pack), "outputs", key),
                    found=describe(spec),
                    expected=describe(wider),
                    related=(Related(message="the node that applies it", location=at_node(given.workflow, name)),),
                )


def division_by_zero(given: CheckInput) -> Iterator[Diagnostic]:
    """A formula divides by what can be zero.

    What: a run can come to the node with values for which the row holds, the division is reached and its divisor is
        zero; they are shown. Where that was not found out it is a warning.
    Why: the formula has no value then, and the node fails.
    Bad: `$.inputs.total / $.inputs.persons`
    Good: `if $.inputs.persons == 0 then 0 else $.inputs.total / $.inputs.persons`; or a guard `persons > 0`; or an
        input with `"minimum": 1`.
    """
    for table, finding in _findings(given, "division"):
        tree = _part(table.rules[finding.row], finding)
        divisor = to_formula(tree.args[1]) if isinstance(tree, Call) and tree.op == "div" else "the divisor"
        known = finding.values is not None
        said = f"divides by {divisor}, which is zero" if known else f"may divide by {divisor} where that is zero"
        yield _formula_fault(given, "division-by-zero", table, finding, said, certain=known)


def null_result(given: CheckInput) -> Iterator[Diagnostic]:
    """A formula can come to null where its field is never null.

    What: the field is not nullable, and a run can come to the node with values, some of them not known, for which the
        result is not known either. Where that was not found out it is a warning.
    Why: whoever reads the field counts on a value; a missing score is no score of zero, and nobody said what it is.
    Bad: `$.inputs.first + $.inputs.second` where `second` may be null.
    Good: `if $.inputs.second is null then $.inputs.first else …`; or a field that is nullable, with an edge for it.
    """
    for table, finding in _findings(given, "null"):
        known = finding.values is not None
        said = "comes to null" if known else "may come to null"
        yield _formula_fault(given, "null-result", table, finding, said, "; the field is never null", certain=known)


def result_out_of_range(given: CheckInput) -> Iterator[Diagnostic]:
    """A formula can come to a value that its field does not admit.

    What: the field has a least or a greatest number, or lists its values, and a run can come to the node with values
        for which the result is another.
    Why: the node fails then. Either the document has a limit that the formula leaves out, or the range is too narrow.
    Bad: `$.inputs.price * 5%` for a fee of at most 500.
    Good: `min($.inputs.price * 5%, 500)`
    """
    for table, finding in _findings(given, "range"):
        spec = (given.analysis.scope.outputs(table.node) or {})[finding.name]
        known = finding.values is not None
        said = f"comes to {quoted(finding.result)}" if known else "may come to another value"
        yield _formula_fault(
            given, "result-out-of-range", table, finding, said, f"; expected {describe(spec)}", certain=False
        )


@dataclass(frozen=True)
class _Typed:
    """A formula where it stands.

    Args:
        tree: over the workflow's own values, where a node applies it.
    """

    pack: str
    row: int
    rule: Rule
    name: str
    tree: Expression
    spec: FieldSpec | None

    @property
    def title(self) -> str:
        """What it is called in messages."""
        return f'"{self.name}" of row {self.rule.rule_id} of "{self.pack}"'


def _typed(given: CheckInput) -> Iterator[_Typed]:
    """Each formula for each node that applies it; by itself where none does."""
    scope, applied = given.analysis.scope, set[str]()
    for table in tables(scope):
        applied.add(table.pack)
        fields = scope.outputs(table.node) or {}
        for (row, name), tree in table.formulas.items():
            yield _Typed(table.pack, row, table.rules[row], name, tree, fields.get(name))
    for key, pack in given.workflow.rule_packs.items():
        for row, rule in enumerate(pack.rules) if key not in applied else ():
            for name, formula in rule.formulas.items():
                yield _Typed(key, row, rule, name, formula.formula, pack.outputs.get(name))


def _faults(given: CheckInput) -> Iterator[tuple[_Typed, TypeFault]]:
    """What does not fit in formulas, and between them and their fields; each once."""
    told = set[tuple[str, int, str, TypeFault]]()
    calendars = [*CALENDARS, *given.workflow.calendars]
    for typed in _typed(given):
        found, faults = type_formula(typed.tree, given.analysis.scope.spec, calendars)
        if typed.spec is not None and not faults:
            faults = tuple(_against_field(found, typed.spec))
        faults = (*faults, *_against_words(typed.tree))
        for fault in faults:
            key = (typed.pack, typed.row, typed.name, fault)
            if key not in told:
                told.add(key)
                yield typed, fault


def _against_field(found: FormulaType, spec: FieldSpec) -> Iterator[TypeFault]:
    """Why what is computed does not fit its field."""
    wanted = type_of_spec(spec)
    if found.kind in ("any", "null") or wanted.kind == "any":
        return
    readings = _kinds(found)
    if wanted.kind not in readings:
        yield _result_fault("operand-mismatch", str(found), describe(spec))
    elif spec.type == "integer" and not found.whole:
        yield _result_fault("operand-mismatch", "a number that may have digits behind the point", describe(spec))
    elif wanted.kind == "number" and found.unit is not None and wanted.unit and odds(found.unit, wanted.unit) != "none":
        note = between_words(found.unit, wanted.unit)
        note = note or ("x% makes a share of a percentage x" if "%" in dict(found.unit) else "")
        certain = odds(found.unit, wanted.unit) == "sure"
        yield _result_fault("unit-mismatch", unit_words(found.unit), unit_words(wanted.unit), note, certain)
    elif wanted.items is not None and found.items is not None:
        inner = found.items, wanted.items
        if "any" not in (inner[0].kind, inner[1].kind) and inner[1].kind not in _kinds(inner[0]):
            yield _result_fault("operand-mismatch", f"a list of {inner[0].kind}", f"a list of {inner[1].kind}")


def _against_words(tree: Expression) -> Iterator[TypeFault]:
    """Literals that are another amount than their own words say."""
    for part, at in parts(tree):
        if isinstance(part, Constant) and part.unit is not None:
            wrong = wrong_amount(Literally(part.value, part.quote, part.status, part.source), part.unit)
            if wrong is not None:
                said = f"{part.value} {part.unit}"
                expected = wrong.words if wrong.amount is None else f"{wrong.amount:.12g} {part.unit}"
                message = f"found {said}, expected {expected}, since its words say {wrong.words}"
                yield TypeFault("unit-mismatch", message, at, said, expected)


def _kinds(found: FormulaType) -> Sequence[str]:
    """The kinds of field that a result may be put into: dates and durations are texts, too."""
    wider = {"date": ("text",), "datetime": ("text",), "duration": ("text",)}.get(found.kind, ())
    literal = ("date", "datetime", "duration") if found.literal is not None else ()
    return (found.kind, *wider, *literal)


def _result_fault(code: FaultCode, found: str, expected: str, note: str = "", certain: bool = True) -> TypeFault:
    said = f"the result: found {found}, expected {expected}" + (f" ({note})" if note else "")
    return TypeFault(code, said, "", found, expected, certain)


def _mistyped(given: CheckInput, typed: _Typed, fault: TypeFault) -> Diagnostic:
    part = next((one for one, at in parts(typed.tree) if at == fault.pointer), typed.tree)
    inside = f"in {to_formula(part)}: " if fault.pointer else ""
    make = error if fault.certain else warning
    return make(
        fault.code,
        f"{typed.title}: {inside}{fault.message}",
        _place(given, typed.pack, typed.row, typed.name, fault.pointer),
        found=fault.found,
        expected=fault.expected,
        evidence=typed.rule.formulas[typed.name].evidence or typed.rule.evidence,
    )


def _findings(given: CheckInput, what: What) -> Iterator[tuple[Table, FormulaFinding]]:
    """What was proved about formulas; of formulas of which the types do not fit, nothing is said."""
    odd = {(typed.pack, typed.row, typed.name) for typed, fault in _faults(given) if fault.code == "operand-mismatch"}
    told = set[tuple[str, int, str, str]]()
    for table, verdicts in proved_tables(given.analysis):
        for finding in verdicts.formulas:
            key = (table.pack, finding.row, finding.name, finding.at)
            if finding.what == what and key not in told and key[:3] not in odd:
                told.add(key)
                yield table, finding


def _part(rule: Rule, finding: FormulaFinding) -> Expression:
    whole = rule.formulas[finding.name].formula
    return next((part for part, at in parts(whole) if at == finding.at), whole)


def _formula_fault(
    given: CheckInput, code: str, table: Table, finding: FormulaFinding, said: str, rest: str = "", *, certain: bool
) -> Diagnostic:
    rule = table.rules[finding.row]
    values = ", ".join(f"{name} = {quoted(value)}" for name, value in (finding.values or {}).items())
    where = f" for {values}" if values else "" if finding.values is not None else "; that was not found out"
    make = error if certain else warning
    return make(
        code,
        f'"{finding.name}" of row {rule.rule_id} of "{table.pack}" ({to_formula(rule.formulas[finding.name].formula)}) '
        f"{said}{where}{rest}",
        _place(given, table.pack, finding.row, finding.name, finding.at),
        witness=None if finding.values is None else dict(finding.values),
        evidence=rule.formulas[finding.name].evidence or rule.evidence,
        related=(Related(message="the node that computes it", location=at_node(given.workflow, table.node)),),
    )


def _place(given: CheckInput, pack: str, row: int, name: str, inside: str) -> Location:
    place = at_workflow(given.workflow, "rule_packs", pack, "rules", row, "formulas", name, "formula")
    return place.model_copy(update={"pointer": f"{place.pointer}{inside}"})


CHECKS = (
    operand_mismatch,
    unit_mismatch,
    unknown_calendar,
    pack_output_mismatch,
    division_by_zero,
    null_result,
    result_out_of_range,
)
