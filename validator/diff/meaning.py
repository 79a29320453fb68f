"""What changed edges and guards mean: whether they change a choice, and runs that take another way."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import JsonValue

from ir.base import canonical_json
from ir.predicate import Always, AnyCondition, Literally, Tree, condition_json, with_literals
from ir.predicate import Otherwise as OtherwiseEdge
from validator.diff.changes import ChoiceChange, Example
from validator.diff.choice import ChoiceDifference, changed_choice
from validator.diff.places import Place, Rows, Side, Start, Taken, fork_of, row_gives
from validator.diff.search import RunSearch, Versions
from validator.diff.units import changed_among, incomparable_words, one_unit_words
from validator.runs.solve import UnsolvedError
from validator.runs.workflow_analysis import Analysis

EXAMPLES = 3
"""The most examples for one place."""
UNREACHED = "no run comes there with values that would tell them apart"


def choice_changes(versions: Versions) -> Iterator[ChoiceChange]:
    """Every place in both versions whose guards, edges or units changed, and whether that changes a choice."""
    written, old, new = (Start(one.workflow.guards, one.graph.entries) for one in (versions.written, *versions.both))
    if decides_otherwise(versions, (written, old, new)):
        yield _judged(versions, None, "success", ChoiceDifference(old, new))
    sides: tuple[Side, Side] = ("success", "error")
    for node in versions.new.graph.order:
        for on in sides if node in versions.old.workflow.nodes else ():
            forks = [fork_of(one, node, on) for one in (versions.written, *versions.both)]
            if decides_otherwise(versions, forks):
                yield _judged(versions, node, on, ChoiceDifference(forks[1], forks[2]))


def deciding_conditions(*analyses: Analysis) -> Iterator[Tree]:
    """All conditions of workflows."""
    for one in analyses:
        for condition in (
            *(edge.condition for edge in one.workflow.edges),
            *(g.condition for g in one.workflow.guards),
        ):
            if not isinstance(condition, Always | OtherwiseEdge):
                yield condition


def decides_otherwise(versions: Versions, places: Sequence[Place]) -> bool:
    """Whether a place decides by other words, or by other values or such as cannot be compared.

    Args:
        places: as it was written before, in units of now, and as it is now.
    """
    units = changed_among((tree for place in places for tree in place.trees), versions.units)
    return len({_place_text(one) for one in places}) > 1 or any(one.because is not None for one in units)


def _place_text(place: Place) -> str:
    """All about a place that decides, as text."""
    if isinstance(place, Start):
        guards = [f"{_text(one.condition)} {one.error_code}" for one in place.guards]
        return canonical_json([*guards, *place.entries])
    if isinstance(place, Rows):
        rows = ((place.table.trees.get(index, rule.condition), rule) for index, rule in enumerate(place.table.rules))
        return canonical_json([*sorted(f"{_text(tree)} {row_gives(rule)}" for tree, rule in rows)])
    edges: list[JsonValue] = [*sorted(f"{one.target} {one.priority} {_text(one.condition)}" for one in place.edges)]
    return canonical_json([place.split, *edges])


def _text(condition: AnyCondition) -> str:
    """A condition as text, without where its literals come from."""
    if not isinstance(condition, Always | OtherwiseEdge):
        condition = with_literals(condition, lambda literal, ref: Literally(literal.value))
    return canonical_json(condition_json(condition))


def _judged(versions: Versions, at: str | None, on: Side, difference: ChoiceDifference) -> ChoiceChange:
    """Whether the choice changed, with examples of each way in which it did."""
    units = tuple(changed_among(difference.trees, versions.units))
    if apart := next((one for one in units if one.because is not None), None):
        return ChoiceChange(at=at, on=on, verdict="undecided", because=incomparable_words(apart))
    examples: list[Example] = []
    while len(examples) < EXAMPLES:
        told = frozenset((before, after) for before, after in (_takes(versions, one) for one in examples))
        asked = replace(difference, excluded=told)
        try:
            found = changed_choice(versions.old, versions.new, at, on, asked)
        except UnsolvedError as fault:
            if not examples:
                return ChoiceChange(at=at, on=on, verdict="undecided", because=fault.why)
            break
        example = RunSearch(versions, at, on, asked).example(found) if found else None
        if example is None:
            counted = one_unit_words(units)
            because = UNREACHED if found else f"no values make it choose otherwise, {counted}" if counted else None
            because = None if examples else because
            return ChoiceChange(
                at=at, on=on, verdict="differs" if examples else "same", because=because, examples=tuple(examples)
            )
        examples.append(example)
    return ChoiceChange(at=at, on=on, verdict="differs", examples=tuple(examples))


def _takes(versions: Versions, example: Example) -> tuple[Taken, Taken]:
    """What the two versions choose in an example, by the ids of the new one."""
    now = {old: new for new, old in versions.renamed.items()}
    return tuple(now.get(name, name) for name in example.old_takes), example.new_takes
