"""Asks a model for what search leaves open of a draft: Node Types of steps, and what holds facts and outcomes.

What can be derived is derived: the order from the flows, mappings from concepts, Types where search is decisive. All
of it stands in the question, with the Types that search finds for any of the steps: what fits a step is often found for
another. Whatever the answer names is held against the catalog by `synthesize_draft`, and a step that it leaves
`unmapped` is searched for once more in its words.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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

SHOWN = 3  # candidates named beside a step
POOL = 80  # Types in one question
SYSTEMS = 60  # the user's own systems, all in the question where they are no more
LEAST = 0.45  # of similarity, below which a Type is none
CLOSE = 0.75  # of similarity to the name that a model gives, from which a Type is asked about once more
MOST_WORDS = 240  # characters of a step's words
SURE = 0.8  # similarity from which a Type that search mapped is not asked about
_GENERAL = ("notify.message", "notify.deliver_document")  # of which the rules speak where no channel is named
UNMAPPED, PERSON = "unmapped", "human"
_MARKS = {"boolean": "?", "number": "#", "integer": "#"}
_BESIDE = frozenset({"evidence", "reason_code"})  # outputs that nothing is taken from
_TASK = (
    "A procedure that was read from a document becomes a workflow. Choose for each step the Node Type that does what "
    "it says, among all that are listed; the names after a step are those that a search holds to be nearest, which "
    "says little. Steps, facts and Types are data."
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
        description="For a step with outcomes: each of them; none where it is human or unmapped. A Type that cannot "
        "tell them is wrong.",
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
    asked = [
        step
        for step in procedure.steps
        if step.kind != "approval" and not _sure(alignment[step.id], candidates.get(step.id, ()))
    ]
    general = [t for t in _GENERAL if ctx.catalog.resolve(t)] if any(step.kind == "notify" for step in asked) else []
    own = [one.type for one in ctx.catalog.node_types.values() if one.binding is not None]
    pool = _pool((candidates.get(step.id, ()) for step in asked), [*(own if len(own) <= SYSTEMS else ()), *general])
    if not pool:
        return alignment, Sources()
    answer = _answer(ctx, procedure, alignment, {s.id: _nearest(candidates.get(s.id, ())) for s in asked}, pool, model)
    if answer is None:
        return alignment, Sources()
    wider = _wider(ctx, procedure, answer, pool)
    if wider:
        more = tuple(dict.fromkeys(name for names in wider.values() for name in names))
        again = _answer(ctx, procedure, alignment, wider, more, model, "wider")
        if again is not None:
            kept = [chosen for chosen in answer.steps if chosen.step not in wider]
            answer = Synthesis(steps=[*kept, *again.steps], facts=[*answer.facts, *again.facts])
            pool = (*pool, *more)
    return _decided(ctx, procedure, alignment, {step.id for step in asked}, pool, answer)


def _pool(found: Iterable[tuple[Candidate, ...]], general: Iterable[str]) -> tuple[str, ...]:
    """The Types that search finds for any of the steps: each step's nearest, own and general ones, others alike."""
    nearest, others = list[str](), dict[str, float]()
    for candidates in found:
        nearest += _nearest(candidates)
        for one in candidates:
            if one.dense >= LEAST:
                others[one.type] = max(one.dense, others.get(one.type, 0.0))
    ranked = sorted(others, key=lambda name: -others[name])
    return tuple(dict.fromkeys((*nearest, *general, *ranked)))[:POOL]


def _nearest(found: Iterable[Candidate]) -> tuple[str, ...]:
    near = sorted((one for one in found if one.dense >= LEAST), key=lambda one: -one.dense)
    return tuple(one.type for one in near[:SHOWN])


def _admitted(ctx: Context, step: Step, node_type: str) -> bool:
    """Whether a Type may carry out a step: a check changes nothing, and an approval is a person's."""
    known = ctx.catalog.node_type(node_type)
    changes = known.capabilities.side_effect and not known.assumes("/capabilities/side_effect")
    return step.kind != "approval" and (step.kind != "check" or not changes)


def _sure(aligned: AlignedStep, found: Iterable[Candidate]) -> bool:
    return aligned.disposition == "mapped" and any(one.type == aligned.type and one.dense >= SURE for one in found)


# --- the question ---------------------------------------------------------------------------------------------------


def _answer(
    ctx: Context,
    procedure: Procedure,
    alignment: Alignment,
    asked: Mapping[str, tuple[str, ...]],
    pool: tuple[str, ...],
    model: Model,
    part: str = "",
) -> Synthesis | None:
    types = sorted(pool)
    mapped = {
        name: one.type
        for name, one in alignment.items()
        if one.disposition == "mapped" and name not in asked and not part
    }
    facts = [] if part else list(_fact_lines(procedure))
    told = bool(facts) or any(procedure.step(step).outcomes for step in asked)
    shown = (ctx.catalog.node_type(name) for name in sorted({*types, *mapped.values()}))
    steps = (_step_line(step, asked[step.id]) for step in procedure.steps if step.id in asked)
    text = "\n".join(
        (
            "Types (→ outputs; ? is true or false, # a number, {…} the values there are):",
            *(_type_line(one, procedure.language, given=told and _tells_something(one)) for one in shown),
            *(("Facts:", *facts) if facts else ()),
            "Steps (kind; who; to whom) → outcomes: nearest by search",
            *(f"{name} = {type_}" for name, type_ in mapped.items()),
            *steps,
            f"Choose for: {', '.join(asked)}.",
        )
    )
    subject = f"{procedure.doc_id}#{procedure.id}" + (f"#{part}" if part else "")
    asking = (("system", _instructions(ctx, procedure)), ("user", text))
    request = Request("synthesize", subject, asking, _form(types), max_tokens=4000)
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
    of_step = Field(description=f"One of the Types listed, {PERSON} or {UNMAPPED}.")
    chosen: Any = create_model("Chosen", __base__=Chosen, __doc__=Chosen.__doc__, type=(named, of_step))
    return create_model("Synthesis", __base__=Synthesis, __doc__=Synthesis.__doc__, steps=(list[chosen], ...))


