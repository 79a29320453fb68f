"""What each pass of a build made of some words of a document."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from compiler.build.creations import Passage, brief, listed, rests_on, shown
from compiler.trace import PassRecord
from ir.diagnostics import Diagnostic
from ir.facts import DocumentRole
from ir.formulas.infix import to_formula
from ir.infix import to_infix
from ir.predicate import Always, Otherwise
from ir.procedure import Element, Procedure
from ir.source import Evidence
from ir.workflow import Rule, Workflow


@dataclass(frozen=True)
class Stage:
    """One run of a pass, as far as it concerns the words; `shows` has what is new or changed after it."""

    name: str
    subject: str
    shows: tuple[str, ...]


def stages(records: Sequence[PassRecord], passages: Sequence[Passage]) -> Iterator[Stage]:
    """The passes in their order, each with what it changed of what concerns the words."""
    before: dict[tuple[str, str], str] = {}
    steps: dict[str, set[str]] = {}  # of each subject, those that rest on the words
    for record in records:
        now = dict(_shown_by(record, passages, steps.setdefault(record.subject, set())))
        lines = [text for key, text in now.items() if before.get((record.subject, key)) != text]
        before |= {(record.subject, key): text for key, text in now.items()}
        lines += [f"{d.severity.value} {d.error_code}: {d.message}" for d in _findings(record, passages)]
        if lines:
            yield Stage(record.name, record.subject, tuple(lines))


def _shown_by(record: PassRecord, passages: Sequence[Passage], steps: set[str]) -> Iterator[tuple[str, str]]:
    """What a pass gave that concerns the words: a key for each thing, and what is said of it."""
    output = record.output
    if isinstance(output, DocumentRole) and any(passage.doc_id == output.doc_id for passage in passages):
        yield "role", f"role {output.role}: {output.reason}"
    procedures = [output] if isinstance(output, Procedure) else output if _is_procedures(output) else []
    for procedure in procedures:
        yield from _of_procedure(procedure, passages, steps)
    for workflow in output if isinstance(output, tuple) else (output,):
        if isinstance(workflow, Workflow):
            yield from _of_workflow(workflow, passages, steps)
    for aligned in output if isinstance(output, tuple) else (output,):
        if isinstance(aligned, Mapping):
            for step, value in aligned.items():
                if step in steps:
                    yield f"{record.name} {step}", f"{step}: {brief(value)}"


def _is_procedures(output: object) -> bool:
    return isinstance(output, tuple) and all(isinstance(one, Procedure) for one in output)


def _of_procedure(procedure: Procedure, passages: Sequence[Passage], steps: set[str]) -> Iterator[tuple[str, str]]:
    kinds: dict[str, Sequence[Element]] = {
        "trigger": procedure.triggers, "fact": procedure.facts, "step": procedure.steps,
        "condition": procedure.conditions, "flow": procedure.flows, "constraint": procedure.constraints,
        "gap": procedure.gaps, "unplaced": procedure.unplaced,
    }  # fmt: skip
    for kind, elements in kinds.items():
        for number, element in enumerate(elements):
            if any(rests_on(element, passage) for passage in passages):
                name = getattr(element, "id", number)
                if kind == "step":
                    steps.add(str(name))
                status = ", ".join(dict.fromkeys(e.status.value for e in element.evidence if e.status))
                yield f"{kind} {name}", f"{kind} {shown(element)}" + (f" [{status}]" if status else "")


def _of_workflow(workflow: Workflow, passages: Sequence[Passage], steps: set[str]) -> Iterator[tuple[str, str]]:
    def concerns(evidence: Sequence[Evidence]) -> bool:
        return any(p.touched_by(e.doc_id, e.block, e.start, e.end) for p in passages for e in evidence)

    nodes = {name for name, node in workflow.nodes.items() if steps & set(node.step_ids) or concerns(node.evidence)}
    for name in sorted(nodes):
        node = workflow.nodes[name]
        yield (
            f"node {name}",
            f"node {name}: {node.type} “{node.label or ''}” ({node.origin}, of {listed(node.step_ids)})",
        )
    for edge in workflow.edges:
        if concerns(edge.evidence) or {edge.source, edge.target} & nodes:
            plain = isinstance(edge.condition, Always | Otherwise) or edge.condition is None
            words = type(edge.condition).__name__.lower() if plain else to_infix(edge.condition)  # type: ignore[arg-type]
            arrow = f"{edge.source}->{edge.target}"
            yield f"edge {arrow} {words}", f"edge {arrow}: {words} ({edge.origin})"
    for name, spec in workflow.inputs.items():
        if concerns(spec.evidence):
            yield f"input {name}", f"input {name}: {spec.type}{' ' + spec.unit if spec.unit else ''}"
    for name, pack in workflow.rule_packs.items():
        for rule in pack.rules:
            if concerns(rule.quotes):
                yield f"rule {name} {rule.rule_id}", f"rule {rule.rule_id} of {name}: {brief(_given(rule))}"


def _findings(record: PassRecord, passages: Sequence[Passage]) -> Iterator[Diagnostic]:
    """The diagnostics of a pass that quote the words or speak of their block."""
    given = [d for d in (record.output if isinstance(record.output, tuple) else ()) if isinstance(d, Diagnostic)]
    for diagnostic in (*record.diagnostics, *given):
        places = [(e.doc_id, e.block, e.start, e.end) for e in diagnostic.evidence]
        in_block = any((diagnostic.location.file, diagnostic.location.block) == (p.doc_id, p.block) for p in passages)
        if any(p.touched_by(*place) for p in passages for place in places) or in_block:
            yield diagnostic


def _given(rule: Rule) -> dict[str, JsonValue]:
    """What a row gives, with formulas as they are written."""
    return rule.outcome | {name: to_formula(one.formula) for name, one in rule.formulas.items()}
