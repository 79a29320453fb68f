"""Steps put into the order, taken out of it and moved, so that what comes before and after stays tied together."""

from collections.abc import Collection, Sequence

from compiler.decisions.unfit import UnfitError
from compiler.draft.alignment import outcomes_read
from ir.infix import parse_infix
from ir.predicate import Ref, Truth, evaluate
from ir.procedure import END, ConditionText, EndStatus, Flow, Procedure
from validator.analysis.implication import OUTCOMES

Flows = tuple[Flow, ...]


def put_after(procedure: Procedure, step: str, after: str) -> Procedure:
    """The procedure with a step after another one in its order: what came after that one comes after it.

    After an approval whose ways say what it decided the step comes where it grants, and so after another judgement of
    which one outcome ends the run as refused: a refusal leads where it led.
    """
    own = [one for one in procedure.flows if one.source == after]
    verdicts = _verdicts(procedure, after, own)
    if verdicts is None:
        return _with_flows(procedure, _through(procedure.flows, own, Flow(source=after, target=step), own))
    granting, refusing = verdicts
    asking = [one for one in own if _truth(procedure, one, granting) is not _truth(procedure, one, refusing)]
    leading = [one for one in own if one in asking or not _refuses(one)]
    granted = [one for one in leading if _is_taken(procedure, own, one, granting)]
    both = [one for one in granted if one.condition == "otherwise" and _is_taken(procedure, own, one, refusing)]
    both = both if asking else []
    if len(granted) == 1 and granted[0].condition is not None and not both:
        return _with_flows(procedure, put_on(procedure.flows, step, granted))
    procedure, condition = with_condition(procedure, f'$.steps.{after}.outcome == "{granting}"')
    into = Flow(source=after, target=step, kind="branch", condition=condition)
    gone = [one for one in granted if one not in both]
    return _with_flows(procedure, _through(procedure.flows, gone, into, granted))


def put_on(flows: Flows, step: str, ways: Sequence[Flow]) -> Flows:
    """The order with a step on ways that another one has under one condition, which lead on from it."""
    into = ways[0].model_copy(update={"target": step, "ends": None})
    always = {"kind": "sequence", "condition": None, "priority": None, "cue": ()}
    return _through(flows, ways, into, [one.model_copy(update=always) for one in ways])


def guarded(procedure: Procedure, step: str, outcome: str) -> Procedure:
    """The procedure whose ways from a step, which have no conditions, are taken where it comes out so; else it ends."""
    procedure, condition = with_condition(procedure, f'$.steps.{step}.outcome == "{outcome}"')
    own = [one for one in procedure.flows if one.source == step]
    if not own:
        return procedure
    kept = [one.model_copy(update={"kind": "branch", "condition": condition}) for one in own]
    refused = Flow(source=step, target=END, kind="branch", condition="otherwise", ends="rejected")
    at = procedure.flows.index(own[0])
    others = [one for one in procedure.flows[at:] if one.source != step]
    return _with_flows(procedure, (*procedure.flows[:at], *kept, refused, *others))


def with_condition(procedure: Procedure, text: str) -> tuple[Procedure, str]:
    """The procedure with a condition that infix text over full references says, and its id; one is not put in twice."""
    tree = parse_infix(text)
    known = next((one.id for one in procedure.conditions if one.predicate == tree), None)
    if known is not None:
        return procedure, known
    taken, number = {one.id for one in procedure.conditions}, len(procedure.conditions) + 1
    while f"c{number}" in taken:
        number += 1
    added = ConditionText(id=f"c{number}", text=text, predicate=tree)
    return procedure.model_copy(update={"conditions": (*procedure.conditions, added)}), added.id