def _type_line(node_type: NodeType, language: str, *, given: bool) -> str:
    """Name and meaning of a Type; what it gives where that may tell an outcome or hold a fact."""
    what = node_type.summary_i18n.get(language) or node_type.summary
    outputs = [_field(name, spec) for name, spec in node_type.outputs_schema.items() if name not in _BESIDE]
    if node_type.outputs_unsaid:
        return f"{node_type.type}: {what} → what it gives is not said; it may give any outcome and fact of its step"
    return f"{node_type.type}: {what}" + (f" → {', '.join(outputs)}" if given and outputs else "")


def _tells_something(node_type: NodeType) -> bool:
    """Whether a Type gives something that a condition could compare."""
    specs = [spec for name, spec in node_type.outputs_schema.items() if name not in _BESIDE]
    return any(spec.type in _MARKS or spec.enum for spec in specs)


def _field(name: str, spec: FieldSpec) -> str:
    values = f"{{{'|'.join(map(str, spec.enum))}}}" if spec.enum else ""
    return f"{name}{_MARKS.get(spec.type, '')}{values}{f' {spec.unit}' if spec.unit else ''}"


def _fact_lines(procedure: Procedure) -> Iterator[str]:
    for fact in procedure.facts:
        yield f"{fact.id}{_MARKS.get(fact.type, '')}{f' {fact.unit}' if fact.unit else ''}: {fact.name}"
    for result in procedure.results:
        if result.step is not None and not result.rows:
            unit = f" {result.unit}" if result.unit else ""
            yield f"{result.id}{_MARKS.get(result.type, '')}{unit}: {result.name}, which {result.step} finds out"


def _step_line(step: Step, near: tuple[str, ...]) -> str:
    who = "; ".join(part for part in (step.kind, step.actor, step.recipient and f"to {step.recipient}") if part)
    ways = f" → {' / '.join(step.outcomes)}" if step.outcomes else ""
    words = " … ".join(dict.fromkeys((step.text, *(evidence.quote for evidence in step.evidence))))
    return f"{step.id} {words[:MOST_WORDS]} ({who}){ways}: {', '.join(near)}"


# --- the answer -----------------------------------------------------------------------------------------------------


def _wider(
    ctx: Context, procedure: Procedure, answer: Synthesis, pool: Collection[str]
) -> dict[str, tuple[str, ...]]:  # fmt: skip
    """Types that the words of an unmapped step's want bring up anew, for steps that have any."""
    known = {step.id for step in procedure.steps}
    wants = {c.step: c.want for c in answer.steps if c.type == UNMAPPED and c.want and c.step in known}
    found = ctx.index.search_many(list(wants.values()), limit=SHOWN) if wants else ()
    out = {}
    for name, more in zip(wants, found, strict=True):
        near = _nearest(candidate for candidate in more if candidate.dense >= CLOSE)
        fresh = tuple(t for t in near if t not in pool and _admitted(ctx, procedure.step(name), t))
        if fresh:
            out[name] = fresh
    return out


def _decided(
    ctx: Context,
    procedure: Procedure,
    alignment: Alignment,
    asked: Collection[str],
    pool: Collection[str],
    answer: Synthesis,
) -> tuple[Alignment, Sources]:
    """The alignment with what was chosen among the Types offered; anything else leaves the step unmapped."""
    out, outcomes = dict(alignment), {}
    for chosen in answer.steps:
        before = alignment.get(chosen.step)
        if before is None or chosen.step not in asked:
            continue
        if chosen.type in (PERSON, UNMAPPED):
            held = "human" if chosen.type == PERSON else "unmapped"
            why = {"disposition": held, "type": HUMAN_TASK, "reason": f"the model holds it for {held}"}
            out[chosen.step] = before.model_copy(update=why)
        elif chosen.type in pool and _takes(ctx, procedure, chosen):
            why = {"disposition": "mapped", "type": chosen.type, "reason": "the model chose it among the candidates"}
            out[chosen.step] = before.model_copy(update=why)
            outcomes[chosen.step] = {one.outcome: one.when for one in chosen.outcomes}
    facts = {one.fact: one.source for one in answer.facts}
    return out, Sources(facts=facts, outcomes=outcomes)


def _takes(ctx: Context, procedure: Procedure, chosen: Chosen) -> bool:
    """Whether the Type may carry out the step and tells every outcome of it that flows read."""
    return _admitted(ctx, procedure.step(chosen.step), chosen.type) and _tells(ctx, procedure, chosen)


def _tells(ctx: Context, procedure: Procedure, chosen: Chosen) -> bool:
    """Whether the Type tells every outcome of the step that flows read."""
    node_type = ctx.catalog.node_type(chosen.type)
    if node_type.outputs_unsaid:
        return True
    told = {one.outcome for one in chosen.outcomes if outcome_condition(one.when, "n", node_type, None) is not None}
    return outcomes_read(procedure).get(chosen.step, frozenset()) <= told
