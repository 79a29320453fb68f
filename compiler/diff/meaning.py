"""What changed edges and guards mean: whether they change a choice, and runs that take another way."""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import JsonValue

from compiler.diff.changes import ChoiceChange, Example
from compiler.diff.choice import Otherwise, Place, Side, Start, Taken, changed_choice, fork_of
from compiler.diff.search import Search, Versions
from compiler.solving import UnsolvedError
from ir.base import canonical_json
from ir.predicate import Always, AnyCondition, Literally, condition_json, with_literals
from ir.predicate import Otherwise as OtherwiseEdge

EXAMPLES = 3
"""The most examples for one place."""
UNREACHED = "no run comes there with values that would tell them apart"


def choice_changes(versions: Versions) -> Iterator[ChoiceChange]:
    """Every place in both versions whose guards or edges changed, and whether that changes a choice."""
    starts = [Start(one.workflow.guards, one.graph.entries) for one in versions.both]
    if _told(starts[0]) != _told(starts[1]):
        yield _judged(versions, None, "success", Otherwise(starts[0], starts[1]))
    sides: tuple[Side, Side] = ("success", "error")
    for node in versions.new.graph.order:
        for on in sides if node in versions.old.workflow.nodes else ():
            old, new = fork_of(versions.old, node, on), fork_of(versions.new, node, on)
            if _told(old) != _told(new):
                yield _judged(versions, node, on, Otherwise(old, new))


def _told(place: Place) -> str:
    """All about a place that decides, as text."""
    if isinstance(place, Start):
        guards = [f"{_plain(one.condition)} {one.error_code}" for one in place.guards]
        return canonical_json([*guards, *place.entries])
    edges: list[JsonValue] = [*sorted(f"{one.target} {one.priority} {_plain(one.condition)}" for one in place.edges)]
    return canonical_json([place.split, *edges])


def _plain(condition: AnyCondition) -> str:
    """A condition as text, without where its literals come from."""
    if not isinstance(condition, Always | OtherwiseEdge):
        condition = with_literals(condition, lambda literal, ref: Literally(literal.value))
    return canonical_json(condition_json(condition))


def _judged(versions: Versions, at: str | None, on: Side, contrast: Otherwise) -> ChoiceChange:
    """Whether the choice changed, with examples of each way in which it did."""
    examples: list[Example] = []
    while len(examples) < EXAMPLES:
        told = frozenset((before, after) for before, after in (_takes(versions, one) for one in examples))
        asked = replace(contrast, told=told)
        try:
            found = changed_choice(versions.old, versions.new, at, on, asked)
        except UnsolvedError as fault:
            if not examples:
                return ChoiceChange(at=at, on=on, verdict="undecided", because=fault.why)
            break
        example = Search(versions, at, on, asked).example(found) if found else None
        if example is None:
            because = UNREACHED if found and not examples else None
            return ChoiceChange(
                at=at, on=on, verdict="differs" if examples else "same", because=because, examples=tuple(examples)
            )
        examples.append(example)
    return ChoiceChange(at=at, on=on, verdict="differs", examples=tuple(examples))


def _takes(versions: Versions, example: Example) -> tuple[Taken, Taken]:
    """What the two versions choose in an example, by the ids of the new one."""
    now = {old: new for new, old in versions.renamed.items()}
    return tuple(now.get(name, name) for name in example.old_takes), example.new_takes
