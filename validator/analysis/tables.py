"""Rule packs as decision tables: their rows, over the values that a node is given.

The order of the rows means nothing. A row holds where its condition is true, `otherwise` where those of all others are
false; what the rows that hold give is put together.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from ir.base import canonical_json
from ir.duration import Calendar
from ir.formula import Call, Constant, Expression, Item, expression_references, replace_parts
from ir.formulas.evaluate import FormulaFault, compute
from ir.predicate import (
    REFERENCE,
    Always,
    Compare,
    Junction,
    Literally,
    Lookup,
    Not,
    Null,
    Operand,
    Otherwise,
    Ref,
    Tree,
    Truth,
)
from ir.predicate import references as read_by
from ir.workflow import Rule
from validator.analysis.types import Scope


@dataclass(frozen=True, eq=False)
class Table:
    """A rule pack as one node applies it.

    Args:
        trees: the conditions of its rows over the workflow's own values, by the row's index.
        admitted: what the node's Type admits of these values.
        formulas: what its rows compute, over the workflow's own values, by the row's index and the output's name.
    """

    node: str
    pack: str
    rules: tuple[Rule, ...]
    trees: Mapping[int, Tree]
    admitted: tuple[Tree, ...]
    formulas: Mapping[tuple[int, str], Expression] = field(default_factory=dict)

    @property
    def otherwise(self) -> tuple[int, ...]:
        """The rows for when no other holds."""
        return tuple(index for index, rule in enumerate(self.rules) if isinstance(rule.condition, Otherwise))

    @property
    def always(self) -> tuple[int, ...]:
        """The rows that hold whatever the values are."""
        return tuple(index for index, rule in enumerate(self.rules) if isinstance(rule.condition, Always))

    @property
    def reads(self) -> tuple[Ref, ...]:
        """The values that the rows read, in conditions and in formulas."""
        conditions = [ref for tree in self.trees.values() for ref in read_by(tree)]
        formulas = [ref for tree in self.formulas.values() for ref in expression_references(tree)]
        return tuple(dict.fromkeys((*conditions, *formulas)))

    def rows_computing(self, name: str) -> dict[int, Expression]:
        """The rows that compute a field, with how."""
        return {row: tree for (row, computed), tree in self.formulas.items() if computed == name}

    def rows_by_value(self, name: str) -> list[tuple[JsonValue, tuple[int, ...]]]:
        """Each value that rows give a field as it stands, with those rows."""
        found: dict[str, list[int]] = {}
        for row, rule in enumerate(self.rules):
            if name in rule.outcome:
                found.setdefault(canonical_json(rule.outcome[name]), []).append(row)
        return [(self.rules[rows[0]].outcome[name], tuple(rows)) for rows in found.values()]

    def rows_holding(self, truth: Callable[[Tree], Truth]) -> tuple[int, ...]:
        """The rows that hold where conditions come to this."""
        truths = {row: truth(tree) for row, tree in self.trees.items()}
        held = [*self.always, *(row for row, known in truths.items() if known)]
        rest = self.otherwise if not held and None not in truths.values() else ()
        return tuple(sorted((*held, *rest)))


MOST_ROWS = 200
"""Of the judgements of larger packs nothing is said."""
MOST_VALUES = 12
"""Of a field with more values conditions over them are not told."""


def judged_fields(table: Table, read: Container[Ref]) -> tuple[Ref, ...]:
    """The outputs of a node of which its table says something and that some condition reads."""
    names = dict.fromkeys(name for rule in table.rules for name in rule.names)
    texts = (f"$.outputs.{table.node}.{name}" for name in names)
    fields = (Ref(text) for text in texts if REFERENCE.fullmatch(text))  # another name nothing can read
    return tuple(ref for ref in fields if ref in read) if len(table.rules) <= MOST_ROWS else ()


def judgements(scope: Scope, table: Table, read: Container[Ref]) -> Iterator[Tree]:
    """What holds of the outputs of a node that succeeded, or is unknown: they are what the rows that hold say.

    Where rows contradict each other, nothing is said.
    """
    for ref in judged_fields(table, read):
        given, spec = table.rows_by_value(ref.path[-1]), scope.spec(ref)
        held: list[Tree] = [Junction("or", tuple(_row(table, row) for row in rows)) for _, rows in given]
        held += [_row(table, row) for row in table.rows_computing(ref.path[-1])]
        for at, (value, _) in enumerate(given) if len(given) <= MOST_VALUES else ():
            if spec is not None and (spec.enum is None or value in spec.enum):
                says = Null(ref) if value is None else Compare("eq", ref, Literally(value))
                yield Junction("or", (Not(held[at]), says, *held[:at], *held[at + 1 :]))


def _row(table: Table, row: int) -> Tree:
    """When a row holds."""
    if row in table.trees:
        return table.trees[row]
    always = Compare("eq", Literally(True), Literally(True))
    if row in table.always:
        return always
    return Not(Junction("or", (*table.trees.values(), *(always for _ in table.always))))


def tables(scope: Scope) -> Iterator[Table]:
    """Each rule pack with each node that applies it; without tables that read what is not known."""
    for name, node in scope.workflow.nodes.items():
        pack = scope.workflow.rule_packs.get(node.rule_pack or "")
        if pack is not None and node.rule_pack is not None:
            bound = _bound(scope, name)
            trees = {
                row: _bind(rule.condition, bound)
                for row, rule in enumerate(pack.rules)
                if not isinstance(rule.condition, Always | Otherwise)
            }
            formulas = {
                (row, output): bind_formula(formula.formula, bound)
                for row, rule in enumerate(pack.rules)
                for output, formula in rule.formulas.items()
            }
            table = Table(name, node.rule_pack, pack.rules, trees, tuple(_admitted(scope, name)), formulas)
            if all(scope.spec(ref) is not None for ref in table.reads):
                yield table


def disagree(one: Rule, other: Rule) -> tuple[str, ...]:
    """The fields to which two rows give different values.

    >>> disagree(Rule(rule_id="a", outcome={"ok": True}), Rule(rule_id="b", outcome={"ok": False, "code": "X"}))
    ('ok',)
    """
    shared = [name for name in one.outcome if name in other.outcome]
    return tuple(name for name in shared if Literally(one.outcome[name]) != Literally(other.outcome[name]))


def given_by_row(
    table: Table, row: int, lookup: Lookup, calendars: Mapping[str, Calendar]
) -> dict[str, JsonValue | FormulaFault]:
    """What a row gives for the workflow's own values, as it stands and computed."""
    computed = {name: tree for (at, name), tree in table.formulas.items() if at == row}
    return table.rules[row].outcome | {name: compute(tree, lookup, calendars) for name, tree in computed.items()}


