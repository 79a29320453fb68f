"""Puts a draft together from a procedure and its alignment: nodes, edges, conditions, input mappings, rule packs."""

import re
from functools import reduce
from operator import and_

from catalog.node_type import NodeType
from compiler.context import Context
from compiler.draft.alignment import AlignedStep, Alignment, Sources, makes
from compiler.draft.computations import plan_computations
from compiler.draft.earlier import find_earlier
from compiler.draft.ends import end_name, end_node
from compiler.draft.guards import add_guards, ask_of_answers
from compiler.draft.mappings import DraftBuilder, node_name
from compiler.draft.results import add_place, asked_fields, computing_packs, lacks_result, tell_results
from compiler.draft.rule_packs import numbered, prohibitions
from compiler.text.act_words import act_words, head_words
from ir import procedure as procedures
from ir.codec import digest
from ir.predicate import ALWAYS, OTHERWISE, AnyCondition, Ref, Tree, references, substitute
from ir.procedure import DETERMINISTIC, END, START, EndStatus, Flow, Procedure, Step
from ir.version import VERSION
from ir.workflow import (
    CONTROL_END,
    CONTROL_START,
    HUMAN_APPROVAL,
    HUMAN_INPUT,
    HUMAN_TASK,
    Edge,
    ExecutionPolicy,
    Metadata,
    Node,
    Provenance,
    RulePack,
    Trigger,
    Workflow,
)
from primers.params import EndParams, in_language
from validator.analysis.implication import Logic

JOINS = "joins-and-branches"


def synthesize_draft(
    ctx: Context, procedure: Procedure, alignment: Alignment, sources: Sources | None = None
) -> Workflow:
    """The draft that says what the document says and nothing more; `complete_draft` adds what primers demand.

    Args:
        sources: what a model holds the origin of values to be; concepts decide first.
    """
    primer = ctx.primers.by_name[JOINS]
    by_hand = [name for name, one in alignment.items() if one.type == HUMAN_TASK]
    planned = plan_computations(procedure, by_hand, _takers(ctx, procedure, alignment))
    procedure = planned.procedure
    ending = primer.params(EndParams)
    draft = DraftBuilder(ctx.catalog, procedure, sources or Sources(), ending=ending, computations=planned)
    origin = f"primer:{JOINS}@{primer.version}"
    for step in procedure.steps:
        if step.id in planned.places:
            add_place(draft, step, planned.places[step.id], by_hand)
        else:
            _add_node(draft, step, alignment[step.id])
    if not procedure.steps:
        _end(draft, Flow(source=START, target=END), origin)
    draft.earlier = find_earlier(draft.node_of, [step.id for step in procedure.steps], procedure.flows)
    edges = _edges(draft, origin)
    for name, node in list(draft.nodes.items()):
        if node.type not in (CONTROL_END, CONTROL_START, HUMAN_TASK):
            draft.nodes[name] = node.model_copy(update={"inputs": draft.map_inputs(name)})
    draft.ask_who_gives()
    packs = _rule_packs(draft) | computing_packs(draft)
    results = tell_results(draft, edges)
    guards = add_guards(draft, packs)
    ask_of_answers(draft, edges, guards)
    _choose_splits(draft, edges)
    return Workflow(
        workflow_id=_identifier(procedure.id),
        version="v1",
        metadata=Metadata(title=procedure.title, language=procedure.language),
        triggers=tuple(_trigger(draft, one) for one in procedure.triggers),
        inputs=draft.inputs,
        outputs=_outputs(draft, edges),
        results=results,
        guards=guards,
        nodes={
            name: node.model_copy(update={"rule_pack": name if name in packs else None})
            for name, node in draft.nodes.items()
        },
        edges=tuple(edges),
        execution_policy=ExecutionPolicy(risk_level="low", allow_auto=True),
        rule_packs=packs,
        gaps=(*procedure.gaps, *draft.gaps),
        provenance=Provenance(
            compiler=f"flowc {VERSION}",
            mode="offline" if procedure.method in DETERMINISTIC else "model",
            method=procedure.method,
            catalog=ctx.catalog.digest,
            primers=tuple(f"{p.name}@{p.version}" for p in ctx.primers.by_name.values()),
        ),
    )


def _takers(ctx: Context, procedure: Procedure, alignment: Alignment) -> dict[str, list[str]]:
    """By result the steps whose imported Type takes it under its name."""
    found: dict[str, list[str]] = {}
    for step in procedure.steps:
        node_type = ctx.catalog.node_type(alignment[step.id].type)
        taken = node_type.inputs_schema if node_type.imported is not None else {}
        for result in procedure.results:
            if result.id in taken and result.step != step.id:
                found.setdefault(result.id, []).append(step.id)
    return found


