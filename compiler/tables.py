"""Rule packs as decision tables: which rows hold for the values that a node can be given.

The order of the rows means nothing. A row holds where its condition is true, `otherwise` where those of all others are
false; what the rows that hold give is put together. Decided by trying the values that the conditions can tell apart.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from pydantic import JsonValue

from compiler.analysis import Analysis
from compiler.enumerate import Assignment, Space, space_of
from ir.fields import FieldSpec
from ir.predicate import Always, Compare, Junction, Literally, Not, Null, Operand, Otherwise, Ref, Tree, evaluate
from ir.predicate import references as read_by
from ir.workflow import Rule

MOST_TRIED = 1_000_000  # rows times combinations of values
MOST_PAIRED = 60  # rows that are held against each other in pairs where there are too many combinations
Witness = dict[str, JsonValue]


@dataclass(frozen=True, eq=False)
class Table:
    """A rule pack as one node applies it; `trees` are the conditions of its rows over the workflow's own values."""

    node: str
    pack: str
    rules: tuple[Rule, ...]
    trees: Mapping[int, Tree]

    @property
    def otherwise(self) -> tuple[int, ...]:
        """The rows for when no other holds."""
        return tuple(index for index, rule in enumerate(self.rules) if isinstance(rule.condition, Otherwise))

    @property
    def always(self) -> tuple[int, ...]:
        """The rows that hold whatever the values are."""
        return tuple(index for index, rule in enumerate(self.rules) if isinstance(rule.condition, Always))


@dataclass
class Verdicts:
    """What was found out about a table.

    Args:
        conflicts: pairs of rows that can hold together and give one field different values, with values for which.
        gap: values for which no row holds; None where there are none, or it is `open_gap`.
        unreached: rows that hold for no values.
        open_rows, open_gap, open_pairs: what could not be decided.
    """

    conflicts: dict[tuple[int, int], Witness] = field(default_factory=dict)
    gap: Witness | None = None
    unreached: tuple[int, ...] = ()
    open_rows: tuple[int, ...] = ()
    open_gap: bool = False
    open_pairs: tuple[tuple[int, int], ...] = ()


@lru_cache(maxsize=4)
def tables_of(analysis: Analysis) -> tuple[tuple[Table, Verdicts], ...]:
    """Each rule pack with each node that applies it; without tables that read what is not known."""
    found = []
    for name, node in analysis.workflow.nodes.items():
        pack = analysis.workflow.rule_packs.get(node.rule_pack or "")
        if pack is not None and node.rule_pack is not None:
            table = Table(name, node.rule_pack, pack.rules, dict(_trees(analysis, name, pack.rules)))
            specs = _specs(analysis, table)
            if specs is not None:
                found.append((table, _Trial(analysis, table, specs).verdicts()))
    return tuple(found)


def disagree(one: Rule, other: Rule) -> tuple[str, ...]:
    """The fields to which two rows give different values.

    >>> disagree(Rule(rule_id="a", outcome={"ok": True}), Rule(rule_id="b", outcome={"ok": False, "code": "X"}))
    ('ok',)
    """
    shared = [name for name in one.outcome if name in other.outcome]
    return tuple(name for name in shared if Literally(one.outcome[name]) != Literally(other.outcome[name]))


def _trees(analysis: Analysis, node: str, rules: tuple[Rule, ...]) -> Iterator[tuple[int, Tree]]:
    given = analysis.workflow.nodes[node].inputs
    node_type = analysis.scope.type_of(node)
    absent = dict.fromkeys(node_type.inputs_schema if node_type else (), Literally(None))
    bound: Mapping[str, Operand] = {**absent, **given}
    for index, rule in enumerate(rules):
        if not isinstance(rule.condition, Always | Otherwise):
            yield index, _bind(rule.condition, bound)


def _bind(tree: Tree, bound: Mapping[str, Operand]) -> Tree:
    """A condition over a node's inputs as one over what they are given."""

    def operand(value: Operand) -> Operand:
        return _given(value, bound) if isinstance(value, Ref) else value

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


def _given(ref: Ref, bound: Mapping[str, Operand]) -> Operand:
    source = bound.get(ref.path[0]) if ref.root == "inputs" else None
    if source is None:
        return ref
    if isinstance(source, Ref):
        return Ref(".".join((source.text, *ref.path[1:])))
    value = source.value
    for name in ref.path[1:]:
        value = value.get(name) if isinstance(value, dict) else None
    return Literally(value)


