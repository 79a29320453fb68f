"""Rules of a text in which nobody acts become guards of its workflow; what nothing enforces becomes a question."""

import re
from collections.abc import Iterator, Mapping

from compiler.draft.mappings import DraftBuilder
from compiler.grounding.coverage import overlaps, spans_of
from compiler.text.sentences import Piece
from ir.predicate import AnyCondition, Compare, Junction, Not, Null, Ref, Tree, negate, references, substitute
from ir.procedure import Constraint, Procedure
from ir.workflow import Edge, Guard, RulePack


def add_guards(draft: DraftBuilder, packs: Mapping[str, RulePack]) -> tuple[Guard, ...]:
    """The rules of a text that has no steps, as guards; for each clause with other rules one question.

    Beside steps a rule is no precondition of the run: `the turbidity must stay below 1 NTU` in an instruction for what
    to do when it does not. A rule that a decision node applies as a row is left to it.
    """
    rows = {rule.evidence for pack in packs.values() for rule in pack.rules}
    guards: list[Guard] = []
    open_: dict[str | None, list[Constraint]] = {}
    places = draft.computations.places if draft.computations is not None else {}
    alone = all(
        step.id in places for step in draft.procedure.steps
    )  # then permissions and advice are all that there is, too
    for rule in draft.procedure.constraints:
        if rule.evidence in rows:
            continue
        condition = _condition(draft, rule) if alone else None
        if condition is not None:
            code = f"RULE_{re.sub(r'[^A-Z0-9]', '_', rule.id.upper())}"
            guards.append(Guard(condition=condition, error_code=code, message=rule.text, evidence=rule.evidence))
            if rule.modality == "may":  # it says what is allowed, not that the rest is forbidden
                draft.gap("unclear_condition", "beyond", rule.text, (), rule.evidence)
        elif (rule.modality in ("must", "must_not") or alone) and not rule.text.endswith(("：", ":")):
            open_.setdefault(rule.evidence[0].block if rule.evidence else None, []).append(rule)
    for asked in open_.values():
        question = "partly" if all(_is_carried(draft.procedure, rule) for rule in asked) else "unenforced"
        words = "”、“".join(dict.fromkeys(rule.text for rule in asked))
        steps = tuple(dict.fromkeys(step for rule in asked for step in rule.steps))
        evidence = tuple(dict.fromkeys(one for rule in asked for one in rule.evidence))
        draft.gap("unclear_condition", question, words, steps, evidence)
    return tuple(guards)


def _is_carried(procedure: Procedure, rule: Constraint) -> bool:
    """Whether a step or a flow rests on some of a rule's words, so that it is only in part beside the steps."""
    carried = spans_of((*procedure.steps, *procedure.flows))
    return any(
        overlaps(Piece(quote.block, quote.start, quote.end, quote.quote), carried)
        for quote in rule.evidence
        if quote.block is not None and quote.start is not None and quote.end is not None
    )


def _condition(draft: DraftBuilder, rule: Constraint) -> Tree | None:
    """What has to hold of the inputs for a rule to be kept; None where its words are not definite enough."""
    if rule.predicate is None:
        return None
    facts = {fact.id: fact for fact in draft.procedure.facts}
    read = [ref for ref in references(rule.predicate) if ref.root != "facts" or ref.path[0] not in facts]
    if read:
        return None
    tree = substitute(rule.predicate, lambda ref: draft.input_of(facts[ref.path[0]]))
    return _of_what_is_given(draft, negate(tree) if rule.modality == "must_not" else tree)


def _of_what_is_given(draft: DraftBuilder, tree: Tree) -> Tree:
    """A guard that speaks of what is given: of an input that may lack it demands nothing where it does."""
    match tree:
        case Compare() | Not():
            lacking = [Null(ref) for ref in references(tree) if draft.inputs[ref.path[0]].nullable]
            return Junction("or", (*dict.fromkeys(lacking), tree)) if lacking else tree
        case Junction(op, items):
            return Junction(op, tuple(_of_what_is_given(draft, item) for item in items))
    return tree


def ask_of_answers(draft: DraftBuilder, edges: list[Edge], guards: tuple[Guard, ...]) -> None:
    """For each yes or no on which the draft decides, the question whether its words mean that and nothing more."""
    read = {ref for condition in _conditions(edges, guards) for ref in references(condition)}
    for name, spec in draft.inputs.items():
        if spec.type == "boolean" and Ref(f"$.inputs.{name}") in read:
            words = spec.evidence[0].quote if spec.evidence else spec.description or name
            ruled = (e for g in guards if Ref(f"$.inputs.{name}") in references(g.condition) for e in g.evidence)
            evidence = tuple(dict.fromkeys((*spec.evidence, *ruled)))
            draft.gap("unclear_condition", "answer", words, (name,), evidence)


def _conditions(edges: list[Edge], guards: tuple[Guard, ...]) -> Iterator[AnyCondition]:
    yield from (edge.condition for edge in edges)
    yield from (guard.condition for guard in guards)