def _trigger(draft: DraftBuilder, said: procedures.Trigger) -> Trigger:
    """A trigger, with its condition where the draft has all that it reads."""
    facts = {fact.id: fact for fact in draft.procedure.facts}
    tree = said.condition
    if tree is None or not all(ref.path[0] in facts and ref.path[0] in draft.inputs for ref in references(tree)):
        condition = None
    else:
        condition = substitute(tree, lambda ref: draft.input_of(facts[ref.path[0]]))
    return Trigger(text=said.text, condition=condition, concepts=said.concepts, evidence=said.evidence)


def _identifier(text: str) -> str:
    """A workflow id: letters and digits of the procedure's id; with a digest of it where they leave some of it out.

    >>> _identifier("expense_policy"), _identifier("审批abc办法") == _identifier("核对abc办法")
    ('expense_policy', False)
    """
    plain = "".join(char if char.isascii() and (char.isalnum() or char == "_") else "_" for char in text).strip("_")
    named = "_".join(part for part in plain.split("_") if part).lower()
    short = digest(text)[7:17]
    if not named[:1].isalpha() or len(named) < 3:
        return f"workflow_{short}"
    return named if all(char.isascii() or not char.isalnum() for char in text) else f"{named}_{short}"


# --- nodes ------------------------------------------------------------------------------------------------------------


def _add_node(draft: DraftBuilder, step: Step, aligned: AlignedStep) -> None:
    if lacks_result(draft, step, draft.catalog.node_type(aligned.type)):
        # a Type that cannot tell what is read of the step does not carry it out
        aligned = aligned.model_copy(update={"disposition": "unmapped", "type": HUMAN_TASK})
    name = node_name(
        aligned.type if aligned.type != HUMAN_TASK else f"human.task_{step.id}", draft.nodes, draft.numbers
    )
    node_type = draft.catalog.node_type(aligned.type)
    common = {
        "type": aligned.type,
        "type_version": f"^{node_type.version}",
        "label": _label(step, draft.procedure.language),
        "step_ids": (step.id,),
        "actor": step.actor,
        "deadline": step.deadline,
        "evidence": step.evidence,
    }
    if aligned.type == HUMAN_APPROVAL:
        node = Node(**common, approvers=(step.actor or "?",), question=step.text)
        if step.actor is None:
            draft.gap("undefined_role", "role", step.text, (step.id, name), step.evidence)
            node = node.model_copy(update={"approvers": ("?",)})
    elif aligned.type == HUMAN_TASK and (asked := asked_fields(draft, step)):
        node = Node(**{**common, "type": HUMAN_INPUT}, question=step.text, requested_fields=asked)
        if aligned.disposition == "unmapped":
            draft.gap("unmapped_step", "unmapped", step.text, (step.id, name), step.evidence)
    elif aligned.type == HUMAN_TASK:
        node = Node(**common, assignee=step.actor, instruction=step.text, outcomes=step.outcomes or ("done",))
        if aligned.disposition == "unmapped":
            draft.gap("unmapped_step", "unmapped", step.text, (step.id, name), step.evidence)
    else:
        assumed = asked_fields(draft, step, also_outcome=True) if node_type.outputs_unsaid else None
        node = Node(**common, assumed_outputs=assumed or None)
    draft.nodes[name] = node
    draft.node_of[step.id] = name


def _label(step: Step, language: str) -> str:
    """A short name: the act in the document's words, without who must do it and by when; what is cut off shows."""
    text = act_words(step, language)
    if language == "zh":
        text = re.split(r"[，,；;]", text)[0].strip()
        return text if len(text) <= 24 else _cut(head_words(step, language))
    return _cut(text)


def _cut(text: str) -> str:
    """At most 60 characters, cut between words where it has to be."""
    if len(text) <= 60:
        return text
    whole = text[:59].rsplit(" ", 1)[0] if " " in text[:59] else text[:59]
    return whole.rstrip(" ,;:(") + "…"


# --- edges ------------------------------------------------------------------------------------------------------------


def _edges(draft: DraftBuilder, origin: str) -> list[Edge]:
    trees = {c.id: c.predicate for c in draft.procedure.conditions}
    edges: list[Edge] = []
    entry = _entry(draft, origin)
    steps = {step.id: step for step in draft.procedure.steps}
    for flow in draft.procedure.flows:
        source = entry if flow.source == START else draft.node_of.get(flow.source)
        if source is None:
            continue
        condition = _condition(draft, flow, trees, source)
        if condition is None:
            words = next((one.text for one in draft.procedure.conditions if one.id == flow.condition), "?")
            draft.gap("unclear_condition", "condition", words, (flow.source, source), flow.evidence)
            continue
        target = _end(draft, flow, origin) if flow.target == END else draft.node_of[flow.target]
        said = flow.evidence or (steps[flow.target].evidence[:1] if flow.target in steps else ())
        edges.append(
            Edge(
                source=source, target=target, condition=condition, priority=flow.priority, evidence=said,
                origin="document" if said else origin,
            )
        )  # fmt: skip
    return _sound(edges)


