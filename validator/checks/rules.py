"""Does the workflow say each rule of the document once, and the right way round?"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import TypeVar

from pydantic import JsonValue

from ir.base import canonical_json
from ir.diagnostics import Diagnostic, Location, Related
from ir.predicate import (
    Always,
    AnyCondition,
    Compare,
    Literally,
    Null,
    Otherwise,
    Tree,
    condition_json,
    leaves,
    references,
    with_literals,
)
from ir.workflow import CONTROL_END, Edge, Node, Rule
from validator.analysis.locations import at_edge, at_node, at_workflow, edge_name
from validator.analysis.tables import tables
from validator.analysis.wording import condition_words, cut, quoted_places
from validator.check_input import CheckInput, warning
from validator.proofs.encode import Encoder
from validator.proofs.kinds import Opaque
from validator.proofs.prover import Prover

Bearer = TypeVar("Bearer", Edge, Rule)
_OWN_NAME = {"id", "label", "step_ids", "evidence", "origin", "policy", "actor"}


def rule_encoded_twice(given: CheckInput) -> Iterator[Diagnostic]:
    """One rule of the document stands twice.

    What: two rows of a rule pack have the same condition and outcome; or an edge has the condition of a row that rests
        on the same words; or two nodes of one path are alike and rest on the same words.
    Why: one of them is changed some day and the other forgotten; a step that stands twice is done twice.
    Bad: a row `hazard_level == 1` and an edge with `hazard_level == 1`, both from “class 1 is not sent by air”.
    Good: the row, and an edge that reads what the node with the rule pack gives.
    """
    yield from _doubled_rows(given)
    yield from _row_and_edge(given)
    yield from _doubled_nodes(given)


def rule_against_itself(given: CheckInput) -> Iterator[Diagnostic]:
    """The same words lead to the same place under a condition and under its opposite.

    What: two edges to one node, or two rows of a rule pack with one outcome, rest on the same words, and their
        conditions are each other's opposite.
    Why: the words state one condition; one of the two has it the wrong way round, and together they decide nothing.
    Bad: `amount > 50000` and `amount <= 50000`, both to `approve`, both from “over 50,000 the director approves”.
    Good: `amount > 50000` to `approve`, the other to the step that follows without approval.
    """
    ways = [(at, edge) for at, edge in enumerate(given.workflow.edges) if edge.origin == "document"]
    for (first, one), (second, other) in _pairs(ways, lambda edge: [edge.target]):
        if _opposed(given, one, other, strict=one.source != other.source):
            places = [at_edge(given.workflow, at, "condition") for at in (first, second)]
            yield _against((f"edge {edge_name(one)}", one), (f"edge {edge_name(other)}", other), places)
    for pack, held in given.workflow.rule_packs.items():
        for (first, row), (second, below) in _pairs(enumerate(held.rules), lambda rule: rule.outcome):
            if _opposed(given, row, below, strict=True):
                places = [at_workflow(given.workflow, "rule_packs", pack, "rules", at) for at in (first, second)]
                yield _against((f"row {row.rule_id}", row), (f"row {below.rule_id}", below), places)


def _pairs(
    bearers: Iterable[tuple[int, Bearer]], effect: Callable[[Bearer], JsonValue]
) -> Iterator[tuple[tuple[int, Bearer], tuple[int, Bearer]]]:
    """Those that rest on the same words and come to the same, two by two."""
    groups: dict[tuple[object, str], list[tuple[int, Bearer]]] = {}
    for at, bearer in bearers:
        if bearer.evidence and not isinstance(bearer.condition, Always | Otherwise):
            groups.setdefault((quoted_places(bearer.evidence), canonical_json(effect(bearer))), []).append((at, bearer))
    for group in groups.values():
        yield from combinations(group, 2)


def _doubled_rows(given: CheckInput) -> Iterator[Diagnostic]:
    for pack, held in given.workflow.rule_packs.items():
        seen: dict[str, int] = {}
        for row, rule in enumerate(held.rules):
            key = canonical_json([_json_without_sources(rule.condition), rule.outcome])
            first = seen.setdefault(key, row)
            if first != row:
                place = at_workflow(given.workflow, "rule_packs", pack, "rules", row)
                earlier = held.rules[first]
                yield warning(
                    "rule-encoded-twice",
                    f'row {rule.rule_id} of "{pack}" says what row {earlier.rule_id} says: '
                    f"{condition_words(rule.condition)}",
                    place,
                    evidence=rule.evidence,
                    related=(
                        _other(
                            f"row {earlier.rule_id}", at_workflow(given.workflow, "rule_packs", pack, "rules", first)
                        ),
                    ),
                )


def _row_and_edge(given: CheckInput) -> Iterator[Diagnostic]:
    said = set[tuple[str, int, int]]()
    for table in tables(given.analysis.scope):
        rows = {canonical_json(_json_without_sources(tree)): row for row, tree in table.trees.items()}
        for index, edge in enumerate(given.workflow.edges):
            row = rows.get(canonical_json(_json_without_sources(edge.condition)))
            if row is None or not quoted_places(edge.evidence) & quoted_places(table.rules[row].evidence):
                continue
            if (table.pack, row, index) not in said:
                said.add((table.pack, row, index))
                place = at_workflow(given.workflow, "rule_packs", table.pack, "rules", row)
                rule_id = table.rules[row].rule_id
                yield warning(
                    "rule-encoded-twice",
                    f'edge {edge_name(edge)} has the condition of row {rule_id} of "{table.pack}", from its words: '
                    f"{condition_words(edge.condition)}",
                    at_edge(given.workflow, index, "condition"),
                    evidence=edge.evidence,
                    expected=f'a condition over what "{table.node}" gives, or no such row',
                    related=(_other(f"row {rule_id}", place),),
                )


def _doubled_nodes(given: CheckInput) -> Iterator[Diagnostic]:
    nodes = given.workflow.nodes
    seen: dict[str, list[str]] = {}
    for name in given.analysis.graph.order:
        words = quoted_places(nodes[name].evidence)
        if not words or nodes[name].type == CONTROL_END:
            continue
        key = canonical_json([_content(nodes[name]), *sorted(map(str, words))])
        before = next((one for one in seen.get(key, ()) if one in given.analysis.graph.ancestors[name]), None)
        seen.setdefault(key, []).append(name)
        if before is not None:
            yield warning(
                "rule-encoded-twice",
                f'"{name}" does what "{before}" did before it on the same path, from the same words',
                at_node(given.workflow, name),
                evidence=nodes[name].evidence,
                related=(_other("the node before", at_node(given.workflow, before)),),
            )


def _opposed(given: CheckInput, one: Edge | Rule, other: Edge | Rule, *, strict: bool) -> bool:
    """Whether two conditions are each other's opposite for all values; `strict`: over the same constants."""
    left, right = one.condition, other.condition
    if isinstance(left, Always | Otherwise) or isinstance(right, Always | Otherwise):
        return False
    if set(references(left)) != set(references(right)) or (strict and _constants(left) != _constants(right)):
        return False
    try:
        return _never_alike(given, left, right)
    except Opaque:  # two lists compared, mixed calendars: nothing is said of them
        return False


