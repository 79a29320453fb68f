"""The answers on the parts of a document together: a procedure that goes on under its title is one procedure."""

import re
from collections.abc import Mapping, Sequence

from compiler.extract.model.form import AnsweredFlow, AnsweredProcedure, AnsweredRow
from ir.procedure import END, START

_NAME = re.compile(r"[A-Za-z_]\w*")


def merged(before: Sequence[AnsweredProcedure], more: Sequence[AnsweredProcedure]) -> list[AnsweredProcedure]:
    """The procedures of the parts so far with those of the next one; one of a known title goes on after its last steps.

    A step that quotes the same words again is not told twice.
    """
    out = list(before)
    for each in more:
        title = each.title.strip()
        at = next((n for n, known in enumerate(out) if title and known.title.strip() == title), None)
        if at is None:
            out.append(each)
        else:
            out[at] = _continued(out[at], each)
    return out


def _continued(first: AnsweredProcedure, then: AnsweredProcedure) -> AnsweredProcedure:
    """The first with the second after it, whose steps and joints take names that are free, wherever they stand."""
    said = {quote.q: step.id for step in first.steps for quote in step.at}
    known = {step.id: next((said[quote.q] for quote in step.at if quote.q in said), None) for step in then.steps}
    names = {name: other for name, other in known.items() if other is not None}
    taken = {
        *(step.id for step in first.steps),
        *_ends(first.flows),
        *(fact.id for fact in (*first.facts, *then.facts)),
    }
    taken |= {result.id for result in (*first.results, *then.results)}
    for name in (*(step.id for step in then.steps), *_ends(then.flows)):
        if name not in names and name not in (START, END):
            names[name] = _free(name, taken)
            taken.add(names[name])
    fresh = [step.model_copy(update={"id": names[step.id]}) for step in then.steps if known[step.id] is None]
    flows = [_renamed(flow, names) for flow in then.flows]
    last = [flow for flow in first.flows if flow.z == END and flow.when is None]
    begins = [flow for flow in flows if flow.a == START and flow.z != END]
    joined = [flow.model_copy(update={"a": one.a}) for flow in begins for one in last if one.a != flow.z]
    joined = joined[: 4 * (len(first.steps) + len(fresh)) + 40]
    inside = [flow for flow in flows if flow.a != START]
    going_on = {flow.a for flow in (*joined, *inside)}
    kept = [flow for flow in first.flows if not (flow in last and flow.a in going_on)]
    told = {result.id for result in first.results}
    facts = {fact.id for fact in first.facts}
    rules = [rule.model_copy(update=_references(rule.steps, "steps", names, rule.when)) for rule in then.rules]
    return first.model_copy(
        update={
            "triggers": [*first.triggers, *(one for one in then.triggers if one not in first.triggers)],
            "facts": [*first.facts, *(fact for fact in then.facts if fact.id not in facts)],
            "steps": [*first.steps, *fresh],
            "flows": [*kept, *joined, *(flow for flow in inside if flow not in kept)],
            "results": [
                *first.results,
                *(
                    one.model_copy(
                        update={
                            "step": names.get(one.step or "", one.step),
                            "rows": [_row(row, names) for row in one.rows],
                        }
                    )
                    for one in then.results
                    if one.id not in told
                ),
            ],
            "rules": [*first.rules, *rules],
            "gaps": [
                *first.gaps,
                *(gap.model_copy(update=_references(gap.about, "about", names)) for gap in then.gaps),
            ],
        }
    )


def _ends(flows: Sequence[AnsweredFlow]) -> list[str]:
    return [end for flow in flows for end in (flow.a, flow.z)]


def _free(name: str, taken: set[str]) -> str:
    """The name, or the next one of its kind (`s4`, `j2`) that is free."""
    letters = re.match(r"\D*", name)
    front, number = (letters[0] if letters else "") or "s", 1
    while name in taken:
        name, number = f"{front}{number}", number + 1
    return name


def _renamed(flow: AnsweredFlow, names: Mapping[str, str]) -> AnsweredFlow:
    ends = {"a": names.get(flow.a, flow.a), "z": names.get(flow.z, flow.z)}
    return flow.model_copy(update={**ends, "when": _text(flow.when, names)})


def _row(row: AnsweredRow, names: Mapping[str, str]) -> AnsweredRow:
    return row.model_copy(update={"value": _text(row.value, names), "when": _text(row.when, names)})


def _references(
    ids: Sequence[str], field: str, names: Mapping[str, str], when: str | None = None
) -> dict[str, object]:  # fmt: skip
    changed: dict[str, object] = {field: [names.get(one, one) for one in ids]}
    return changed | ({"when": _text(when, names)} if when is not None else {})


def _text(text: str | None, names: Mapping[str, str]) -> str | None:
    """A condition or formula with other names, but for what stands in quotation marks.

    >>> _text('s1.outcome == "s1" and s12 > 3', {"s1": "s4"})
    's4.outcome == "s1" and s12 > 3'
    """
    if text is None:
        return None
    parts = re.split(r"(\"[^\"]*\"|'[^']*')", text)
    return "".join(
        part if at % 2 else _NAME.sub(lambda word: names.get(word[0], word[0]), part) for at, part in enumerate(parts)
    )
