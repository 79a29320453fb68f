"""Is exactly one way on chosen, whatever the values?"""

from collections.abc import Iterator

from pydantic import JsonValue

from compiler.check_input import CheckInput, error, warning
from compiler.fitting import quoted
from compiler.place import at_edge, at_node, edge_name, pointer
from compiler.ways import conditions
from compiler.wording import condition_words
from ir.diagnostics import Diagnostic, Fix, Related
from ir.predicate import Always, Null, Otherwise, leaves, references
from ir.workflow import Edge

Edges = dict[int, Edge]


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
    """Whether two edges exclude each other could not be decided.

    What: the conditions of a node read so many values that not all combinations could be tried.
    Why: what was not proved may be wrong.
    Bad: two edges of one node that together read eight enumerations of five members.
    Good: a `priority` on each edge, or the decision left to a decision node whose one output is read.
    """
    for name, edges in _splits(given):
        open_ = [
            case
            for case in given.analysis.ways(name, nulls="arriving").stuck
            if case.why == "overlap" and not case.values
        ]
        if open_:
            first, second = open_[0].edges
            yield warning(
                "undecided-branch",
                f"{edge_name(edges[first])} and {edge_name(edges[second])} read too many values to decide whether both "
                "can hold; expected a priority on each, or fewer values",
                at_edge(given.workflow, second, "condition"),
                related=(Related(message="the other edge", location=at_edge(given.workflow, first, "condition")),),
            )


def incomplete_branch(given: CheckInput) -> Iterator[Diagnostic]:
    """For some values no edge of a node is taken.

    What: a node has conditional edges, neither an `otherwise` nor an unconditional one, and there are values for which
        all conditions are false, or it cannot be shown that there are none.
    Why: all branches must be enumerated; a run must not stop because nobody thought of a case.
    Bad: `level == "high"` and `level == "low"` where the level may also be medium.
    Good: an edge with `otherwise`, or one for each value of the enumeration.
    """
    for name, edges in _splits(given):
        if any(isinstance(edge.condition, Always | Otherwise) for edge in edges.values()) or _unsound(given, edges):
            continue
        witness, decided = _uncovered(given, name)
        if witness is None and decided:
            continue
        words = "; ".join(condition_words(edge.condition) for edge in edges.values())
        fault = f"none is true for {_said(witness)}" if witness else "it cannot be shown that one of them always holds"
        yield error(
            "incomplete-branch",
            f'"{name}" leads on only where {words}: {fault}; expected an otherwise edge or the missing case',
            at_node(given.workflow, name),
            witness=witness,
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
    for name, edges in _splits(given):
        always = [index for index, edge in edges.items() if isinstance(edge.condition, Always)]
        if not always or any(isinstance(edge.condition, Otherwise) for edge in edges.values()):
            continue
        patch = tuple(
            {"op": "add", "path": pointer("edges", index, "condition"), "value": "otherwise"} for index in always
        )
        ways = ", ".join(edge_name(edges[index]) for index in always)
        yield warning(
            "lone-conditions",
            f"{ways} has no condition and is taken even where a condition beside it holds; if it is the default, it "
            "must say otherwise",
            at_node(given.workflow, name),
            fixes=(Fix(title="take it only where no condition holds", patch=patch),),
        )


def otherwise_alone(given: CheckInput) -> Iterator[Diagnostic]:
    """An `otherwise` stands where there is nothing it could be the alternative to.

    What: a node has an edge with `otherwise` and none with a condition.
    Why: it is always taken; either a condition was lost or the word is wrong.
    Bad: one edge, `"condition": "otherwise"`.
    Good: one edge without condition.
    """
    for name in given.analysis.graph.order:
        edges = _success(given, name)
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
    for name, edges in _splits(given):
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


def _success(given: CheckInput, name: str) -> Edges:
    return {link.index: link.edge for link in given.analysis.graph.out[name] if link.on_success}


def _splits(given: CheckInput) -> Iterator[tuple[str, Edges]]:
    """The nodes that conditional edges leave, with all their edges for success."""
    for name in given.analysis.graph.order:
        edges = _success(given, name)
        if conditions(edges):
            yield name, edges


def _overlaps(given: CheckInput, *, prioritised: bool) -> Iterator[Diagnostic]:
    code = "equal-priority" if prioritised else "branch-overlap"
    for name, edges in _splits(given):
        for case in given.analysis.ways(name, nulls="arriving").stuck:
            clash = [index for index in case.edges if (edges[index].priority is not None) == prioritised]
            if case.why != "overlap" or len(clash) < 2 or case.values is None or _same(edges, clash):
                continue
            first, second = clash[:2]
            level = f"both have priority {edges[first].priority}" if prioritised else "neither has priority"
            yield error(
                code,
                f"{edge_name(edges[first])} ({condition_words(edges[first].condition)}) and {edge_name(edges[second])} "
                f"({condition_words(edges[second].condition)}) both hold for {_said(case.values)}, and {level}",
                at_edge(given.workflow, second, "condition"),
                witness=case.values,
                related=(Related(message="the other edge", location=at_edge(given.workflow, first, "condition")),),
            )
            break


def _same(edges: Edges, clash: list[int]) -> bool:
    """Whether the edges are plain duplicates, which has a diagnostic of its own."""
    return len({(edges[index].target, repr(edges[index].condition)) for index in clash}) == 1


def _uncovered(given: CheckInput, name: str) -> tuple[dict[str, JsonValue] | None, bool]:
    """Values for which all conditions are false, if there are any; and whether that is sure."""
    ways = given.analysis.ways(name, nulls="arriving")
    case = next((case for case in ways.stuck if case.why == "no-way-on"), None)
    return (None, ways.exact) if case is None else (case.values, case.values is not None)


def _unsound(given: CheckInput, edges: Edges) -> bool:
    """Whether a condition reads what is not known, which has a diagnostic of its own."""
    refs = [ref for tree in conditions(edges).values() for ref in references(tree)]
    return any(given.analysis.scope.spec(ref) is None for ref in refs)


def _said(values: dict[str, JsonValue]) -> str:
    return ", ".join(f"{name} = {quoted(value)}" for name, value in values.items()) or "any values"


CHECKS = (
    branch_overlap,
    equal_priority,
    undecided_branch,
    incomplete_branch,
    lone_conditions,
    otherwise_alone,
    duplicate_otherwise,
)
