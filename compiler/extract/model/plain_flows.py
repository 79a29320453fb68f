"""The flows of an answer between steps alone: joints, where ways meet and part again, are taken apart."""

import re
from collections.abc import Iterable, Iterator, Sequence

from compiler.extract.model.form import AnsweredFlow, AnsweredProcedure, Quote

_JOINT = re.compile(r"j\d*")
OTHERWISE = "otherwise"
UNCLEAR = "unclear"
_LONGEST = 4000  # characters of a condition
_MOST = 200
"""Flows that joints may come to; an answer with more is told with its joints, which are then asked about."""


def plain_flows(answer: AnsweredProcedure) -> AnsweredProcedure:
    """The answer without joints: each way into one is led on by each way out of it, on the conditions of both.

    A joint that leads round to itself, or that nothing leaves, stays, so that its flows are asked about. Ways that the
    document only tells in words (`unclear`) stay so, with the words of both parts.
    """
    steps = {step.id for step in answer.steps}
    flows = list(answer.flows)
    ends = (end for flow in flows for end in (flow.a, flow.z))
    for joint in dict.fromkeys(end for end in ends if _JOINT.fullmatch(end) and end not in steps):
        into = [flow for flow in flows if flow.z == joint]
        out = [flow for flow in flows if flow.a == joint]
        if not into or not out or any(flow.z == joint for flow in out) or len(into) * len(out) > _MOST:
            continue
        led = [one for flow in into for one in _led_on(flow, flows, out)]
        flows = [flow for flow in flows if joint not in (flow.a, flow.z)] + led
    return answer.model_copy(update={"flows": flows})


def _led_on(flow: AnsweredFlow, flows: Iterable[AnsweredFlow], out: Sequence[AnsweredFlow]) -> Iterator[AnsweredFlow]:
    """The ways that one way into a joint becomes."""
    beside = [one for one in flows if one.a == flow.a and one is not flow]
    for way in out:
        others = [one for one in out if one is not way]
        if way.when is None:
            when, words = flow.when, flow.words
        elif way.when == OTHERWISE and _keeps_otherwise(flow, beside):
            when, words = OTHERWISE, []
        elif flow.when is None:
            when, words = _said(way, others)
        else:
            (first, own), (second, its) = _said(flow, beside), _said(way, others)
            unclear = UNCLEAR in (first, second) or len(first) + len(second) > _LONGEST
            when, words = UNCLEAR if unclear else f"({first}) and ({second})", [*own, *its]
        yield AnsweredFlow(a=flow.a, z=way.z, when=when, words=words, ends=way.ends)


def _keeps_otherwise(flow: AnsweredFlow, beside: Iterable[AnsweredFlow]) -> bool:
    """Whether what the joint's conditions leave is what all conditions of the step leave once the joint is gone."""
    return flow.when == OTHERWISE or (flow.when is None and all(one.when is None for one in beside))


def _said(flow: AnsweredFlow, beside: Iterable[AnsweredFlow]) -> tuple[str, list[Quote]]:
    """A flow's condition in full, `otherwise` as what the flows beside it leave; with the words of all that it says."""
    if flow.when != OTHERWISE:
        return flow.when or "", flow.words
    ways = [one for one in beside if one.when not in (None, OTHERWISE)]
    words = [*flow.words, *(quote for one in ways for quote in one.words)]
    if not ways or any(one.when == UNCLEAR for one in ways):
        return UNCLEAR, words
    return f"not ({' or '.join(f'({one.when})' for one in ways)})", words
