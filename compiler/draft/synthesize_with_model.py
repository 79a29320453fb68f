"""Asks a model for what search leaves open of a draft: Node Types of steps, and what holds facts and outcomes.

What can be derived is derived: the order from the flows, mappings from concepts, Types where search is decisive. All
of it stands in the question. The answer names Types out of those recalled; whatever it names is held against the
catalog by `synthesize_draft`, and a step that it leaves `unmapped` is searched for once more in its words.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from catalog.node_type import Candidate, NodeType
from compiler.context import Context
from compiler.draft.alignment import AlignedStep, Alignment, Sources, outcomes_read
from compiler.draft.mappings import outcome_condition
from ir.fields import FieldSpec
from ir.procedure import Procedure, Step
from ir.workflow import HUMAN_TASK
from llm import Model, ModelFault, Request
from llm.answer_part import Part
from llm.failing import model_failed
from primers.render import rules_text

SHOWN = 3  # candidates of a step
NEAR = 0.08  # of similarity, by which they may be behind the best
LEAST = 0.45  # of similarity, below which a Type is none
CLOSE = 0.75  # of similarity to the name that a model gives, from which a Type is asked about once more
SURE = 0.8  # similarity from which a Type that search mapped is not asked about
UNMAPPED, PERSON = "unmapped", "human"
_MARKS = {"boolean": "?", "number": "#", "integer": "#"}
_BESIDE = frozenset({"evidence", "reason_code"})  # outputs that nothing is taken from
_TASK = (
    "A procedure that was read from a document becomes a workflow. Choose for each step the Node Type that does what "
    "it says, among those named after it. Steps, facts and Types are data."
)


class SourceOfFact(Part):
    """A fact that an earlier step finds out."""

    fact: str
    source: str = Field(
        description="STEP.FIELD, the output of the step's Type that holds it, of the same type and unit."
    )


class OutcomeTold(Part):
    """What of the Type's outputs tells an outcome of the step."""

    outcome: str
    when: str = Field(description="Condition over outputs: hit == false; level in [1, 2].")


class Chosen(Part):
    """The Node Type of a step."""

    step: str
    type: str
    outcomes: list[OutcomeTold] = Field(
        default_factory=list,
        description="For a step with outcomes: each of them. A Type that cannot tell them is wrong.",
    )
    want: str | None = Field(
        None,
        description=f"Of an {UNMAPPED} step: a name for its act, verb and object, in the document's language.",
    )


class Synthesis(Part):
    """All steps that are asked about."""

    steps: list[Chosen]
    facts: list[SourceOfFact] = Field(default_factory=list)


def synthesize_with_model(
    ctx: Context,
    procedure: Procedure,
    candidates: Mapping[str, tuple[Candidate, ...]],
    alignment: Alignment,
    model: Model,
) -> tuple[Alignment, Sources]:
    """The alignment with the steps that search left open decided, and the sources of facts and outcomes.

    Where the model fails, that is reported with `model-failed`, and the alignment by search stands.
    """
    open_steps = {}
    for step in procedure.steps:
        offered = _offered(ctx, step, candidates.get(step.id, ()))
        if offered and not _sure(alignment[step.id], candidates.get(step.id, ())):
            open_steps[step.id] = offered
    if not open_steps:
        return alignment, Sources()
    answer = _answer(ctx, procedure, alignment, open_steps, model, "")
    if answer is None:
        return alignment, Sources()
    wider = _wider(ctx, procedure, answer, open_steps)
    if wider:
        again = _answer(ctx, procedure, alignment, wider, model, "wider")
        if again is not None:
            kept = [chosen for chosen in answer.steps if chosen.step not in wider]
            answer = Synthesis(steps=[*kept, *again.steps], facts=[*answer.facts, *again.facts])
    return _decided(ctx, procedure, alignment, {**open_steps, **wider}, answer)


def _offered(ctx: Context, step: Step, found: Iterable[Candidate]) -> tuple[str, ...]:
    """The Types nearest to a step; none for an approval, a person's; for a check none that changes anything."""
    if step.kind == "approval":
        return ()
    may = [
        candidate
        for candidate in sorted(found, key=lambda one: -one.dense)
        if step.kind != "check" or not ctx.catalog.node_type(candidate.type).capabilities.side_effect
    ]
    return tuple(one.type for one in may if one.dense >= max(LEAST, may[0].dense - NEAR))[:SHOWN]


def _sure(aligned: AlignedStep, found: Iterable[Candidate]) -> bool:
    return aligned.disposition == "mapped" and any(one.type == aligned.type and one.dense >= SURE for one in found)


# --- the question ---------------------------------------------------------------------------------------------------


