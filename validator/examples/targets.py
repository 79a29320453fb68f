"""What cases are to show of a workflow, and whether a run shows it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Literal, get_args

from pydantic import JsonValue

from ir.predicate import (
    Always,
    Compare,
    Junction,
    Literally,
    Not,
    Null,
    Ref,
    Tree,
    Truth,
    evaluate,
    leaves,
    references,
)
from ir.walk import OpenChoice, Run, choose
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, HUMAN_TASK, Edge
from validator.analysis.branch_outcomes import conditions
from validator.analysis.tables import Table, tables
from validator.analysis.types import Scope
from validator.runs.workflow_analysis import Analysis

Kind = Literal["guard", "side", "open", "error", "row", "value", "outcome", "end"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Place = Literal["guard", "edge", "row"]
Change = Callable[[Compare | Null], Tree]


@dataclass(frozen=True)
class Target:
    """One thing that a case is to show.

    Args:
        kind: `guard`: a guard refuses the run; `side`: an edge for success is taken where a node has to choose;
            `open`: a node cannot choose, as something is not known; `error`: an edge for failure is taken; `row`: a
            row of a rule pack holds; `value`: a comparison decides, with such a value; `outcome`: a person decides so;
            `end`: the run ends there.
        node: the node that chooses, fails, applies the rows, or is the end; None for guards.
        index: of the guard, the edge, or the row.
        place: for `value`, what the comparison stands in.
        leaf: for `value`, which comparison of its condition, from 0.
        wish: for `value` and `outcome`, what the value must be like.
    """

    kind: Kind
    node: str | None = None
    index: int | None = None
    place: Place | None = None
    leaf: int | None = None
    wish: Tree | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """What it is compared by."""
        return tuple(str(part) for part in (self.kind, self.node, self.index, self.place, self.leaf, self.wish))


@dataclass(frozen=True, eq=False)
class Targets:
    """The targets of a workflow.

    Args:
        analysis: of the workflow.
    """

    analysis: Analysis

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """By node the rule pack that it applies."""
        return {table.node: table for table in tables(self.analysis.scope)}

    @cached_property
    def all(self) -> tuple[Target, ...]:
        """All targets, those that say most first."""
        found = [*self._of_guards(), *self._of_edges(), *self._of_rows(), *self._of_people(), *self._of_ends()]
        unique = {one.key: one for one in found}.values()
        return tuple(sorted(unique, key=lambda one: KINDS.index(one.kind)))

    def edges_of(self, node: str) -> dict[int, Edge]:
        """The edges among which a node that succeeded chooses, by index."""
        return {link.index: link.edge for link in self.analysis.graph.out[node] if link.on_success}

    def condition_of(self, target: Target) -> Tree:
        """The condition in which the comparison of a `value` stands, over the workflow's own values."""
        workflow, index = self.analysis.workflow, target.index
        assert index is not None
        if target.place == "guard":
            return workflow.guards[index].condition
        if target.place == "row":
            return self.tables[target.node or ""].trees[index]
        condition = workflow.edges[index].condition
        assert isinstance(condition, Tree)
        return condition

    def read_at(self, target: Target) -> Iterator[Ref]:
        """What the place of a target reads: a guard, all conditions of a choice, a row."""
        if target.kind == "guard" or target.place == "guard":
            yield from references(self.analysis.workflow.guards[target.index or 0].condition)
        elif target.kind == "row" or target.place == "row":
            for tree in self.tables[target.node or ""].trees.values():
                yield from references(tree)
        elif target.node is not None:
            for edge in self.edges_of(target.node).values():
                yield from references(edge.condition)

    @cached_property
    def _readers(self) -> Mapping[Ref, tuple[str, ...]]:
        """By reference the nodes whose choice or rows read it."""
        found: dict[Ref, list[str]] = {}
        for node in self.analysis.graph.order:
            table = self.tables.get(node)
            read = [*(table.reads if table is not None else ())]
            read += [ref for edge in self.edges_of(node).values() for ref in references(edge.condition)]
            for ref in dict.fromkeys(read):
                found.setdefault(ref, []).append(node)
        return {ref: tuple(nodes) for ref, nodes in found.items()}

    def steers(self, run: Run, ref: Ref, value: JsonValue) -> bool:
        """Whether another value of a field changes a choice of a run, what rows give, or which guard refuses it."""

        def truth(tree: Tree) -> Truth:
            return evaluate(tree, lambda other: value if other == ref else run.lookup(other))

        if not run.taken and any(truth(one.condition) != _truth(run)(one.condition) for one in run.workflow.guards):
            return True
        for node in self._readers.get(ref, ()):
            if run.nodes[node] not in ("succeeded", "undecided"):
                continue
            table, edges = self.tables.get(node), self.edges_of(node)
            if table is not None and _given(table, truth) != _given(table, _truth(run)):
                return True
            split = run.workflow.nodes[node].split or "exclusive"
            if edges and choose(edges, split, truth) != choose(edges, split, _truth(run)):
                return True
        return False

    def own_refs(self, target: Target) -> tuple[Ref, ...]:
        """What a target is about: what it wishes, the row or the guard that it is for."""
        found = [*references(target.wish)] if target.wish is not None else []
        table = self.tables.get(target.node or "")
        if table is not None and (target.kind == "row" or target.place == "row"):
            tree = table.trees.get(-1 if target.index is None else target.index)
            found += references(tree) if tree is not None else ()
        if target.kind == "guard":
            found += self.read_at(target)
        return tuple(dict.fromkeys(found))

    def comes_to(self, run: Run, target: Target) -> bool:
        """Whether a run comes to the place of a target."""
        return target.node is None or run.nodes[target.node] not in ("pending", "skipped")

    def shown_by(self, run: Run) -> Iterator[Target]:
        """The targets that a run shows."""
        return (target for target in self.all if self.shows(run, target))

    def shows(self, run: Run, target: Target) -> bool:
        """Whether a run shows a target."""
        node, index = target.node or "", target.index
        match target.kind:
            case "guard":
                return run.stopped and not run.taken and run.undecided is None and self._refused_by(run) == index
            case "side" | "error":
                return index is not None and run.edges[index] == "taken"
            case "open":
                return run.undecided is not None and run.undecided.node == node and run.undecided.why == "unknown"
            case "row":
                table = self.tables[node]
                return run.nodes[node] in ("succeeded", "undecided") and index in table.rows_holding(_truth(run))
            case "outcome":
                return run.nodes[node] in ("succeeded", "undecided") and _holds(run, target)
            case "end":
                return run.nodes[node] == "succeeded"
        return _holds(run, target) and self._decides(run, target)

    def _refused_by(self, run: Run) -> int | None:
        guards = run.workflow.guards
        return next((at for at, guard in enumerate(guards) if evaluate(guard.condition, run.lookup) is not True), None)

    def _decides(self, run: Run, target: Target) -> bool:
        """Whether the run would go on otherwise if the comparison came to the opposite."""
        index, leaf, node = target.index, target.leaf, target.node or ""
        assert index is not None and leaf is not None
        other = flipped(self.condition_of(target), leaf)
        if target.place == "guard":
            refused = self._refused_by(run)
            before = refused is None or refused >= index
            own = evaluate(run.workflow.guards[index].condition, run.lookup)
            return before and own != evaluate(other, run.lookup)
        if target.place == "row":
            if run.nodes[node] not in ("succeeded", "undecided", "failed"):
                return False
            table = self.tables[node]
            changed = replace(table, trees={**table.trees, index: other})
            return _given(table, _truth(run)) != _given(changed, _truth(run))
        edges = self.edges_of(node)
        if run.nodes[node] not in ("succeeded", "undecided"):
            return False
        split = run.workflow.nodes[node].split or "exclusive"
        changed_edge = edges[index].model_copy(update={"condition": other})
        ways = choose(edges, split, _truth(run)), choose({**edges, index: changed_edge}, split, _truth(run))
        return _led(edges, ways[0]) != _led(edges, ways[1])

    def _of_guards(self) -> Iterator[Target]:
        for index, guard in enumerate(self.analysis.workflow.guards):
            yield Target("guard", index=index)
            yield from _values(self.analysis.scope, guard.condition, Target("value", index=index, place="guard"))

    def _of_edges(self) -> Iterator[Target]:
        workflow = self.analysis.workflow
        for node in self.analysis.graph.order:
            if workflow.nodes[node].type == CONTROL_END:
                continue
            for link in self.analysis.graph.out[node]:
                if not link.on_success:
                    yield Target("error", node, link.index)
            edges = self.edges_of(node)
            tested = {index: edge for index, edge in edges.items() if not isinstance(edge.condition, Always)}
            yield from (Target("side", node, index) for index in tested)
            trees = conditions(edges)
            if trees:
                yield Target("open", node)
            for index, tree in trees.items():
                yield from _values(self.analysis.scope, tree, Target("value", node, index, "edge"))

    def _of_rows(self) -> Iterator[Target]:
        for node, table in self.tables.items():
            for index in range(len(table.rules)):
                yield Target("row", node, index)
            for index, tree in table.trees.items():
                yield from _values(self.analysis.scope, tree, Target("value", node, index, "row"))

    def _of_people(self) -> Iterator[Target]:
        for name, node in self.analysis.workflow.nodes.items():
            if node.type == HUMAN_APPROVAL:
                ref = Ref(f"$.outputs.{name}.approved")
                for approved in (True, False):
                    yield Target("outcome", name, wish=Compare("eq", ref, Literally(approved)))
            elif node.type == HUMAN_TASK:
                ref = Ref(f"$.outputs.{name}.outcome")
                for outcome in node.outcomes or ():
                    yield Target("outcome", name, wish=Compare("eq", ref, Literally(outcome)))

    def _of_ends(self) -> Iterator[Target]:
        for name, node in self.analysis.workflow.nodes.items():
            if node.type == CONTROL_END:
                yield Target("end", name)