def _specs(analysis: Analysis, table: Table) -> dict[Ref, FieldSpec] | None:
    """The type of each value that the rows read; None where one is not known."""
    narrower = _asked(analysis, table.node)
    found: dict[Ref, FieldSpec] = {}
    for ref in (ref for tree in table.trees.values() for ref in read_by(tree)):
        spec, asked = analysis.scope.spec(ref), narrower.get(ref)
        if spec is None:
            return None
        closed = asked is not None and asked.enum is not None and spec.enum is None and asked.type == spec.type
        found[ref] = asked if closed and asked is not None else spec
    return found


def _asked(analysis: Analysis, node: str) -> dict[Ref, FieldSpec]:
    """What the node's Type asks of the values that it reads."""
    node_type = analysis.scope.type_of(node)
    asked = node_type.inputs_schema if node_type else {}
    given = analysis.workflow.nodes[node].references
    return {ref: asked[name] for name, ref in given.items() if name in asked}


@dataclass(frozen=True)
class _Trial:
    """A table with the values to try."""

    analysis: Analysis
    table: Table
    specs: Mapping[Ref, FieldSpec]

    def space(self, *rows: int) -> Space:
        return space_of(
            (self.table.trees[row] for row in rows if row in self.table.trees),
            self.specs.get,
            may_be_null=lambda ref: self.analysis.null_arrives(ref, self.table.node),
        )

    def verdicts(self) -> Verdicts:
        """All at once where the values are few enough, else row by row and pair by pair."""
        space = self.space(*self.table.trees)
        if space.small and space.size * len(self.table.rules) <= MOST_TRIED:
            return self._swept(space)
        return self._paired()

    def _swept(self, space: Space) -> Verdicts:
        found, reached = Verdicts(), set[int]()
        for values in space:
            held = self._held(values)
            reached.update(held)
            if not held and found.gap is None:
                found.gap = values.witness()
            for pair in combinations(held, 2):
                if pair not in found.conflicts and self._disagree(pair):
                    found.conflicts[pair] = values.witness()
        missed = tuple(row for row in range(len(self.table.rules)) if row not in reached)
        if space.exact:
            found.unreached = missed
        else:
            found.open_rows, found.open_gap = missed, found.gap is None
            found.open_pairs = tuple(
                pair
                for pair in combinations(self.table.trees, 2)
                if self._disagree(pair) and pair not in found.conflicts
            )
        return found

    def _held(self, values: Assignment) -> tuple[int, ...]:
        truths = {row: evaluate(tree, values) for row, tree in self.table.trees.items()}
        held = [*self.table.always, *(row for row, truth in truths.items() if truth)]
        rest = self.table.otherwise if not held and None not in truths.values() else ()
        return tuple(sorted((*held, *rest)))

    def _disagree(self, pair: tuple[int, int]) -> bool:
        return bool(disagree(self.table.rules[pair[0]], self.table.rules[pair[1]]))

    def _paired(self) -> Verdicts:
        covered = bool(self.table.otherwise) and not any(
            self.analysis.null_arrives(ref, self.table.node) for ref in self.specs
        )
        found = Verdicts(open_gap=not covered and not self.table.always)
        rows = tuple(sorted((*self.table.always, *self.table.trees)))
        alone = {row: self._together(row) for row in rows}
        found.unreached = tuple(row for row in rows if alone[row] == (None, True))
        found.open_rows = tuple(row for row in rows if alone[row] == (None, False))
        pairs = [pair for pair in combinations(rows, 2) if self._disagree(pair)]
        if len(rows) > MOST_PAIRED:
            found.open_pairs = tuple(pairs)
            return found
        decided = {pair: self._together(*pair) for pair in pairs}
        found.conflicts = {pair: witness for pair, (witness, _) in decided.items() if witness is not None}
        found.open_pairs = tuple(pair for pair, (witness, sure) in decided.items() if witness is None and not sure)
        return found

    def _together(self, *rows: int) -> tuple[Witness | None, bool]:
        """Values for which all of the rows hold, None where none were found; and whether that is sure."""
        space = self.space(*rows)
        if not space.small:
            return None, False
        for values in space:
            if all(evaluate(self.table.trees[row], values) for row in rows if row in self.table.trees):
                return values.witness(), True
        return None, space.exact
