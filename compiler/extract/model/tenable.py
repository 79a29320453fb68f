"""What can be taken of an answer, whatever stands in it: so much as its part can bear, each name once.

An honest answer passes unchanged. What is left out is counted and told; the words that it rests on are listed as text
without a place, as all that a reading leaves out.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from compiler.extract.model.form import AnsweredFlow, AnsweredProcedure, AnsweredResult, AnsweredStep, Extraction, Quote
from ir.procedure import END, START

MOST_STEPS, MOST_PROCEDURES, MOST_ROWS = 400, 60, 1000
_LEAST_STEPS, _LEAST_PROCEDURES, _LEAST_ROWS = 40, 10, 200
_FOR_A_STEP, _FOR_A_PROCEDURE = 20, 200  # characters of a document
_FLOWS, _OF_A_KIND, _QUOTES = 4, 200, 50  # for each step; facts, rules, gaps; of one element
_LONGEST = {"title": 300, "q": 2000, "when": 2000, "value": 2000, "id": 80, "a": 80, "z": 80, "question": 1000}
_LONGEST_OTHER = 300


@dataclass(frozen=True)
class Tenable:
    """An answer as far as it can be taken.

    Args:
        left_out: how many procedures, steps and results are not among them, by name.
    """

    answer: Extraction
    left_out: dict[str, int]


def tenable(answer: Extraction, characters: int) -> Tenable:
    """An answer within bounds.

    Args:
        characters: of the part of the document that was asked about.
    """
    most = min(MOST_PROCEDURES, max(_LEAST_PROCEDURES, characters // _FOR_A_PROCEDURE))
    left = min(MOST_STEPS, max(_LEAST_STEPS, characters // _FOR_A_STEP))
    rows = min(MOST_ROWS, max(_LEAST_ROWS, characters // _FOR_A_STEP))
    out, left_out = list[AnsweredProcedure](), Counter[str]()
    for each in answer.procedures:
        if len(out) == most or (each.steps and not left):
            left_out["procedures"] += 1
            left_out["steps"] += len(each.steps)
            continue
        left_out["steps"] += max(0, len(each.steps) - left)
        results, rows = _within(each.results, rows)
        left_out["results"] += len(each.results) - len(results)
        out.append(_bounded(each.model_copy(update={"results": results}), left))
        left -= min(left, len(each.steps))
    beside = {name: getattr(answer, name)[:_OF_A_KIND] for name in ("rules", "facts", "gaps")}
    taken = Extraction.model_construct(procedures=out, **_short(beside))
    return Tenable(taken, {name: number for name, number in left_out.items() if number})


def _within(results: Sequence[AnsweredResult], rows: int) -> tuple[list[AnsweredResult], int]:
    """The first results that have no more rows together than can be borne, and how many rows are left for others."""
    kept = []
    for one in results:
        if len(one.rows) <= rows:
            kept.append(one)
            rows -= len(one.rows)
    return kept, rows


def _bounded(each: AnsweredProcedure, most: int) -> AnsweredProcedure:
    """A procedure with its first steps, the flows between them, and texts of bearable length."""
    steps = _named_apart(each.steps[:most])
    flows: Iterable[AnsweredFlow] = each.flows
    if len(each.steps) > most:
        gone = {step.id for step in each.steps[most:]} - {step.id for step in steps}
        flows = (flow for flow in flows if not {flow.a, flow.z} & gone)
    many: dict[str, Sequence[Any]] = {
        "triggers": each.triggers,
        "facts": each.facts,
        "rules": each.rules,
        "results": each.results,
        "gaps": each.gaps,
    }
    kept: dict[str, Any] = {name: found[:_OF_A_KIND] for name, found in many.items()}
    kept |= {"steps": steps, "flows": list(flows)[: _FLOWS * (len(steps) + 10)]}
    return AnsweredProcedure.model_construct(**_short({"title": each.title, **kept}))


def _named_apart(steps: Iterable[AnsweredStep]) -> list[AnsweredStep]:
    """The steps, each with a name of its own that is neither start nor end; flows mean the first of a name."""
    taken, out = {START, END, ""}, []
    for number, step in enumerate(steps, 1):
        name = step.id
        while name in taken:
            name = f"{name}-{number}"
        taken.add(name)
        out.append(step if name == step.id else step.model_copy(update={"id": name}))
    return out


def _short(value: Any, name: str = "") -> Any:
    """A value with its texts and lists of quotes cut; the same one where nothing is too long."""
    match value:
        case bool():
            return value
        case str():
            longest = _LONGEST.get(name, _LONGEST_OTHER)
            return value if len(value) <= longest else value[:longest]
        case int():
            return value if abs(value) < 10**15 else str(value)[:20]
        case list():
            most = _QUOTES if value and isinstance(value[0], Quote) else _OF_A_KIND
            cut = value[:most] if not value or isinstance(value[0], Quote | str | int) else value
            return [_short(one, name) for one in cut]
        case dict():
            return {key: _short(one, key) for key, one in value.items()}
    if not isinstance(value, BaseModel):
        return value
    made = {key: _short(getattr(value, key), key) for key in type(value).model_fields}
    changed = {key: one for key, one in made.items() if one != getattr(value, key)}
    return value.model_copy(update=changed) if changed else value


def ways_back(flows: Sequence[AnsweredFlow]) -> set[int]:
    """Which of the flows lead back to where a run has been, by their places; runs go forward only.

    >>> flow = AnsweredFlow(a="s1", z="s1")
    >>> ways_back([AnsweredFlow(a="start", z="s1"), flow])
    {1}
    """
    out: dict[str, list[int]] = {}
    for at, flow in enumerate(flows):
        out.setdefault(flow.a, []).append(at)
    back, done = set[int](), set[str]()
    for first in [START, *out]:
        if first in done:
            continue
        path, ways = {first: None}, [(first, iter(out.get(first, ())))]
        while ways:
            name, left = ways[-1]
            at = next(left, -1)
            if at < 0:
                ways.pop()
                path.pop(name)
                done.add(name)
            elif flows[at].z in path:
                back.add(at)
            elif flows[at].z not in done:
                path[flows[at].z] = None
                ways.append((flows[at].z, iter(out.get(flows[at].z, ()))))
    return back