def _truth(run: Run) -> Callable[[Tree], Truth]:
    return lambda tree: evaluate(tree, run.lookup)


def _holds(run: Run, target: Target) -> bool:
    return target.wish is not None and evaluate(target.wish, run.lookup) is True


def _given(table: Table, truth: Callable[[Tree], Truth]) -> frozenset[str]:
    """What the rows that hold give, written down; beside it which rows are unknown."""
    rows = table.rows_holding(truth)
    said = {f"{table.rules[row].outcome} {table.rules[row].formulas}" for row in rows}
    unknown = {f"row {row}" for row, tree in table.trees.items() if truth(tree) is None}
    return frozenset(said | unknown)


def _led(edges: Mapping[int, Edge], taken: frozenset[int] | OpenChoice) -> object:
    """Where edges lead, and on whose words; an open choice as it is."""
    if isinstance(taken, OpenChoice):
        return taken
    return frozenset((edges[index].target, edges[index].evidence) for index in taken)


def flipped(tree: Tree, leaf: int) -> Tree:
    """A condition of which one comparison says the opposite.

    >>> from ir.predicate import parse_tree
    >>> both = parse_tree({"and": [{"eq": ["$.inputs.a", 1]}, {"exists": "$.inputs.b"}]})
    >>> flipped(both, 1).items[1]
    Not(item=Null(ref=Ref(text='$.inputs.b'), negated=True))
    """
    return with_leaf(tree, leaf, lambda own: Not(own))


