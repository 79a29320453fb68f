"""What stands in fields as people write it: conditions and formulas in the document's names, durations in words."""

import re
from collections.abc import Callable, Iterator, Mapping

from compiler.decisions.texts import names_of
from compiler.decisions.unfit import UnfitError
from compiler.report.readers_words import duration_words
from ir.duration import duration_length, written_duration
from ir.fields import FieldSpec
from ir.formula import Expression
from ir.formulas.infix import parse_formula, to_formula
from ir.infix import InfixError, parse_infix, to_infix
from ir.predicate import Compare, Literally, Ref, Tree, leaves, references
from ir.procedure import Flow, Procedure, Step
from ir.quantities.units import find_quantities
from ir.workflow import HUMAN_TASK, Workflow
from validator.analysis.fit import value_misfit

_REFERENCE = re.compile(r"\$\.(?:facts|results|steps)\.[A-Za-z_][A-Za-z0-9_-]*")
_AROUND = re.compile(
    r"\s*(?:within|in|at most|no later than|不超过|最长|至多)?\s*(?P<one>an?\s)?\s*"
    r"(?P<length>.*?)\s*(?:以内|之内|内)?\s*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s,，又零]*(?:and)?\s*", re.IGNORECASE)
_VERDICTS = ("approved", "rejected")


# --- durations --------------------------------------------------------------------------------------------------------


def duration_of(field: str, text: str) -> str:
    """The duration that a person wrote: as ISO 8601, or in words of either language.

    Raises:
        UnfitError: it is none.

    >>> [duration_of("duration", one) for one in ("PT48H", "8小时", "3个工作日内", "within 2 working days")]
    ['PT48H', 'PT8H', 'P3BD', 'P2BD']
    >>> [duration_of("duration", one) for one in ("1 hour 30 minutes", "半年", "within a week")]
    ['PT1H30M', 'P6M', 'P1W']
    """
    if duration_length(text) is not None:
        return text
    found = _AROUND.fullmatch(text)
    told = _in_words(("1 " if found["one"] else "") + found["length"]) if found is not None else None
    if told is None:
        message = f"{text!r} is no length of time; write 8小时, 3个工作日, 2 hours, within 3 working days, or PT8H"
        raise UnfitError(field, message)
    return told


def shown_duration(duration: str, language: str) -> str:
    """A duration in words, where they are read as the same again; else as it is."""
    words = duration_words(duration, language)
    return words if _in_words(words) == duration else duration


def _in_words(text: str) -> str | None:
    quantities, at = find_quantities(text), 0
    for one in quantities:
        if _BETWEEN.fullmatch(text, at, one.start) is None:
            return None
        at = one.end
    lengths = [duration_length(one.duration) if one.duration else None for one in quantities]
    if not lengths or None in lengths or text[at:].strip():
        return None
    if len(lengths) == 1:
        return quantities[0].duration
    calendars = {one[1] for one in lengths if one is not None}
    total = sum(one[0] for one in lengths if one is not None)
    return written_duration(int(total), calendars.pop()) if len(calendars) == 1 else None


# --- conditions and formulas ------------------------------------------------------------------------------------------


def shown_condition(tree: Tree | None, procedure: Procedure) -> str:
    """A condition in the names of the document, which is read as the same again; empty where there is none."""
    return _named(to_infix(tree), procedure, parse_infix) if tree is not None else ""


def flow_condition(flow: Flow, procedure: Procedure) -> str:
    """What a way is taken on: a condition, `otherwise`, or empty for always and for what is not definite."""
    if flow.condition == "otherwise":
        return flow.condition
    return shown_condition(
        next((one.predicate for one in procedure.conditions if one.id == flow.condition), None), procedure
    )


def shown_formula(formula: Expression | None, procedure: Procedure) -> str:
    """A formula, likewise."""
    return _named(to_formula(formula), procedure, parse_formula) if formula is not None else ""


def _named(text: str, procedure: Procedure, parse: Callable[[str, Mapping[str, str]], object]) -> str:
    """A text with names for references, as many as leave its meaning as it is."""
    names, meant = names_of(procedure), parse(text, {})
    called = {ref: name for name, ref in reversed(names.items())}
    for ref in dict.fromkeys(_REFERENCE.findall(text)):
        shorter = re.sub(re.escape(ref) + r"(?![A-Za-z0-9_-])", called.get(ref, ref).replace("\\", r"\\"), text)
        try:
            text = shorter if parse(shorter, names) == meant else text
        except InfixError:
            continue
    return text


def check_condition(field: str, tree: Tree, procedure: Procedure, workflow: Workflow) -> None:
    """Refuse a condition that reads what nothing gives, or compares with a value that can never be.

    Raises:
        UnfitError: with what there is in its place.
    """
    for told in (*_unknown(tree, procedure), *_never(tree, procedure, workflow)):
        raise UnfitError(field, told)


def _unknown(tree: Tree, procedure: Procedure) -> Iterator[str]:
    facts, steps = {one.id for one in procedure.facts}, {one.id for one in procedure.steps}
    there = ", ".join((*(one.name for one in procedure.facts), *(f"{one.id}.outcome" for one in procedure.steps)))
    for ref in references(tree):
        if ref.root == "steps" and ref.path[0] in steps and ref.path[1:] != ("outcome",):
            yield f"a step gives {ref.path[0]}.outcome alone, not {ref.text}; add a fact for what else is to be known"
        elif (ref.root == "facts" and ref.path[0] not in facts) or (ref.root == "steps" and ref.path[0] not in steps):
            yield f"{ref.text} is not there; there are {there or 'none'}"


def _never(tree: Tree, procedure: Procedure, workflow: Workflow) -> Iterator[str]:
    facts, steps = {one.id: one for one in procedure.facts}, {one.id: one for one in procedure.steps}
    for leaf in leaves(tree):
        if not (isinstance(leaf, Compare) and isinstance(leaf.left, Ref) and isinstance(leaf.right, Literally)):
            continue
        ref, values = leaf.left, leaf.right.value if isinstance(leaf.right.value, list) else [leaf.right.value]
        if ref.root == "steps" and (step := steps.get(ref.path[0])) is not None:
            allowed = _outcomes(step, workflow)
            if allowed is not None and (wrong := [one for one in values if one not in allowed]):
                told = f"it can be {', '.join(allowed)}" if allowed else "it can be nothing: enter its outcomes first"
                yield f"{step.id}.outcome is never {wrong[0]!r}; {told}"
        elif ref.root == "facts" and leaf.op != "contains" and (fact := facts.get(ref.path[0])) is not None:
            enum = fact.enum if leaf.op in ("eq", "ne", "in") else None
            spec = FieldSpec(type=fact.type, enum=enum)
            misfits = (value_misfit(value, spec, null_fits=False) for value in values)
            for why in (one for one in misfits if one is not None and one.certain):
                yield f"{fact.name} is never {why.found}; it is {why.expected}"


def _outcomes(step: Step, workflow: Workflow) -> tuple[str, ...] | None:
    """What a step can end in; None where the Type that carries it out says so."""
    if step.outcomes:
        return step.outcomes
    if step.kind == "approval":
        return _VERDICTS
    node = next((one for one in workflow.nodes.values() if step.id in one.step_ids), None)
    return () if node is None or node.type == HUMAN_TASK else None