def without(procedure: Procedure, step: str, field: str) -> Flows:
    """The order without a step: what led to it leads on.

    Raises:
        UnfitError: the ways to it and the ways from it both have conditions, so that it is not plain what leads on.
    """
    into = [one for one in procedure.flows if one.target == step]
    out = [one for one in procedure.flows if one.source == step]
    if any(one.condition for one in into) and (len(out) > 1 or any(one.condition for one in out)):
        message = (
            f"the ways to {step} and the ways from it both have conditions; "
            "change its ways first (change_edge, add_edge, remove_edge), then take it out"
        )
        raise UnfitError(field, message)
    led: dict[str, list[Flow]] = {}
    for way in into:
        for on in out:
            led.setdefault(way.source, []).append(_joined(way, on))
    kept: list[Flow] = []
    for one in procedure.flows:
        if one.target == step:
            kept += [way for way in led.pop(one.source, []) if way not in procedure.flows]
        elif one.source != step:
            kept.append(one)
    return tuple(kept)


def ending_at(flows: Flows, step: str, ends: EndStatus | None) -> Flows:
    """The order where a run ends after a step: one way to the end takes the place of its ways out.

    Args:
        ends: with which status; None where it does not end there any more, so that its ways to the end have none.
    """
    if ends is None:
        return tuple(
            one.model_copy(update={"ends": None}) if (one.source, one.target) == (step, END) else one for one in flows
        )
    at = next((number for number, one in enumerate(flows) if one.source == step), len(flows))
    others = [one for one in flows[at:] if one.source != step]
    return (*flows[:at], Flow(source=step, target=END, ends=ends), *others)


def _joined(way: Flow, on: Flow) -> Flow:
    if way.condition is None:
        return on.model_copy(update={"source": way.source})
    return way.model_copy(update={"target": on.target, "ends": on.ends})


def _verdicts(procedure: Procedure, step: str, own: Collection[Flow]) -> tuple[str, str] | None:
    """What the ways from a step call that it grants and that it refuses; None where they do not part at that."""
    asked = {one.condition for one in own}
    conditions = tuple(one for one in procedure.conditions if one.id in asked)
    read = outcomes_read(procedure.model_copy(update={"conditions": conditions})).get(step, frozenset())
    pair = next((pair for pair in OUTCOMES if read <= set(pair)), None)
    if any(one.id == step and one.kind == "approval" for one in procedure.steps):
        return pair if read or any(map(_refuses, own)) else None
    for granting, refusing in (pair, pair[::-1]) if pair and read else ():
        refused = [one for one in own if _is_taken(procedure, own, one, refusing)]
        if refused and all(map(_refuses, refused)):
            return granting, refusing
    return None


def _refuses(way: Flow) -> bool:
    """Whether a way ends the run without its being completed."""
    return way.target == END and way.ends not in (None, "completed")


def _is_taken(procedure: Procedure, own: Collection[Flow], way: Flow, outcome: str) -> bool:
    """Whether a way of a step may be taken where the step comes out so."""
    if way.condition != "otherwise":
        return _truth(procedure, way, outcome) is not False
    return not any(_truth(procedure, one, outcome) for one in own if one.condition != "otherwise")


def _truth(procedure: Procedure, way: Flow, outcome: str) -> Truth:
    """Whether a way of a step is taken where the step comes out so; None where that hangs on something else too."""
    tree = next((one.predicate for one in procedure.conditions if one.id == way.condition), None)
    if way.condition is None or tree is None:
        return True if way.condition is None else None
    return evaluate(tree, {Ref(f"$.steps.{way.source}.outcome"): outcome}.get)


def _through(flows: Flows, gone: Collection[Flow], into: Flow, on: Sequence[Flow]) -> Flows:
    """The order with a way in the place of others, and with what leads on from its target."""
    own = (number for number, one in enumerate(flows) if one in gone)
    at = next(own, next((number for number, one in enumerate(flows) if one.source == into.source), len(flows)))
    led = (one.model_copy(update={"source": into.target}) for one in on)
    return (*flows[:at], into, *led, *(one for one in flows[at:] if one not in gone))


def _with_flows(procedure: Procedure, flows: Flows) -> Procedure:
    return procedure.model_copy(update={"flows": flows})
