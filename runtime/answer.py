"""What an execution came to as a person would say it: the verdict, the reason, what is missing and what to do."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import JsonValue

from ir.fields import Fields, FieldSpec
from ir.predicate import Tree, references
from ir.walk import Run
from ir.workflow import HUMAN_APPROVAL, Workflow
from runtime.host import Host
from runtime.veil import seen

VERDICT, MISSING, FACTS = "compliance", "missing_requirements", "case_facts"
"""The concepts of the fields that a verdict, what is missing for it, and what it rests on are told in."""

Shown = Callable[[str, Any], Any]

_WORDS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "yes": "合规", "no": "不合规", "reason": "原因：", "facts": "判定依据的事实：", "missing": "缺少：",
        "advice": "建议先补齐所缺条件，再重新提交。", "between": "；", "stop": "。", "is": "：",
        "true": "是", "false": "否", "none": "未知",
    },
    "en": {
        "yes": "compliant", "no": "not compliant", "reason": "Because: ", "facts": "Facts: ",
        "missing": "Missing: ", "advice": "Supply what is missing first, then submit again.", "between": "; ",
        "stop": ". ", "is": ": ", "true": "yes", "false": "no", "none": "not known",
    },
}  # fmt: skip


def answer_text(host: Host, run: Run, ended: str, shown: Shown = lambda node, output: output) -> str:
    """The answer in the document's language, made of the record alone: no model words it.

    The verdict is a field with the concept `compliance`, the last that was given; without one the end itself is told.
    The reason is told in the words of the choices that were made, and of the values that the verdict rests on.

    Args:
        ended: how it ended, or where it stands, in words.
        shown: what a node gave, by its name, as the reader may see it.
    """
    words = _WORDS.get(run.workflow.metadata.language or "en", _WORDS["en"])
    given = [*_given(host, run, shown)]
    verdict = next(
        (value for concept, value in reversed(given) if concept == VERDICT and isinstance(value, bool)), None
    )
    title = run.workflow.metadata.title or run.workflow.workflow_id
    told = ended if verdict is None else words["yes" if verdict else "no"]
    parts = [f"{title}{words['is']}{told}"]
    reasons = list(dict.fromkeys(_choices(run, of_people=verdict is None)))
    if reasons:
        parts.append(words["reason"] + words["between"].join(reasons))
    facts = next((value for concept, value in reversed(given) if concept == FACTS and isinstance(value, dict)), {})
    if facts:
        told_facts = (f"{name}{words['is']}{_shown(value, words)}" for name, value in facts.items())
        parts.append(words["facts"] + words["between"].join(told_facts))
    missing = [one for concept, value in given if concept == MISSING for one in _items(value)] if not verdict else []
    if missing:
        parts += [words["missing"] + words["between"].join(dict.fromkeys(missing)), words["advice"]]
    return words["stop"].join(part.rstrip("。. ") for part in parts) + words["stop"].rstrip()


def _given(host: Host, run: Run, shown: Shown) -> Iterator[tuple[str, JsonValue]]:
    """By concept what nodes gave, in the order in which they ran."""
    for node, outcome in run.outcomes.items():
        own = run.workflow.nodes[node]
        node_type = host.node_type(own)
        fields: Fields = own.requested_fields or (node_type.outputs_schema if node_type is not None else {})
        for name, spec in fields.items():
            concept = spec.concept or _called(host, spec)
            if concept is not None and not outcome.failed and outcome.output and name in outcome.output:
                yield concept, seen(shown(node, outcome.output)[name])


def _called(host: Host, spec: FieldSpec) -> str | None:
    """The concept whose very name a field bears that says none, where it is of the same type."""
    found = host.catalog.concept_named(spec.description or "")
    return found.id if found is not None and found.type == spec.type else None


def _choices(run: Run, *, of_people: bool) -> Iterator[str]:
    """The words of the conditions that held where the run went on, in its order.

    Args:
        of_people: those too that ask for nothing but what an approver said, which is why a run ended as it did, and not
            why something is compliant or is not.
    """
    approvals = {name for name, node in run.workflow.nodes.items() if node.type == HUMAN_APPROVAL}
    for step in run.steps:
        for index in step.took:
            condition, quotes = run.workflow.edges[index].condition, words_of_choice(run.workflow, index)
            if quotes and isinstance(condition, Tree):
                asked = {ref.node for ref in references(condition)}
                if of_people or not asked or not asked <= approvals:
                    yield quotes[0]


def words_of_choice(workflow: Workflow, index: int) -> tuple[str, ...]:
    """The words of the document that say why an edge was taken; none where its condition has none of its own.

    Words that another condition of the same node has as well say of one of the two what does not hold there: `where the
    receipt is missing it is sent back` stands at both ways on from the check. `otherwise` takes none from the others.
    """
    edge = workflow.edges[index]
    if not isinstance(edge.condition, Tree):
        return ()
    beside = (one for at, one in enumerate(workflow.edges) if at != index and one.source == edge.source)
    shared = {said.quote for one in beside if isinstance(one.condition, Tree) for said in one.evidence}
    return tuple(dict.fromkeys(one.quote for one in edge.evidence if one.quote not in shared))


def _items(value: JsonValue) -> Iterator[str]:
    """What a list of requirements says, whether of texts or of objects with a message."""
    for one in value if isinstance(value, list) else ():
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict) and isinstance(said := one.get("message"), str):
            yield said


def _shown(value: JsonValue, words: Mapping[str, str]) -> str:
    if value is None:
        return words["none"]
    return words["true" if value else "false"] if isinstance(value, bool) else str(value)