def with_leaf(tree: Tree, leaf: int, change: Change) -> Tree:
    """A condition with one of its comparisons, counted from 0, changed."""
    return _with_leaf(tree, leaf, change)[0]


def _with_leaf(tree: Tree, leaf: int, change: Change) -> tuple[Tree, int]:
    """The condition, and how many comparisons are still to be counted."""
    match tree:
        case Not(item):
            inner, left = _with_leaf(item, leaf, change)
            return Not(inner), left
        case Junction(op, items):
            made: list[Tree] = []
            for item in items:
                part, leaf = _with_leaf(item, leaf, change)
                made.append(part)
            return Junction(op, tuple(made)), leaf
        case Compare() | Null():
            return (change(tree) if leaf == 0 else tree), leaf - 1


def _values(scope: Scope, tree: Tree, place: Target) -> Iterator[Target]:
    """The values with which each comparison of a condition has to decide."""
    for at, leaf in enumerate(leaves(tree)):
        for wish in wishes(scope, leaf):
            yield replace(place, leaf=at, wish=wish)


def wishes(scope: Scope, leaf: Compare | Null) -> Iterator[Tree]:
    """What the values of a comparison are to be like: at its border and just beside it, each word and another one."""
    if isinstance(leaf, Null):
        yield from (leaf, Null(leaf.ref, not leaf.negated))
        return
    left, right = leaf.left, leaf.right
    if isinstance(left, Literally) and isinstance(right, Ref) and leaf.op not in ("in", "contains"):
        left, right = right, left
    if leaf.op in ("in", "contains") or not isinstance(left, Ref):
        members = right.value if leaf.op == "in" and isinstance(right, Literally) else None
        if isinstance(members, list) and isinstance(left, Ref):
            yield from (Compare("eq", left, Literally(member)) for member in members)
        else:
            yield leaf
        yield Not(leaf)
    elif leaf.op in ("eq", "ne"):
        yield from (Compare("eq", left, right), Compare("ne", left, right))
    elif isinstance(right, Literally):
        beside = neighbours(right.value, scope, left)
        yield Compare("eq", left, right)
        yield from (Compare("eq", left, Literally(value)) for value in beside)
        if not beside:
            yield from (Compare("lt", left, right), Compare("gt", left, right))
    else:
        yield from (Compare("eq", left, right), Compare("lt", left, right), Compare("gt", left, right))


def neighbours(value: JsonValue, scope: Scope, ref: Ref) -> tuple[JsonValue, ...]:
    """The values just below and just above a border, in its own step; none where it has none.

    >>> step_of(30000), step_of(0.5), step_of(12), step_of(5000.25)
    (1, 0.1, 1, 0.01)
    """
    spec = scope.spec(ref)
    if isinstance(value, int | float) and not isinstance(value, bool):
        step = 1 if spec is not None and spec.type == "integer" else step_of(value)
        beside = [round(value - step, 10), round(value + step, 10)]
        low, high = (spec.minimum, spec.maximum) if spec is not None else (None, None)
        low = 0 if low is None and value >= 0 else low  # what is counted or weighed is seldom less than nothing
        fits = [one for one in beside if (low is None or one >= low) and (high is None or one <= high)]
        return tuple(int(one) if one == int(one) else one for one in fits)
    if isinstance(value, str) and spec is not None and spec.type == "date":
        day = date.fromisoformat(value)
        return tuple((day + timedelta(days=step)).isoformat() for step in (-1, 1))
    return ()


def step_of(value: float) -> float:
    """The step in which a number is written: 1 for whole ones, else its last decimal."""
    text = repr(value)
    return 1 if float(value).is_integer() or "e" in text else float(10 ** -len(text.partition(".")[2]))
