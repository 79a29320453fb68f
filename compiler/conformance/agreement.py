"""Does each node say what the steps say that it carries, and each input what the procedure says of its fact?

A person may have changed the draft on purpose; so all of this is told as a warning.
"""

from collections.abc import Iterable, Iterator

from compiler.conformance.conformance_input import ConformanceInput
from compiler.conformance.flow_conformance import FlowConformance
from ir.diagnostics import Diagnostic
from ir.procedure import Step
from ir.source import Evidence
from ir.workflow import HUMAN_APPROVAL, HUMAN_TASK, InputSpec, Node
from validator.analysis.locations import at_node, at_workflow
from validator.analysis.time_spans import TimeSpan
from validator.check_input import error, warning

_DONE = ("done",)
_NOBODY = "?"
"""Whom a draft names as approver where the document names nobody; the open question is asked elsewhere."""


def role_differs(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A node names another role than the steps that it carries.

    What: `actor` or `assignee` of a node is the actor of none of its steps, or `approvers` does not hold such an actor.
    Why: the work, or the decision, goes to somebody whom the document does not name.
    Bad: the step says “the finance manager approves”, the node `"approvers": ["Director"]`.
    Good: `"approvers": ["Finance manager"]`, as the procedure has it; or the procedure corrected.
    """
    for name, node, steps in _carrying(given):
        actors = tuple(dict.fromkeys(step.actor for step in steps if step.actor is not None))
        if not actors:
            continue
        for field, value in (("actor", node.actor), ("assignee", node.assignee)):
            if value is not None and value not in actors:
                yield _role(given, name, field, value, steps, actors)
        approvers = tuple(who for who in node.approvers or () if who != _NOBODY)
        if approvers and not set(approvers) & set(actors):
            yield _role(given, name, "approvers", ", ".join(approvers), steps, actors)


def _role(
    given: ConformanceInput, name: str, field: str, value: str, steps: Iterable[Step], actors: tuple[str, ...]
) -> Diagnostic:
    said = " or ".join(f"“{actor}”" for actor in actors)
    return warning(
        "role-differs",
        f'"{name}" has “{value}” as {field}, but of {_ids(steps)} the procedure says {said}',
        at_node(given.workflow, name, field),
        found=value,
        expected=list(actors),
        evidence=_evidence(steps),
    )


def deadline_differs(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A node has no deadline, or another, though a step that it carries has one.

    What: none of the node's steps has a deadline of the node's duration; or a step has one, and the node none.
    Why: a time that the document sets is not kept, or one is kept that it does not set.
    Bad: the step says “within 3 working days”, the node `"deadline": {"duration": "P5BD"}`.
    Good: `"deadline": {"duration": "P3BD"}`
    """
    for name, node, steps in _carrying(given):
        said = tuple(dict.fromkeys(step.deadline.duration for step in steps if step.deadline is not None))
        held = node.deadline.duration if node.deadline is not None else None
        if held in said or (held is None and not said):
            continue
        stated = " or ".join(said) if said else "none"
        yield warning(
            "deadline-differs",
            f'"{name}" has {f"the deadline {held}" if held else "no deadline"}, but of {_ids(steps)} the procedure '
            f"says {stated}",
            at_node(given.workflow, name, *(("deadline",) if held else ())),
            found=held,
            expected=list(said),
            evidence=tuple(e for step in steps if step.deadline is not None for e in step.deadline.evidence),
        )


def outcomes_differ(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A task can end otherwise than the step that it carries.

    What: `outcomes` of a `human.task` is, as a set, that of none of its steps; a step that names none ends in `done`.
    Why: whoever does it cannot choose what the document lets them find, or chooses what leads nowhere.
    Bad: the step can end in `pass` or `fail`, the node has `"outcomes": ["pass"]`.
    Good: `"outcomes": ["pass", "fail"]`
    """
    for name, node, steps in _carrying(given):
        if node.type != HUMAN_TASK:
            continue
        said = [step.outcomes or _DONE for step in steps]
        held = node.outcomes or _DONE
        if any(set(held) == set(outcomes) for outcomes in said):
            continue
        yield warning(
            "outcomes-differ",
            f'"{name}" can end in {_list(held)}, but {_ids(steps)} in {" or in ".join(map(_list, said))}',
            at_node(given.workflow, name, *(("outcomes",) if node.outcomes else ())),
            found=list(held),
            expected=[list(outcomes) for outcomes in said],
            evidence=_evidence(steps),
        )


def approval_becomes_task(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A step that approves is carried by no approval.

    What: the step's kind is `approval`, and none of the nodes that carry it is a `human.approval`.
    Why: what may go on only with somebody's consent then hangs on no consent that the policy could demand.
    Bad: “the director approves it” as a `human.task`.
    Good: a `human.approval` with the director as approver.
    """
    for sides in _sides(given):
        for step in sides.procedure.steps:
            names = sides.nodes_by_step.get(step.id, ())
            if step.kind != "approval" or not names:
                continue
            if all(given.workflow.nodes[name].type != HUMAN_APPROVAL for name in names):
                yield warning(
                    "approval-becomes-task",
                    f'step {step.id} is an approval, but "{names[0]}", which carries it, is '
                    f"{given.workflow.nodes[names[0]].type}",
                    at_node(given.workflow, names[0], "type"),
                    found=given.workflow.nodes[names[0]].type,
                    expected=HUMAN_APPROVAL,
                    evidence=step.evidence,
                )


def input_differs(given: ConformanceInput) -> Iterator[Diagnostic]:
    """An input of the workflow is of another type, unit or set of values than the fact of that name.

    What: the procedure has a fact with the input's name, and its type, its unit or its enumeration is another. A fact
        that names no unit or no values says nothing of them, nor does a truth value's enumeration.
    Why: 5 tonnes given as 5 kilograms pass every limit; a class that the document has cannot be given.
    Bad: the fact's unit is `t`, the input's `kg`.
    Good: the unit in which the conditions' numbers are.
    """
    for sides in _sides(given):
        facts = {fact.id: fact for fact in sides.procedure.facts}
        for name, spec in given.workflow.inputs.items():
            fact = facts.get(name)
            if fact is None or fact.concept != spec.concept:
                continue
            said = InputSpec(type=fact.type, unit=fact.unit, enum=fact.enum)
            for field in ("type", "unit", "enum"):
                found, expected = getattr(spec, field), getattr(said, field)
                if expected is None or (field == "enum" and fact.type == "boolean") or _same(found, expected):
                    continue
                yield warning(
                    "input-differs",
                    f'the {field} of input "{name}" is {_shown(found)}, but of the fact the procedure says '
                    f"{_shown(expected)}",
                    at_workflow(given.workflow, "inputs", name, *((field,) if found is not None else ())),
                    found=list(found) if isinstance(found, tuple) else found,
                    expected=list(expected) if isinstance(expected, tuple) else expected,
                    evidence=fact.evidence,
                )


def _same(found: object, expected: object) -> bool:
    if isinstance(found, tuple) and isinstance(expected, tuple):
        return set(found) - {None} == set(expected)
    return found == expected


def _shown(value: object) -> str:
    return _list(value) if isinstance(value, tuple) else f"“{value}”" if value is not None else "not given"


def _sides(given: ConformanceInput) -> Iterator[FlowConformance]:
    for procedure in given.procedures:
        yield FlowConformance(given.workflow, procedure)


def _carrying(given: ConformanceInput) -> Iterator[tuple[str, Node, tuple[Step, ...]]]:
    for sides in _sides(given):
        yield from sides.nodes_with_steps


def _ids(steps: Iterable[Step]) -> str:
    return "step " + ", ".join(step.id for step in steps)


def _evidence(steps: Iterable[Step]) -> tuple[Evidence, ...]:
    return tuple(evidence for step in steps for evidence in step.evidence[:1])


def _list(values: Iterable[object]) -> str:
    return "/".join(f"“{value}”" for value in values)


def loosened_deadline(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A node may be done later than the step that it carries.

    What: the node's deadline counts from the same event as the step's, and is certainly longer.
    Why: what the document wants done by a certain time is done after it, and nobody is told.
    Bad: the step says “within 24 hours of the report”, the node `"deadline": {"duration": "P2D", "from": "the report"}`
    Good: `"duration": "PT24H"`, or less.
    """
    steps = {step.id: step for procedure in given.procedures for step in procedure.steps}
    for name, node in given.workflow.nodes.items():
        for step in (steps[step] for step in node.step_ids if node.deadline is not None and step in steps):
            held, said = node.deadline, step.deadline
            if held is None or said is None or said.start != held.start:
                continue
            if TimeSpan.parse(held.duration).surely_exceeds(TimeSpan.parse(said.duration)):
                yield error(
                    "loosened-deadline",
                    f'"{name}" is to be done within {held.duration}, and step {step.id} within {said.duration}',
                    at_node(given.workflow, name, "deadline", "duration"),
                    found=held.duration,
                    expected=said.duration,
                    evidence=said.evidence,
                )


CHECKS = (role_differs, deadline_differs, loosened_deadline, outcomes_differ, approval_becomes_task, input_differs)