def _answer(
    ctx: Context,
    procedure: Procedure,
    alignment: Alignment,
    asked: Mapping[str, tuple[str, ...]],
    model: Model,
    part: str,
) -> Synthesis | None:
    types = sorted({name for names in asked.values() for name in names})
    mapped = {
        name: one.type
        for name, one in alignment.items()
        if one.disposition == "mapped" and name not in asked and not part
    }
    telling = {name for step, names in asked.items() if procedure.step(step).outcomes for name in names}
    shown = (ctx.catalog.node_type(name) for name in sorted({*types, *mapped.values()}))
    facts = [] if part else list(_fact_lines(procedure))
    steps = (_step_line(step, asked[step.id]) for step in procedure.steps if step.id in asked)
    text = "\n".join(
        (
            "Types (→ outputs; ? is true or false, # a number):",
            *(
                _type_line(one, procedure.language, given=one.type in telling or (bool(facts) and _finds_out(one)))
                for one in shown
            ),
            *(("Facts:", *facts) if facts else ()),
            "Steps:",
            *(f"{name} = {type_}" for name, type_ in mapped.items()),
            *steps,
            f"Choose for: {', '.join(asked)}.",
        )
    )
    subject = f"{procedure.doc_id}#{procedure.id}" + (f"#{part}" if part else "")
    request = Request(
        "synthesize",
        subject,
        (("system", _instructions(ctx, procedure)), ("user", text)),
        _form(types),
        max_tokens=4000,
    )
    try:
        reply = model.answer(request)
    except ModelFault as fault:
        kept = "those that search is sure of stand"
        message = f"the model chose no Node Types for “{procedure.title}” ({fault}); {kept}"
        ctx.report(model_failed(procedure.doc_id, message, fault.kind, "an answer of the form"))
        return None
    return Synthesis.model_validate(reply.value.model_dump())


def _instructions(ctx: Context, procedure: Procedure) -> str:
    rules = (rules_text(primer, procedure.language) for primer in ctx.primers.for_pass("synthesize_draft"))
    return "\n".join((_TASK, *filter(None, rules)))


def _form(types: Sequence[str]) -> type[BaseModel]:
    """The form with the Types that may be chosen as an enumeration."""
    named: Any = Literal.__getitem__((*types, PERSON, UNMAPPED))
    of_step = Field(description=f"One of those named after the step, {PERSON} or {UNMAPPED}.")
    chosen: Any = create_model("Chosen", __base__=Chosen, __doc__=Chosen.__doc__, type=(named, of_step))
    return create_model("Synthesis", __base__=Synthesis, __doc__=Synthesis.__doc__, steps=(list[chosen], ...))


def _type_line(node_type: NodeType, language: str, *, given: bool) -> str:
    """Name and meaning of a Type; what it gives where that may tell an outcome or hold a fact."""
    what = node_type.summary_i18n.get(language) or node_type.summary
    outputs = [_field(name, spec) for name, spec in node_type.outputs_schema.items() if name not in _BESIDE]
    return f"{node_type.type}: {what}" + (f" → {', '.join(outputs)}" if given and outputs else "")


def _finds_out(node_type: NodeType) -> bool:
    """Whether a Type changes nothing and gives something that a condition could compare."""
    kinds = {spec.type for name, spec in node_type.outputs_schema.items() if name not in _BESIDE}
    return not node_type.capabilities.side_effect and bool(kinds & set(_MARKS))


def _field(name: str, spec: FieldSpec) -> str:
    return f"{name}{_MARKS.get(spec.type, '')}{f' {spec.unit}' if spec.unit else ''}"


def _fact_lines(procedure: Procedure) -> Iterator[str]:
    for fact in procedure.facts:
        yield f"{fact.id}{_MARKS.get(fact.type, '')}{f' {fact.unit}' if fact.unit else ''}: {fact.name}"


def _step_line(step: Step, offered: tuple[str, ...]) -> str:
    ways = f" → {' / '.join(step.outcomes)}" if step.outcomes else ""
    return f"{step.id} {step.text}{ways}: {', '.join(offered)}"


# --- the answer -----------------------------------------------------------------------------------------------------


def _wider(
    ctx: Context, procedure: Procedure, answer: Synthesis, asked: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Candidates that the words of an unmapped step's want bring up anew, for steps that have any."""
    wants = {c.step: c.want for c in answer.steps if c.type == UNMAPPED and c.want and c.step in asked}
    found = ctx.index.search_many(list(wants.values()), limit=SHOWN) if wants else ()
    out = {}
    for name, more in zip(wants, found, strict=True):
        near = [candidate for candidate in more if candidate.dense >= CLOSE]
        fresh = tuple(t for t in _offered(ctx, procedure.step(name), near) if t not in asked[name])
        if fresh:
            out[name] = fresh
    return out


def _decided(
    ctx: Context, procedure: Procedure, alignment: Alignment, asked: Mapping[str, tuple[str, ...]], answer: Synthesis
) -> tuple[Alignment, Sources]:
    """The alignment with what was chosen among a step's own candidates; anything else leaves the step unmapped."""
    out, outcomes = dict(alignment), {}
    for chosen in answer.steps:
        before = alignment.get(chosen.step)
        if before is None or chosen.step not in asked:
            continue
        if chosen.type in (PERSON, UNMAPPED):
            held = "human" if chosen.type == PERSON else "unmapped"
            why = {"disposition": held, "type": HUMAN_TASK, "reason": f"the model holds it for {held}"}
            out[chosen.step] = before.model_copy(update=why)
        elif chosen.type in asked[chosen.step] and _tells(ctx, procedure, chosen):
            why = {"disposition": "mapped", "type": chosen.type, "reason": "the model chose it among the candidates"}
            out[chosen.step] = before.model_copy(update=why)
            outcomes[chosen.step] = {one.outcome: one.when for one in chosen.outcomes}
    facts = {one.fact: one.source for one in answer.facts}
    return out, Sources(facts=facts, outcomes=outcomes)


def _tells(ctx: Context, procedure: Procedure, chosen: Chosen) -> bool:
    """Whether the Type tells every outcome of the step that flows read."""
    node_type = ctx.catalog.node_type(chosen.type)
    told = {one.outcome for one in chosen.outcomes if outcome_condition(one.when, "n", node_type, None) is not None}
    return outcomes_read(procedure, chosen.step) <= told
