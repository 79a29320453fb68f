"""Faults of conditions: lost, turned, with other borders and references."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from evals.mutation.rewrite import each_part, rewritten, with_condition
from evals.mutation.subject import Kind, Mutant, Subject
from ir.fields import FieldSpec
from ir.predicate import Compare, CompareOp, Junction, Literally, Null, Ref, Tree, negate

LOOSER: dict[CompareOp, CompareOp] = {"lt": "lte", "gt": "gte"}
TIGHTER: dict[CompareOp, CompareOp] = {"lte": "lt", "gte": "gt"}
TURNED: dict[CompareOp, CompareOp] = {
    "lt": "gt", "gt": "lt", "lte": "gte", "gte": "lte", "eq": "ne", "ne": "eq",
}  # fmt: skip


def condition_dropped(subject: Subject) -> Iterator[Mutant]:
    """An edge has lost its condition and is always taken."""
    for index, _ in subject.trees():
        yield subject.copy().drop("edges", index, "condition").done(f"{subject.edge_name(index)} without condition")


def condition_negated(subject: Subject) -> Iterator[Mutant]:
    """An edge is taken exactly when it should not be."""
    for index, tree in subject.trees():
        yield with_condition(subject, index, negate(tree), "negated")


def condition_always_true(subject: Subject) -> Iterator[Mutant]:
    """A condition holds for every value."""
    for index, tree in subject.trees():
        yield with_condition(subject, index, Junction("or", (tree, negate(tree))), "true for every value")


def condition_contradicted(subject: Subject) -> Iterator[Mutant]:
    """A condition can hold only where the one that led to its node did not."""
    graph = subject.analysis.graph
    for index, edge in enumerate(subject.workflow.edges):
        into = graph.into.get(edge.source, ())
        if len(into) != 1 or not isinstance(into[0].edge.condition, Tree) or not isinstance(edge.condition, Tree):
            continue
        tree = Junction("and", (negate(into[0].edge.condition), edge.condition))
        yield with_condition(subject, index, tree, f"contradicts {subject.edge_name(into[0].index)}")


def junction_exchanged(subject: Subject) -> Iterator[Mutant]:
    """`and` stands where `or` should, or the other way round."""

    def change(tree: Tree) -> Iterator[tuple[str, Tree]]:
        if isinstance(tree, Junction):
            yield f"{tree.op} exchanged", Junction("or" if tree.op == "and" else "and", tree.items)

    yield from each_part(subject, change)


def part_dropped(subject: Subject) -> Iterator[Mutant]:
    """One part of an `and` or `or` is missing."""

    def change(tree: Tree) -> Iterator[tuple[str, Tree]]:
        if isinstance(tree, Junction):
            for index in range(len(tree.items)):
                rest = tree.items[:index] + tree.items[index + 1 :]
                yield f"part {index + 1} of {tree.op} dropped", rest[0] if len(rest) == 1 else replace(tree, items=rest)

    yield from each_part(subject, change)


def comparison_loosened(subject: Subject) -> Iterator[Mutant]:
    """A border belongs to the case that it should not belong to (`<` became `<=`)."""
    yield from _operators(subject, LOOSER)


def comparison_tightened(subject: Subject) -> Iterator[Mutant]:
    """A border no longer belongs to its case (`<=` became `<`)."""
    yield from _operators(subject, TIGHTER)


def comparison_turned(subject: Subject) -> Iterator[Mutant]:
    """A comparison asks for the other side."""
    yield from _operators(subject, TURNED)


def null_compared(subject: Subject) -> Iterator[Mutant]:
    """A value is compared with null."""

    def change(tree: Tree) -> Iterator[tuple[str, Tree]]:
        if isinstance(tree, Compare) and isinstance(tree.right, Literally):
            yield "compared with null", Compare("eq", tree.left, Literally(None))

    yield from each_part(subject, change)


def null_test_turned(subject: Subject) -> Iterator[Mutant]:
    """Whether a value is there is asked the other way round."""

    def change(tree: Tree) -> Iterator[tuple[str, Tree]]:
        if isinstance(tree, Null):
            yield "null test turned", Null(tree.ref, not tree.negated)

    yield from each_part(subject, change)


def condition_reads_state(subject: Subject) -> Iterator[Mutant]:
    """A condition reads what is neither an input nor an output."""
    yield from _references(subject, lambda ref, index: Ref(f"$.facts.{ref.path[-1]}"))


def condition_reads_missing(subject: Subject) -> Iterator[Mutant]:
    """A condition reads a field that there is not."""
    yield from _references(subject, lambda ref, index: Ref(ref.text + "x"))


def condition_reads_other(subject: Subject) -> Iterator[Mutant]:
    """A condition reads another value of the same type and enumeration."""

    def other(ref: Ref, index: int) -> Ref | None:
        source = subject.workflow.edges[index].source
        spec = subject.analysis.scope.spec(ref)
        own = [(Ref(f"$.outputs.{source}.{name}"), field) for name, field in _outputs(subject, source)]
        fits = (
            found
            for found, field in (*own, *subject.readable(source))
            if spec is not None and found != ref and (field.type, field.enum) == (spec.type, spec.enum)
        )
        return next(fits, None)

    yield from _references(subject, other)


def _outputs(subject: Subject, node: str) -> Iterator[tuple[str, FieldSpec]]:
    yield from (subject.analysis.scope.outputs(node) or {}).items()


def _operators(subject: Subject, other: dict[CompareOp, CompareOp]) -> Iterator[Mutant]:
    def change(tree: Tree) -> Iterator[tuple[str, Tree]]:
        if isinstance(tree, Compare) and tree.op in other:
            yield f"{tree.op} read as {other[tree.op]}", replace(tree, op=other[tree.op])

    yield from each_part(subject, change)


def _references(subject: Subject, other: Callable[[Ref, int], Ref | None]) -> Iterator[Mutant]:
    for index, tree in subject.trees():

        def change(leaf: Tree, index: int = index) -> Iterator[tuple[str, Tree]]:
            ref = leaf.ref if isinstance(leaf, Null) else leaf.left if isinstance(leaf, Compare) else None
            new = other(ref, index) if isinstance(ref, Ref) else None
            if new is not None and isinstance(leaf, Null):
                yield f"reads {new.text}", replace(leaf, ref=new)
            elif new is not None and isinstance(leaf, Compare):
                yield f"reads {new.text}", replace(leaf, left=new)

        for what, changed in rewritten(tree, change):
            yield with_condition(subject, index, changed, what)


KINDS: tuple[Kind, ...] = (
    condition_dropped,
    condition_negated,
    condition_always_true,
    condition_contradicted,
    junction_exchanged,
    part_dropped,
    comparison_loosened,
    comparison_tightened,
    comparison_turned,
    null_compared,
    null_test_turned,
    condition_reads_state,
    condition_reads_missing,
    condition_reads_other,
)
