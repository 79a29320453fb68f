"""What changed edges and guards mean: whether they change a choice, and runs that take another way."""

from collections.abc import Iterator

from pydantic import JsonValue

from compiler.diff.changes import ChoiceChange, Example
from compiler.diff.choice import (
    Place,
    Question,
    Side,
    Start,
    Undecided,
    changed_choice,
    fork_of,
    nullable_in_either,
    specs_of_both,
)
from compiler.diff.search import Search, Versions
from ir.base import canonical_json
from ir.predicate import Always, AnyCondition, Literally, Otherwise, Ref, condition_json, with_literals

EXAMPLES = 3
"""The most examples for one place."""
UNREACHED = "no run comes there with values that would tell them apart"


def choice_changes(versions: Versions) -> Iterator[ChoiceChange]:
    """Every place in both versions whose guards or edges changed, and whether that changes a choice."""
    starts = [Start(one.workflow.guards, one.graph.entries) for one in (versions.old, versions.new)]
    if _told(starts[0]) != _told(starts[1]):
        specs, null = specs_of_both(*versions.both), nullable_in_either(*versions.both, None)
        yield _judged(versions, None, "success", Question(starts[0], starts[1], specs, null, {}))
    sides: tuple[Side, Side] = ("success", "error")
    for node in versions.new.graph.order:
        for on in sides if node in versions.old.workflow.nodes else ():
            old, new = fork_of(versions.old, node, on), fork_of(versions.new, node, on)
            if _told(old) != _told(new):
                specs, null = specs_of_both(*versions.both), nullable_in_either(*versions.both, node)
                fixed: dict[Ref, JsonValue] = {Ref(f"$.outputs.{node}"): None} if on == "error" else {}
                yield _judged(versions, node, on, Question(old, new, specs, null, fixed))


def _told(place: Place) -> str:
    """All about a place that decides, as text."""
    if isinstance(place, Start):
        guards = [f"{_plain(one.condition)} {one.error_code}" for one in place.guards]
        return canonical_json([*guards, *place.entries])
    edges: list[JsonValue] = [*sorted(f"{one.target} {one.priority} {_plain(one.condition)}" for one in place.edges)]
    return canonical_json([place.split, *edges])


def _plain(condition: AnyCondition) -> str:
    """A condition as text, without where its literals come from."""
    if not isinstance(condition, Always | Otherwise):
        condition = with_literals(condition, lambda literal, ref: Literally(literal.value))
    return canonical_json(condition_json(condition))


def _judged(versions: Versions, at: str | None, on: Side, question: Question) -> ChoiceChange:
    """Whether the choice changed, with examples of each way in which it did."""
    examples: list[Example] = []
    while len(examples) < EXAMPLES:
        told = [(one.old_takes, one.new_takes) for one in examples]
        found = changed_choice(question, told)
        if isinstance(found, Undecided) and not examples:
            return ChoiceChange(at=at, on=on, verdict="undecided", because=found.why)
        if found is None or isinstance(found, Undecided):
            break
        example = Search(versions, at, on, question, told).example(found)
        if example is None and not examples:
            return ChoiceChange(at=at, on=on, verdict="same", because=UNREACHED)
        if example is None:
            break
        examples.append(example)
    return ChoiceChange(at=at, on=on, verdict="differs" if examples else "same", examples=tuple(examples))
