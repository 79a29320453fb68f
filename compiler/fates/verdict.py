"""The verdict on a draft: how it was read, what is open in it, what became of the statements that are its own."""

from collections.abc import Sequence

from ir.decisions.anchor import Subject
from ir.decisions.decision import Decision, accepted
from ir.diagnostics import Diagnostic, Severity
from ir.procedure import DETERMINISTIC, Gap
from ir.verdict import QuestionCounts, StatementFate, StepCounts, Verdict, count_prohibitions, count_statements
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, HUMAN_TASK, Workflow
from validator.checks import CHECKS, code_of

_WEIGHTY = frozenset({"ambiguity", "conflict", "loop", "undefined_exception", "unclear_condition"})
"""Kinds of gaps whose answer could change a path."""
_SOUND = frozenset(code_of(check) for check in CHECKS)
"""The codes of the validator's own tier."""


def verdict(
    workflow: Workflow,
    findings: Sequence[Diagnostic],
    fates: tuple[StatementFate, ...] = (),
    decisions: Sequence[Decision] = (),
    read_by: str = "rules",
) -> Verdict:
    """What a draft says of itself.

    Args:
        findings: the diagnostics of both tiers; only the validator's own decide whether it is sound.
        fates: the statements that are its own.
    """
    wrong = any(one.severity is Severity.ERROR and one.error_code in _SOUND for one in findings)
    weighty = [gap for gap in workflow.gaps if is_weighty(gap, workflow) and not is_settled(gap, decisions)]
    return Verdict(
        sound=not wrong,
        questions=QuestionCounts(all=len(asked(workflow)), weighty=len(weighty)),
        steps=count_steps(workflow, decisions),
        prohibitions=count_prohibitions(fates),
        statements=count_statements(fates),
        read_by=read_by,
    )


def asked(workflow: Workflow) -> tuple[Gap, ...]:
    """The gaps that ask a person something; that no Type fits a step is a state of the step, and is counted there."""
    return tuple(gap for gap in workflow.gaps if gap.kind != "unmapped_step")


def is_weighty(gap: Gap, workflow: Workflow) -> bool:
    """Whether the answer to a question could change a path, an approval or a deadline.

    Who does a step could where the step is an approval; what is missing could unless it is only a value that a node is
    given.
    """
    if gap.kind == "undefined_role":
        own = (n for name, n in workflow.nodes.items() if name in gap.about or set(n.step_ids) & set(gap.about))
        return any(node.type == HUMAN_APPROVAL for node in own)
    if gap.kind == "missing_parameter":
        return not set(gap.about) & set(workflow.nodes)
    return gap.kind in _WEIGHTY


def unmapped_nodes(workflow: Workflow) -> frozenset[str]:
    """The ids of the nodes that stand for steps which no Type fits, as the gaps say."""
    about = {name for gap in workflow.gaps if gap.kind == "unmapped_step" for name in gap.about}
    return frozenset(
        name
        for name, node in workflow.nodes.items()
        if node.type == HUMAN_TASK and (name in about or not about.isdisjoint(node.step_ids))
    )


def count_steps(workflow: Workflow, decisions: Sequence[Decision] = ()) -> StepCounts:
    """The steps of the document in a workflow; what primers put in is none, and no end is."""
    nodes = {
        name: node
        for name, node in workflow.nodes.items()
        if node.type != CONTROL_END and not node.origin.startswith("primer:")
    }
    taken = {name for gap in workflow.gaps if is_settled(gap, decisions, "step") for name in gap.about}
    open_ = unmapped_nodes(workflow) & set(nodes)
    unmapped = {name for name in open_ if taken.isdisjoint((name, *nodes[name].step_ids))}
    manual = [name for name, node in nodes.items() if node.type.startswith("human.") and name not in unmapped]
    return StepCounts(
        all=len(nodes),
        executable=len(nodes) - len(manual) - len(unmapped),
        manual=len(manual),
        unmapped=len(unmapped),
    )


def read_by(method: str, model: str | None) -> str:
    """Who read a procedure, in a few words.

    Args:
        method: as in `Procedure.method`.
        model: the name of the model that was to read it; None where none was.
    """
    if method not in DETERMINISTIC:
        return method.partition(" ")[0]
    return "rules" if model is None else f"rules ({model} failed)"


def is_settled(gap: Gap, decisions: Sequence[Decision], subject: Subject = "question") -> bool:
    """Whether a person accepted a gap, or answered it: by its question or its step, or all that it quotes."""
    told = [accepted(decisions, subject, one.doc_id, one.quote) for one in gap.evidence]
    meant = [one for one in told if one and one.element and (subject == "step" or one.name == gap.question)]
    return bool(told) and (bool(meant) or all(told))
