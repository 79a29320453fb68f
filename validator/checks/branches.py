"""Is exactly one way on chosen, whatever the values?"""

from collections.abc import Iterator

from pydantic import JsonValue

from ir.diagnostics import Diagnostic, Fix, Related
from ir.predicate import Always, Compare, Null, Otherwise, Ref, leaves, references
from validator.analysis.branch_outcomes import conditions
from validator.analysis.fit import quoted
from validator.analysis.locations import at_edge, at_node, edge_name, pointer
from validator.analysis.wording import condition_words
from validator.check_input import CheckInput, error, warning
from validator.proofs.runs import Example
from validator.split_nodes import Edges, splits, success_edges


def branch_overlap(given: CheckInput) -> Iterator[Diagnostic]:
    """Two edges of an exclusive split can hold at once, and none has priority.

    What: for some values more than one condition of a node is true, and the edges bear no `priority`.
    Why: which of them is taken would be chance.
    Bad: `amount > 1000` to one approver and `amount > 5000` to another.
    Good: `"priority": 1` on the edge for 5000, or conditions that exclude each other, or `"split": "inclusive"`.
    """
    yield from _overlaps(given, prioritised=False)


def equal_priority(given: CheckInput) -> Iterator[Diagnostic]:
    """Two edges of an exclusive split can hold at once, and their priorities are equal.

    What: for some values more than one condition of a node is true, and the smallest priority number is on several.
    Why: which of them is taken would be chance.
    Bad: priority 1 on `amount > 1000` and on `amount > 5000`.
    Good: priority 1 on `amount > 5000`, priority 2 on `amount > 1000`.
    """
    yield from _overlaps(given, prioritised=True)


def undecided_branch(given: CheckInput) -> Iterator[Diagnostic]:
    """It could not be proved that exactly one way on is chosen.

    What: the conditions of a node ask what the solver cannot be asked (two lists or objects compared, values of two
        calendars), or it found no answer within its limits; and nothing makes the question needless: a priority on each
        edge, an `otherwise`.
    Why: what was not proved may be wrong, and "not known" is no pass.
    Bad: `{"eq": ["$.inputs.hazards", "$.inputs.declared"]}`, two lists, beside another condition, without priorities.
    Good: `{"contains": ["$.inputs.hazards", "acid"]}`; or priorities and an `otherwise`.
    """
    for name, edges in splits(given):
        if _unsound(given, edges):
            continue
        proved, why = given.analysis.proofs.branches(name), given.analysis.proofs.opaque(name)
        open_ = proved.undecided if proved else tuple(_in_question(given, name, edges))
        if not open_:
            continue
        first = next(index for index, edge in edges.items() if index in conditions(edges))
        yield error(
            "undecided-branch",
            f'it is not proved that "{name}" always takes exactly one way ({", ".join(open_)}): '
            f"{why or 'the solver found no answer within its limits'}",
            at_edge(given.workflow, first, "condition"),
            expected="conditions on single values, or a priority on each edge and an otherwise",
            related=tuple(
                Related(message=condition_words(edge.condition), location=at_edge(given.workflow, index))
                for index, edge in edges.items()
                if index != first
            ),
        )


def incomplete_branch(given: CheckInput) -> Iterator[Diagnostic]:
    """For some values no edge of a node is taken.

    What: a node has conditional edges, neither an `otherwise` nor an unconditional one, and a run can come to it with
        values for which all conditions are false.
    Why: all branches must be enumerated; a run must not stop because nobody thought of a case.
    Bad: `level == "high"` and `level == "low"` where the level may also be medium.
    Good: an edge with `otherwise`, or one for each value of the enumeration.
    """
    for name, edges in splits(given):
        proved = given.analysis.proofs.branches(name)
        if proved is None or not isinstance(proved.gap, Example):
            continue
        words = "; ".join(condition_words(edge.condition) for edge in edges.values())
        values = _values(proved.gap, edges)
        yield error(
            "incomplete-branch",
            f'"{name}" leads on only where {words}: none is true for {_values_text(values, edges)}; expected an '
            "otherwise edge or the missing case",
            at_node(given.workflow, name),
            witness=values,
            related=tuple(
                Related(message=condition_words(edge.condition), location=at_edge(given.workflow, index))
                for index, edge in edges.items()
            ),
        )


def lone_conditions(given: CheckInput) -> Iterator[Diagnostic]:
    """An unconditional edge stands beside conditional ones where `otherwise` may be meant.

    What: a node has conditional edges, an unconditional one, and no `otherwise`.
    Why: the unconditional edge is taken besides the chosen one, in parallel; as the default it must say `otherwise`.
    Bad: `{"condition": {"eq": ["$.outputs.check.passed", false]}}` to a person, and no condition on the way on.
    Good: `"condition": "otherwise"` on the way on; or, if both are meant, an `otherwise` for the conditional ones.
    """
    for name, edges in splits(given):
        always = [index for index, edge in edges.items() if isinstance(edge.condition, Always)]
        if not always or any(isinstance(edge.condition, Otherwise) for edge in edges.values()):
            continue
        patch = ({"op": "add", "path": pointer("edges", always[0], "condition"), "value": "otherwise"},)
        fix = Fix(title="take it only where no condition holds", patch=patch)
        ways = ", ".join(edge_name(edges[index]) for index in always)
        yield warning(
            "lone-conditions",
            f"{ways} has no condition and is taken even where a condition beside it holds; if it is the default, it "
            "must say otherwise",
            at_node(given.workflow, name),
            fixes=(fix,) if len(always) == 1 else (),
        )