def _never_alike(given: CheckInput, left: Tree, right: Tree) -> bool:
    """Whether of two conditions always just one is true, where nothing is null.

    Raises:
        Opaque: the solver cannot be asked about them.
    """
    encoder = Encoder((left, right), given.analysis.scope, lambda ref: None)
    one, other = encoder.truths(left), encoder.truths(right)
    prover = Prover(encoder)
    prover.add(*encoder.facts(dict.fromkeys((*references(left), *references(right)))))
    alike = encoder.any(encoder.all(pair) for pair in ((one.true, other.true), (one.false, other.false)))
    return prover.can_hold(alike) is False and bool(prover.can_hold(one.true)) and bool(prover.can_hold(other.true))


def _constants(tree: Tree) -> set[str]:
    sides = (side for leaf in leaves(tree) if isinstance(leaf, Compare) for side in (leaf.left, leaf.right))
    nulls = {"null" for leaf in leaves(tree) if isinstance(leaf, Null)}
    return nulls | {canonical_json(side.value) for side in sides if isinstance(side, Literally)}


def _json_without_sources(condition: AnyCondition) -> JsonValue:
    """A condition in JSON without where its literals come from."""
    if isinstance(condition, Always | Otherwise):
        return condition_json(condition)
    return condition_json(with_literals(condition, lambda literal, _: Literally(literal.value)))


def _content(node: Node) -> JsonValue:
    """What a node does, whatever it is called and wherever its words stand."""
    content: dict[str, JsonValue] = node.model_dump(mode="json", by_alias=True, exclude=_OWN_NAME)
    return content


def _other(message: str, place: Location) -> Related:
    return Related(message=message, location=place)


def _against(one: tuple[str, Edge | Rule], other: tuple[str, Edge | Rule], places: list[Location]) -> Diagnostic:
    said = [f"{name} ({condition_words(bearer.condition)})" for name, bearer in (one, other)]
    evidence = other[1].evidence
    return warning(
        "rule-against-itself",
        f"{said[0]} and {said[1]} are opposites, come to the same, and rest on the same words: "
        f"“{cut(evidence[0].quote)}”",
        places[1],
        evidence=evidence,
        related=(_other("the opposite", places[0]),),
    )


CHECKS = (rule_encoded_twice, rule_against_itself)