def differing(
    table: Table, rows: tuple[int, int], lookup: Lookup, calendars: Mapping[str, Calendar]
) -> dict[str, tuple[JsonValue, JsonValue]]:
    """The fields to which two rows give different values, with these."""
    one, other = (given_by_row(table, row, lookup, calendars) for row in rows)
    found: dict[str, tuple[JsonValue, JsonValue]] = {}
    for name, value in one.items():
        second = other.get(name, value)
        if isinstance(value, FormulaFault) or isinstance(second, FormulaFault):
            continue
        if Literally(value) != Literally(second):
            found[name] = (value, second)
    return found


def _bound(scope: Scope, node: str) -> Mapping[str, Operand]:
    """What the names of a node's inputs stand for; null where it is not given what its Type could take.

    What the workflow has an input of that name for is read from there, as the walk does, which knows no Types.
    """
    node_type = scope.type_of(node)
    own = [name for name in (node_type.inputs_schema if node_type else ()) if name not in scope.workflow.inputs]
    absent: dict[str, Operand] = dict.fromkeys(own, Literally(None))
    return absent | scope.workflow.nodes[node].inputs


def _bind(tree: Tree, bound: Mapping[str, Operand]) -> Tree:
    """A condition over a node's inputs as one over what they are given."""

    def operand(value: Operand) -> Operand:
        return _meant(value, bound) if isinstance(value, Ref) else value

    match tree:
        case Compare(op, left, right):
            return Compare(op, operand(left), operand(right))
        case Null(ref, negated):
            read = operand(ref)
            if isinstance(read, Ref):
                return Null(read, negated)
            return Compare("eq", Literally((read.value is None) != negated), Literally(True))
        case Not(item):
            return Not(_bind(item, bound))
        case Junction(op, items):
            return Junction(op, tuple(_bind(item, bound) for item in items))


def bind_formula(tree: Expression, bound: Mapping[str, Operand]) -> Expression:
    """A formula over a node's inputs as one over what they are given."""

    def meant(part: Ref | Constant | Item) -> Expression:
        operand = _meant(part, bound) if isinstance(part, Ref) else part
        return _literal(operand.value) if isinstance(operand, Literally) else operand

    return replace_parts(tree, meant)


def _literal(value: JsonValue) -> Expression:
    """A literal that a node is given, in a formula; of an object only the parts can be read."""
    if isinstance(value, list):
        return Call("list", tuple(_literal(item) for item in value))
    return Constant(None if isinstance(value, dict) else value)


def _meant(ref: Ref, bound: Mapping[str, Operand]) -> Operand:
    source = bound.get(ref.path[0]) if ref.root == "inputs" else None
    if source is None:
        return ref
    if isinstance(source, Ref):
        return Ref(".".join((source.text, *ref.path[1:])))
    value = source.value
    for name in ref.path[1:]:
        value = value.get(name) if isinstance(value, dict) else None
    return Literally(value)


def _admitted(scope: Scope, node: str) -> Iterator[Tree]:
    """That the values a node is given are among those which its Type enumerates."""
    node_type = scope.type_of(node)
    for name, ref in scope.workflow.nodes[node].references.items():
        asked = node_type.inputs_schema.get(name) if node_type else None
        if asked is not None and asked.enum is not None:
            yield Junction("or", (Null(ref), Compare("in", ref, Literally(list(asked.enum)))))
