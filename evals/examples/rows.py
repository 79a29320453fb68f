"""Faults of the rows of rule packs and of guards, by the operators that are put to conditions of edges."""

from collections.abc import Iterator
from dataclasses import replace

from evals.mutation.conditions import LOOSER, TIGHTER, TURNED
from evals.mutation.rewrite import rewritten
from evals.mutation.subject import Mutant, Subject
from ir.predicate import Compare, Junction, Literally, Null, Tree, condition_json, negate


def row_mutants(subject: Subject) -> Iterator[tuple[str, Mutant]]:
    """Each row without its condition's truth, with each part of it changed, and each row taken out."""
    for name, pack in subject.workflow.rule_packs.items():
        for index, rule in enumerate(pack.rules):
            place = ("rule_packs", name, "rules", index, "condition")
            for kind, what, tree in _changes(rule.condition):
                yield kind, subject.copy().put(condition_json(tree), *place).done(f"{rule.rule_id}: {what}")
            if len(pack.rules) > 1:
                rest = [one for at, one in enumerate(subject.raw["rule_packs"][name]["rules"]) if at != index]
                yield "row_removed", subject.copy().put(rest, *place[:3]).done(f"{rule.rule_id} removed")


def guard_mutants(subject: Subject) -> Iterator[tuple[str, Mutant]]:
    """Each guard with each part of it changed, and each guard taken out."""
    for index, guard in enumerate(subject.workflow.guards):
        for kind, what, tree in _changes(guard.condition):
            copy = subject.copy().put(condition_json(tree), "guards", index, "condition")
            yield kind, copy.done(f"guard {guard.error_code}: {what}")
        rest = [one for at, one in enumerate(subject.raw["guards"]) if at != index]
        yield "guard_removed", subject.copy().put(rest, "guards").done(f"guard {guard.error_code} removed")


def _changes(condition: object) -> Iterator[tuple[str, str, Tree]]:
    if not isinstance(condition, Tree):
        return
    yield "negated", "negated", negate(condition)
    yield from ((what.split(":")[0], what, tree) for what, tree in rewritten(condition, _of_part))


def _of_part(tree: Tree) -> Iterator[tuple[str, Tree]]:
    match tree:
        case Junction(op, items):
            yield "junction_exchanged", Junction("or" if op == "and" else "and", items)
            for index in range(len(items)):
                rest = items[:index] + items[index + 1 :]
                yield f"part_dropped: {index + 1}", rest[0] if len(rest) == 1 else replace(tree, items=rest)
        case Null(ref, negated):
            yield "null_test_turned", Null(ref, not negated)
        case Compare(op, _, right):
            for kind, other in (("loosened", LOOSER), ("tightened", TIGHTER), ("turned", TURNED)):
                if op in other:
                    yield f"{kind}: {op}", replace(tree, op=other[op])
            if isinstance(right, Literally):
                yield from _of_literal(tree, right)


def _of_literal(tree: Compare, right: Literally) -> Iterator[tuple[str, Tree]]:
    value = right.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        for kind, sign in (("threshold_raised", 1), ("threshold_lowered", -1)):
            moved = value + sign * max(1, abs(value) // 10)
            yield f"{kind}: {value}", replace(tree, right=Literally(moved))
    elif isinstance(value, str) and value:
        yield f"constant_misspelt: {value}", replace(tree, right=Literally(value[:-1] or value * 2))
    elif isinstance(value, list) and len(value) > 1:
        for index, member in enumerate(value):
            yield f"member_dropped: {member}", replace(tree, right=Literally(value[:index] + value[index + 1 :]))
