"""Chooses for each step the Node Type that fits by meaning, by inputs and outputs, and by what kind of act it is."""

from catalog.node_type import Candidate, NodeType
from catalog.verdicts import verdict_field
from compiler.context import Context
from compiler.draft.alignment import AlignedStep, Alignment, makes, outcomes_read, type_concepts
from compiler.text.lexicon import lexicon
from compiler.text.mentions import Mentions, mentions_of
from ir.procedure import Procedure, Step, StepKind
from ir.workflow import HUMAN_APPROVAL, HUMAN_TASK
from validator.analysis.implication import PLAIN_OUTCOMES

ALONE = 0.80  # similarity at which meaning alone decides
SHARED = (ALONE, 0.68, 0.62, 0.58)  # similarity at which it decides together with 0, 1, 2, 3 or more shared concepts
LEAD = 0.12  # by which a candidate that shares a concept decides from LEAST on
LEAST = 0.58
RISKY = 0.75  # similarity below which no step becomes something of high risk
MARGIN = 0.04  # by which the best must lead, where the next shares as many concepts
PERSONS: frozenset[StepKind] = frozenset({"approval", "input", "decision", "wait"})


def align_steps(ctx: Context, procedure: Procedure, candidates: dict[str, tuple[Candidate, ...]]) -> Alignment:
    """Align every step; one that no Type fits is `unmapped`, never given an invented Type."""
    read = outcomes_read(procedure)
    return {
        step.id: _align(ctx, procedure, step, candidates.get(step.id, ()), read.get(step.id, frozenset()))
        for step in procedure.steps
    }


def _align(
    ctx: Context, procedure: Procedure, step: Step, candidates: tuple[Candidate, ...], read: frozenset[str]
) -> AlignedStep:
    nearest = tuple(candidate.type for candidate in candidates[:5])
    if step.kind == "approval":
        plain = (
            read <= PLAIN_OUTCOMES
        )  # an approval gives yes or no; one that can end otherwise is a task with outcomes
        return AlignedStep(
            step_id=step.id, disposition="human", type=HUMAN_APPROVAL if plain else HUMAN_TASK, score=1.0,
            reason="an approval is a person's", nearest=nearest,
        )  # fmt: skip
    named = _concepts(step, mentions_of(ctx.catalog))
    ranked = [
        (candidate, tuple(sorted(named & type_concepts(ctx.catalog.node_type(candidate.type)))))
        for candidate in candidates
        if _fits_kind(step, node_type := ctx.catalog.node_type(candidate.type))
        and (not read or (read <= PLAIN_OUTCOMES and verdict_field(node_type, ctx.catalog)))
    ]
    ranked.sort(key=lambda pair: round(pair[0].dense + 0.05 * min(len(pair[1]), 3), 4), reverse=True)
    ranked = _own_systems_first(ctx, ranked)
    if ranked and _decisive(ctx, ranked):
        best, shared = ranked[0]
        why = f"similarity {best.dense:.2f} to “{best.matched}”" + (f"; shares {', '.join(shared)}" if shared else "")
        return AlignedStep(
            step_id=step.id, disposition="mapped", type=best.type, score=best.score, concepts=shared, reason=why,
            nearest=nearest,
        )  # fmt: skip
    score = ranked[0][0].score if ranked else 0.0
    if by_right := _by_right(step, procedure.language):
        return AlignedStep(
            step_id=step.id, disposition="human", type=HUMAN_TASK, score=score, reason=by_right, nearest=nearest
        )
    return AlignedStep(
        step_id=step.id, disposition="unmapped", type=HUMAN_TASK, score=score, reason="no Node Type is near enough",
        nearest=nearest,
    )  # fmt: skip


def _own_systems_first(
    ctx: Context, ranked: list[tuple[Candidate, tuple[str, ...]]]
) -> list[tuple[Candidate, tuple[str, ...]]]:
    """Only Types behind which a system stands, where one of them is near enough by meaning alone: what the user has
    goes before what nobody carries out, however alike its words."""
    bound = [pair for pair in ranked if ctx.catalog.node_type(pair[0].type).binding is not None]
    return bound if any(candidate.dense >= ALONE for candidate, _ in bound) else ranked


def _decisive(ctx: Context, ranked: list[tuple[Candidate, tuple[str, ...]]]) -> bool:
    best, shared = ranked[0]
    if best.dense < RISKY and ctx.catalog.node_type(best.type).governance.risk_level_default == "high":
        return False
    following, also = ranked[1] if len(ranked) > 1 else (None, ())
    lead = best.dense - following.dense if following else LEAD
    if best.dense < SHARED[min(len(shared), 3)]:
        return bool(shared) and lead >= LEAD and best.dense >= LEAST
    if following is None:
        return True
    return len(shared) > len(also) or best.dense - following.dense >= MARGIN


def _concepts(step: Step, mentions: Mentions) -> set[str]:
    """Concepts that the step's own words name, with their broader ones."""
    found: set[str] = set()
    waiting: set[str | None] = {mention.concept for mention in mentions.find(step.text)}
    while waiting:
        found |= {concept for concept in waiting if concept}
        waiting = {mentions.concepts[concept].broader for concept in found} - found - {None}
    return found


def _fits_kind(step: Step, node_type: NodeType) -> bool:
    """Whether a Type of this sort may carry out an act of this kind: a check changes nothing, a notice is sent."""
    category, changes = node_type.category, node_type.capabilities.side_effect
    if node_type.assumes("/category") or (node_type.imported is not None and category == "io"):
        # nobody has said what sort of act it is, so that its words alone can
        unknown = node_type.assumes("/capabilities/side_effect")
        must_not = step.kind in ("check", "decision", "input") and changes
        must = step.kind in ("notify", "record") and not changes
        return step.kind not in ("approval", "wait") and (unknown or not (must or must_not))
    match step.kind:
        case "check" | "decision":
            return not changes
        case "notify":
            return category == "notify"
        case "record":
            return category in ("record", "document", "io", "hr") and changes
        case "wait":
            return category == "schedule"
        case "input":
            return category == "document" and not changes
        case _:
            return makes(node_type)


def _by_right(step: Step, language: str) -> str | None:
    """Why an act is a person's, None where a system might do it."""
    if step.kind in PERSONS:
        return f"{step.kind} is a person's"
    words = lexicon(language).words("human_by_right")
    verb = step.actions[0].verb.quote if step.actions else step.text[:8]
    word = next((word for word in words if word in verb or word in step.text[:12]), None)
    return f"“{word}” is done by people" if word else None