def _choose_splits(draft: DraftBuilder, edges: list[Edge]) -> None:
    """Edges that may hold together are all taken: their node's split is inclusive."""
    logic = Logic()
    for name, node in list(draft.nodes.items()):
        trees = [e.condition for e in edges if e.source == name and e.condition not in (ALWAYS, OTHERWISE)]
        if not logic.apart([tree for tree in trees if isinstance(tree, Tree)]):
            draft.nodes[name] = node.model_copy(update={"split": "inclusive"})


def _entry(draft: DraftBuilder, origin: str) -> str | None:
    """A start node where the first step is a matter of choice; else the first step is the entry."""
    starts = [flow for flow in draft.procedure.flows if flow.source == START]
    if len(starts) < 2 and all(flow.condition is None for flow in starts):
        return None
    node = Node(
        type=CONTROL_START,
        type_version="^1.0.0",
        label="开始" if draft.procedure.language == "zh" else "Start",
        origin=origin,
    )
    draft.nodes = {"start": node, **draft.nodes}
    return "start"


def _condition(draft: DraftBuilder, flow: Flow, trees: dict[str, Tree | None], source: str) -> AnyCondition | None:
    if flow.condition is None:
        return ALWAYS
    if flow.condition == "otherwise":
        return OTHERWISE
    tree = trees.get(flow.condition)
    return draft.condition(tree, source) if tree is not None else None


def _end(draft: DraftBuilder, flow: Flow, origin: str) -> str:
    assert draft.ending is not None
    status: EndStatus = flow.ends or draft.ending.status
    name = end_name(status)
    known = draft.nodes.get(name)
    evidence = tuple(dict.fromkeys((*(known.evidence if known else ()), *flow.evidence)))
    language = draft.procedure.language
    label = None if flow.ends else in_language(draft.ending.label, language)
    draft.nodes[name] = end_node(status, language, "document" if evidence else origin, evidence, label)
    return name


def _sound(edges: list[Edge]) -> list[Edge]:
    """Without repeats; an `otherwise` beside no conditional edge is taken always."""
    first: dict[tuple[str, str, AnyCondition], Edge] = {}
    for edge in edges:
        first.setdefault((edge.source, edge.target, edge.condition), edge)
    kept = list(first.values())
    chosen = {e.source for e in kept if e.condition not in (ALWAYS, OTHERWISE)}
    return [
        e.model_copy(update={"condition": ALWAYS}) if e.condition == OTHERWISE and e.source not in chosen else e
        for e in kept
    ]


# --- outputs and rules ------------------------------------------------------------------------------------------------


def _outputs(draft: DraftBuilder, edges: list[Edge]) -> dict[str, Ref]:
    """What a run that completes has made: the results of the last system step, and of those before it that make things.

    Only of nodes on every path that completes; of two results of one name the later has it.
    """
    ends = [name for name, node in draft.nodes.items() if node.status == "completed"]
    sources = [edge.source for edge in edges if edge.target in ends]
    if not sources:
        return {}
    earlier = draft.earlier
    sure = reduce(and_, (earlier.before(s, surely=True) | earlier.alone(s) for s in sources))
    found: dict[str, Ref] = {}
    for name in reversed(draft.nodes):
        node_type = draft.catalog.resolve(draft.nodes[name].type)
        if (
            not earlier.holds(sure, name)
            or node_type is None
            or not _gives(node_type)
            or (found and not makes(node_type))
        ):
            continue
        for key, spec in node_type.outputs_schema.items():
            if spec.required:
                found.setdefault(key, Ref(f"$.outputs.{name}.{key}"))
    return found


def _gives(node_type: NodeType | None) -> bool:
    return node_type is not None and node_type.category not in ("human", "control") and bool(node_type.outputs_schema)


def _rule_packs(draft: DraftBuilder) -> dict[str, RulePack]:
    """The document's prohibitions as rules of the decision node that they stand beside."""
    packs: dict[str, RulePack] = {}
    for name, node in draft.nodes.items():
        node_type = draft.catalog.resolve(node.type)
        if node_type is None or node_type.category != "decision":
            continue
        near = [c for c in draft.procedure.constraints if set(c.steps) & set(node.step_ids)]
        rules = numbered(prohibitions(near, draft.procedure.facts, node_type, draft.catalog))
        if rules:
            packs[name] = RulePack(version="1.0.0", rules=rules)
    return packs