def otherwise_alone(given: CheckInput) -> Iterator[Diagnostic]:
    """An `otherwise` stands where there is nothing it could be the alternative to.

    What: a node has an edge with `otherwise` and none with a condition.
    Why: it is always taken; either a condition was lost or the word is wrong.
    Bad: one edge, `"condition": "otherwise"`.
    Good: one edge without condition.
    """
    for name in given.analysis.graph.order:
        edges = success_edges(given, name)
        if conditions(edges):
            continue
        for index, edge in edges.items():
            if isinstance(edge.condition, Otherwise):
                place = at_edge(given.workflow, index, "condition")
                patch = {"op": "replace", "path": place.pointer, "value": "always"}
                yield warning(
                    "otherwise-alone",
                    f"edge {edge_name(edge)} says otherwise, but no edge beside it has a condition; it is always taken",
                    place,
                    fixes=(Fix(title="take it always", patch=(patch,)),),
                )


def duplicate_otherwise(given: CheckInput) -> Iterator[Diagnostic]:
    """A node has more than one `otherwise`.

    What: several edges of a node say `otherwise`; where the conditions only lead null to a person, they may.
    Why: all of them are taken, in parallel, where a reader expects one.
    Bad: `otherwise` to `approve` and `otherwise` to `reject`.
    Good: one `otherwise`; the other has a condition, or comes after it.
    """
    for name, edges in splits(given):
        rest = [index for index, edge in edges.items() if isinstance(edge.condition, Otherwise)]
        guards = all(isinstance(leaf, Null) for tree in conditions(edges).values() for leaf in leaves(tree))
        if len(rest) < 2 or guards:
            continue
        yield warning(
            "duplicate-otherwise",
            f'"{name}" says otherwise more than once, and all are taken: '
            + ", ".join(edge_name(edges[index]) for index in rest),
            at_edge(given.workflow, rest[1], "condition"),
            related=(Related(message="the first of them", location=at_edge(given.workflow, rest[0], "condition")),),
        )


def _overlaps(given: CheckInput, *, prioritised: bool) -> Iterator[Diagnostic]:
    code = "equal-priority" if prioritised else "branch-overlap"
    for name, edges in splits(given):
        proved = given.analysis.proofs.branches(name)
        if proved is None or not isinstance(proved.overlap, Example) or proved.overlap.stuck is None:
            continue
        clash = _distinct(edges, proved.overlap.stuck.edges)
        first, second = clash[:2]
        if (edges[first].priority is not None) != prioritised:
            continue
        values = _values(proved.overlap, {first: edges[first], second: edges[second]})
        level = f"both have priority {edges[first].priority}" if prioritised else "neither has priority"
        yield error(
            code,
            f"{edge_name(edges[first])} ({condition_words(edges[first].condition)}) and {edge_name(edges[second])} "
            f"({condition_words(edges[second].condition)}) both hold for {_values_text(values, edges)}, and {level}",
            at_edge(given.workflow, second, "condition"),
            witness=values,
            related=(Related(message="the other edge", location=at_edge(given.workflow, first, "condition")),),
        )


def _distinct(edges: Edges, clash: tuple[int, ...]) -> list[int]:
    """The edges without those that only stand twice, which has a diagnostic of its own."""
    kept = {(edges[index].target, repr(edges[index].condition)): index for index in reversed(clash)}
    return sorted(kept.values())


def _in_question(given: CheckInput, name: str, edges: Edges) -> Iterator[str]:
    """What would have to be proved of edges about which the solver cannot be asked."""
    ranks = [edge.priority for index, edge in edges.items() if index in conditions(edges)]
    if given.workflow.nodes[name].split != "inclusive" and len(set(ranks)) < len(ranks):
        yield "overlap"
    if not any(isinstance(edge.condition, Always | Otherwise) for edge in edges.values()):
        yield "gap"


def _unsound(given: CheckInput, edges: Edges) -> bool:
    """Whether a condition reads what is not known, or compares what does not fit; each has a diagnostic of its own."""
    for tree in conditions(edges).values():
        if any(given.analysis.scope.spec(ref) is None for ref in references(tree)):
            return True
        if any(isinstance(leaf, Compare) and not _fits(given, leaf) for leaf in leaves(tree)):
            return True
    return False


def _fits(given: CheckInput, leaf: Compare) -> bool:
    """Whether the solver's doubt is not merely one about types."""
    specs = [given.analysis.scope.spec(side) for side in (leaf.left, leaf.right) if isinstance(side, Ref)]
    ordered = leaf.op in ("lt", "lte", "gt", "gte")
    return not any(spec and ordered and spec.type in ("string", "boolean", "array", "object") for spec in specs)


def _values(example: Example, edges: Edges) -> dict[str, JsonValue]:
    """The values of a run, those that the edges read first."""
    return example.values(ref for tree in conditions(edges).values() for ref in references(tree))


def _part(read: str, name: str) -> bool:
    """Whether what is read is a value, or a part of it."""
    return read == name or read.startswith(name + ".")


def _values_text(values: dict[str, JsonValue], edges: Edges) -> str:
    """The values that the edges read, in words."""
    read = [ref for tree in conditions(edges).values() for ref in references(tree)]
    shown = {name: value for name, value in values.items() if any(_part(ref.text, name) for ref in read)}
    return ", ".join(f"{name} = {quoted(value)}" for name, value in shown.items()) or "any values"


CHECKS = (
    branch_overlap,
    equal_priority,
    undecided_branch,
    incomplete_branch,
    lone_conditions,
    otherwise_alone,
    duplicate_otherwise,
)
