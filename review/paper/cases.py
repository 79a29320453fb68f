"""The test cases of a workflow in words, and how much of it they come through."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from ir.predicate import Null, Ref, leaves, references
from ir.scenario import Scenario
from ir.walk import Walk
from ir.workflow import Workflow
from review.paper.parts import Part, Row, Section, Text, Weight
from review.paper.source import PaperSource


@dataclass(frozen=True)
class Played:
    """A case and its run; None where it is not played, and `why_not` the key of the words that say why.

    Args:
        holds: whether the run is as expected.
    """

    scenario: Scenario
    walk: Walk | None
    holds: bool = False
    why_not: str = ""


def cases(source: PaperSource) -> Section:
    """Each case with what decides it, how it has to end, and whether it does."""
    title = source.words("paper.tests")
    if source.scenarios is None:
        return Section(title, (Text(source.words("paper.no_tests")),))
    played = [play(one, source.workflow) for one in source.scenarios]
    rows = (_row(source, one) for one in played)
    head, widths = ("facts", "expected", "verdict"), (0.54, 0.24, 0.22)
    parts: list[Part] = [Text(one) for one in _coverage(source, played)] if played else []
    return Section(title, (*parts, source.table(head, widths, rows, "no_tests")))


def play(scenario: Scenario, workflow: Workflow) -> Played:
    """Run a case."""
    named = {*scenario.outputs, *(scenario.path or ())}
    if named - workflow.nodes.keys() or scenario.inputs.keys() - workflow.inputs.keys():
        return Played(scenario, None, why_not="paper.stale")
    try:
        return Played(scenario, scenario.walk(workflow), not scenario.differences(workflow))
    except ValueError:  # a cycle, or an edge that leads nowhere
        return Played(scenario, None, why_not="paper.unplayable")


def _row(source: PaperSource, one: Played) -> Row:
    facts = source.words("paper.semicolon").join(dict.fromkeys(_facts(source, one.scenario)))
    expected = one.scenario.result
    wanted = _ending(source, expected.status, expected.undecided_at)
    if one.walk is None:
        verdict = source.words(one.why_not)
    elif one.holds:
        verdict = source.words("paper.passed")
    else:
        stop = one.walk.undecided
        verdict = source.words(
            "paper.differs", _ending(source, one.walk.result.status, stop.node if stop is not None else None)
        )
    weight = Weight.PLAIN if one.holds else Weight.KEPT
    return Row((facts or source.words("paper.all_usual"), wanted, verdict), weight)


def _ending(source: PaperSource, status: str, stop: str | None) -> str:
    """How a run ends, and where it stops where it does not."""
    if status != "undecided":
        return source.words(f"end.{status}")
    told = source.words("paper.undecided")
    return source.words("paper.says", told, source.reader.node_name(stop)) if stop else told


def _facts(source: PaperSource, scenario: Scenario) -> Iterator[str]:
    """What the case gives of all that decides: what conditions read, and inputs that rules read."""
    workflow, reader = source.workflow, source.reader
    read = [ref for guard in workflow.guards for ref in references(guard.condition)]
    for name in source.order:
        node = workflow.nodes[name]
        read += node.references.values() if node.rule_pack else ()
        read += [ref for edge in workflow.edges_from(name) for ref in references(edge.condition)]
    sought = {one.ref for edge in workflow.edges for one in leaves(edge.condition) if isinstance(one, Null)}
    for ref in dict.fromkeys(read):
        given = scenario.inputs if ref.root == "inputs" else scenario.outputs.get(ref.path[0])
        value = _value(given, ref)
        if value is not None:
            yield source.words("paper.gives", reader.ref_name(ref), reader.value(value, reader.field(ref)))
        elif given is not None and ref in sought:
            yield source.words("is_null", reader.ref_name(ref))


def _value(given: JsonValue, ref: Ref) -> JsonValue:
    """What a reference reads of what a case gives; None where that is nothing."""
    value = given
    for part in ref.path if ref.root == "inputs" else ref.path[1:]:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _coverage(source: PaperSource, played: list[Played]) -> Iterator[str]:
    """How many cases hold, and which steps and ways none of them comes through."""
    workflow = source.workflow
    walks = [one.walk for one in played if one.walk is not None]
    steps = [name for name in source.order if not source.is_end(name)]
    ran = {name for one in walks for name in one.path}
    taken = {number for one in walks for number, state in enumerate(one.edges) if state == "taken"}
    held = sum(one.holds for one in played)
    shown = [name for name in steps if name in ran]
    yield source.words("paper.coverage", len(played), held, len(shown), len(steps), len(taken), len(workflow.edges))
    missed = [source.reader.node_name(name) for name in steps if name not in ran]
    if missed:
        yield source.words("paper.not_covered", source.joined(missed))
