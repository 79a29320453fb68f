"""Conditions with one of their parts changed."""

from collections.abc import Callable, Iterator

from evals.mutation.subject import Mutant, Subject
from ir.predicate import Junction, Not, Tree, condition_json

Change = Callable[[Tree], Iterator[tuple[str, Tree]]]


def with_condition(subject: Subject, index: int, tree: Tree, what: str) -> Mutant:
    copy = subject.copy().put(condition_json(tree), "edges", index, "condition")
    return copy.done(f"{subject.edge_name(index)} (edge {index}): {what}")


def each_part(subject: Subject, change: Change) -> Iterator[Mutant]:
    """Each condition with each of its parts changed, one at a time."""
    for index, tree in subject.trees():
        for what, changed in rewritten(tree, change):
            yield with_condition(subject, index, changed, what)


def rewritten(tree: Tree, change: Change) -> Iterator[tuple[str, Tree]]:
    yield from change(tree)
    match tree:
        case Not(item):
            yield from ((what, Not(new)) for what, new in rewritten(item, change))
        case Junction(op, items):
            for index, item in enumerate(items):
                for what, new in rewritten(item, change):
                    yield what, Junction(op, (*items[:index], new, *items[index + 1 :]))
