"""Steps put into the order, taken out of it and moved, so that what comes before and after stays tied together."""

from compiler.decisions.unfit import UnfitError
from ir.procedure import END, EndStatus, Flow, Procedure

Flows = tuple[Flow, ...]


def put_after(flows: Flows, step: str, after: str) -> Flows:
    """The order with a step after another one: what came after that one comes after it."""
    moved = tuple(one.model_copy(update={"source": step}) if one.source == after else one for one in flows)
    at = next((number for number, one in enumerate(moved) if one.source == step), len(moved))
    return (*moved[:at], Flow(source=after, target=step), *moved[at:])


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
