"""What a model asks of its document, as a draft asks it: once, and only what its runs can turn on.

A model asks of all that it reads: also of rules beside the steps, which the draft asks of by itself where nothing keeps
them, and of duties that stand alone. What somebody answers there changes no step, way or approval.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from compiler.context import Context
from compiler.extract.model.careful import DOUBT
from compiler.grounding.coverage import overlaps, spans_of
from compiler.text.sentences import Piece
from ir.diagnostics import Diagnostic, Location, Severity
from ir.formula import expression_references
from ir.predicate import parse_tree, references
from ir.procedure import END, START, Element, Gap, GapKind, Procedure

Beside = Literal["a rule that no step stands beside", "a duty that stands alone"]

_OF_RULES: frozenset[GapKind] = frozenset({"ambiguity", "undefined_role"})
"""Kinds that are minor of a rule; a limit that it names and nobody gives is not, nor a case that it leaves out."""
_OF_DUTIES: frozenset[GapKind] = _OF_RULES | {"missing_parameter", "undefined_exception"}
_JUDGING = frozenset({"approval", "decision", "check"})


def without_minor_questions(ctx: Context, procedures: Sequence[Procedure]) -> tuple[Procedure, ...]:
    """The procedures of a document with each question once, and without those that none of their runs turns on.

    These are reported with `minor-question`. In what two readings differ is asked as it is. A duty stands alone beside
    something that has a course; where the document has nothing else, it is what the document is about.
    """
    coursed = not all(map(_stands_alone, procedures))
    return tuple(_asking(ctx, one, alone=coursed and _stands_alone(one)) for one in procedures)


def _asking(ctx: Context, procedure: Procedure, *, alone: bool) -> Procedure:
    """The procedure with its questions, numbered anew, so that later ones find free numbers."""
    doubts = [gap for gap in procedure.gaps if gap.id.startswith(DOUBT)]
    kept: list[Gap] = []
    for gap in _once(gap for gap in procedure.gaps if gap not in doubts):
        beside = _beside(gap, procedure, alone=alone)
        if beside is None:
            kept.append(gap.model_copy(update={"id": f"g{len(kept) + 1}"}))
        else:
            ctx.report(_minor(gap, procedure, beside))
    return procedure.model_copy(update={"gaps": (*kept, *doubts)})


def _once(gaps: Iterable[Gap]) -> Iterator[Gap]:
    """The questions, those that ask the same as one, with all their places and all that they are about."""
    found: dict[tuple[GapKind, str], list[Gap]] = {}
    for gap in gaps:
        found.setdefault((gap.kind, gap.question), []).append(gap)
    for same in found.values():
        about = tuple(dict.fromkeys(name for gap in same for name in gap.about))
        evidence = tuple(dict.fromkeys(one for gap in same for one in gap.evidence))
        yield same[0].model_copy(update={"about": about, "evidence": evidence})


def _beside(gap: Gap, procedure: Procedure, *, alone: bool) -> Beside | None:
    """What a question is of that no run turns on; None where one may."""
    if not procedure.steps or not gap.evidence:
        return None
    if gap.kind in _OF_RULES and not _only_computes(procedure) and _of_rules(gap, procedure):
        return "a rule that no step stands beside"
    conditional = any(flow.condition is not None for flow in procedure.flows)
    asks_when = conditional and gap.kind == "ambiguity"
    return "a duty that stands alone" if alone and gap.kind in _OF_DUTIES and not asks_when else None


def _only_computes(procedure: Procedure) -> bool:
    """Whether each step only gives results: a run is then kept to the rules, which become its guards."""
    return {step.id for step in procedure.steps} <= {result.step for result in procedure.results}


def _of_rules(gap: Gap, procedure: Procedure) -> bool:
    """Whether a question is of rules that bind no step, in clauses from which no step or way was read."""
    acting: tuple[Element, ...] = (
        *procedure.steps, *procedure.flows, *procedure.conditions, *procedure.results, *procedure.triggers
    )  # fmt: skip
    if set(gap.about) & ({step.id for step in procedure.steps} | _read(procedure)):
        return False
    if {one.block for one in gap.evidence} & {one.block for each in acting for one in each.evidence}:
        return False
    rules = spans_of(rule for rule in procedure.constraints if not rule.steps)
    return all(
        one.block is not None and overlaps(Piece(one.block, one.start or 0, one.end or 0, one.quote), rules)
        for one in gap.evidence
    )


def _read(procedure: Procedure) -> set[str]:
    """The ids of the facts and results that conditions of ways and rows of results read."""
    rows = [row for result in procedure.results for row in result.rows]
    predicates = [one.predicate for one in procedure.conditions]
    predicates += [trigger.condition for trigger in procedure.triggers]
    predicates += [row.condition for row in rows]
    read = [ref for raw in predicates if raw is not None for ref in references(parse_tree(raw))]
    read += [ref for row in rows if row.formula is not None for ref in expression_references(row.formula)]
    return {ref.path[0] for ref in read}


def _stands_alone(procedure: Procedure) -> bool:
    """Whether nothing in a procedure comes before or after anything else, and nobody judges anything."""
    ordered = any(flow.source != START and flow.target != END for flow in procedure.flows)
    judged = any(step.kind in _JUDGING or len(step.outcomes) > 1 for step in procedure.steps)
    return not (ordered or judged or procedure.results)


def _minor(gap: Gap, procedure: Procedure, beside: Beside) -> Diagnostic:
    """The question as a note."""
    words = " … ".join(one.quote for one in gap.evidence)
    message = f"“{words}”: {gap.question} This is asked of {beside}; no run of “{procedure.title}” turns on the answer"
    return Diagnostic(
        error_code="minor-question",
        severity=Severity.INFO,
        message=message,
        location=Location(file=procedure.doc_id, block=gap.evidence[0].block),
        evidence=gap.evidence,
        found=gap.question,
        expected="an answer, where the document is written anew; the draft needs none",
    )
