"""A comparison in words, line by line, for a terminal or a merge request."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from ir.predicate import ConditionError, Literally, literals, parse_condition
from validator.analysis.locations import arrows
from validator.analysis.units import convert_value
from validator.analysis.wording import condition_words, formula_words
from validator.diff.changes import (
    Alone,
    Change,
    ChoiceChange,
    Comparison,
    Difference,
    Example,
    Judgement,
    Part,
    TakenWay,
    UnitChange,
)
from validator.diff.fields import EVIDENCE, ORIGINS, is_formula, members

Units = Mapping[str, UnitChange]
Sign = Literal["title", "head", "+", "-", "~", "same", "open", "plain"]
_HEADS: dict[Part, str] = {
    "workflow": "Workflow",
    "policy": "Execution policy",
    "inputs": "Inputs",
    "outputs": "Outputs",
    "results": "Results",
    "triggers": "Triggers",
    "guards": "Guards",
    "steps": "Steps",
    "edges": "Edges",
    "rules": "Rules",
    "gaps": "Open questions",
    "provenance": "Provenance",
}
NO_ROW = "[nothing]"
SAME = "no differences"
SAME_MEANING = "same meaning: no values make it choose otherwise"


@dataclass(frozen=True)
class Line:
    """One line.

    Args:
        sign: what it is about: something added, removed, changed; a choice that stayed the `same` or is `open`.
        depth: how far it is set in.
    """

    sign: Sign
    depth: int
    text: str


def lines(comparison: Comparison) -> Iterator[Line]:
    """All that is to be told; what is the same takes one line."""
    for difference in comparison.differences:
        yield from _difference(difference)
    for sign, alone in (("-", comparison.removed), ("+", comparison.added)):
        for one in alone:
            yield Line(sign, 0, _alone(one))  # type: ignore[arg-type]


def _alone(one: Alone) -> str:
    return f"{one.file}: {one.title or one.workflow_id}"


def _difference(difference: Difference) -> Iterator[Line]:
    names = difference.old if difference.old == difference.new else f"{difference.old} → {difference.new}"
    yield Line("title", 0, f"{difference.title} ({names})")
    if difference.same:
        yield Line("same", 1, SAME)
    units = {one.ref: one for one in difference.units}
    if difference.choices:
        yield Line("head", 1, "Which way runs take")
        for choice in difference.choices:
            yield from _choice(choice, units)
    if difference.judgements:
        yield Line("head", 1, "What rules judge")
        for judgement in difference.judgements:
            yield from _judgement(judgement, units)
    for part in dict.fromkeys(change.part for change in difference.changes):
        yield Line("head", 1, _HEADS[part])
        for change in difference.changes:
            if change.part == part:
                yield from _change(change)


def _change(change: Change) -> Iterator[Line]:
    if change.kind == "renamed":
        yield Line("~", 2, f"{change.old} is now {change.new}")
    elif change.kind == "rerouted":
        yield Line("~", 2, f"{change.old} now goes {change.new}")
    elif change.kind in ("added", "removed"):
        sign: Sign = "+" if change.kind == "added" else "-"
        value = change.new if change.kind == "added" else change.old
        about = f"{change.name}: {change.aspect}" if change.aspect else change.name
        yield Line(sign, 2, _flat(" · ".join(part for part in (about, _summary(change, value)) if part)))
    else:
        yield Line("~", 2, f"{change.name}: {change.aspect}" if change.aspect else change.name)
        old, new = _pair(change)
        yield from (Line("-", 3, text) for text in old)
        yield from (Line("+", 3, text) for text in new)


def _pair(change: Change) -> tuple[list[str], list[str]]:
    """What was and what is there; nothing where nothing was, or is."""
    if change.aspect and change.aspect.endswith(ORIGINS):
        return _origins(change.old, change.new)
    old, new = ([] if value is None else [_flat(_summary(change, value))] for value in (change.old, change.new))
    return old, new


def _origins(old: JsonValue, new: JsonValue) -> tuple[list[str], list[str]]:
    """The literals of two conditions that say the same, as far as they come from other words."""
    sides = [[_origin(literal) for literal in literals(parse_condition(one))] for one in (old, new)]
    pairs = [pair for pair in zip(*sides, strict=True) if pair[0] != pair[1]]
    return [", ".join(pair[0] for pair in pairs)], [", ".join(pair[1] for pair in pairs)]


def _origin(literal: Literally) -> str:
    said = [f"“{literal.quote}”" if literal.quote else "", literal.status or "", _source(literal)]
    return f"{_json(literal.value)} ({', '.join(part for part in said if part) or 'no origin'})"


def _source(literal: Literally) -> str:
    return f"from {_json(literal.source)}" if literal.source is not None else ""


def _summary(change: Change, value: JsonValue) -> str:
    """A value in a few words, by what it is."""
    aspect, own = change.aspect or "", members(value)
    if aspect.endswith(EVIDENCE):
        return f"“{own.get('quote')}” ({own.get('status') or 'not looked for'}, {own.get('block') or 'no place'})"
    if aspect == "condition":
        return _condition(value)
    if is_formula(aspect):
        return formula_words(value)
    if change.aspect is not None or not isinstance(value, dict):
        return value if isinstance(value, str) else _json(value)
    if change.part in ("edges", "guards"):
        return _condition(own.get("condition"))
    if change.part == "rules" and ("outcome" in own or "formulas" in own):
        formulas = members(own.get("formulas")).items()
        computed = [f"{name} = {formula_words(members(one).get('formula'))}" for name, one in formulas]
        said = [*([_json(own["outcome"])] if "outcome" in own else []), *computed]
        return f"{_condition(own.get('condition'))} ⇒ {', '.join(said)}"
    if change.part == "gaps":
        return f"{own.get('kind')}: {own.get('question')}"
    shown = [own.get(key) for key in ("type", "unit", "label", "description", "actor", "version")]
    return " · ".join(str(one) for one in shown if one)


def _condition(value: JsonValue) -> str:
    try:
        return condition_words(parse_condition(value))
    except ConditionError:
        return _json(value)


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _choice(choice: ChoiceChange, units: Units) -> Iterator[Line]:
    at = "at the start" if choice.at is None else f"after {choice.at}"
    at += "" if choice.on == "success" else " fails"
    if choice.verdict == "same":
        yield Line("same", 2, f"{at}: " + (f"same meaning: {choice.because}" if choice.because else SAME_MEANING))
    elif choice.verdict == "undecided":
        yield Line("open", 2, f"{at}: not decided whether runs take another way: {choice.because}")
    else:
        yield Line("~", 2, f"{at}: {_who(choice)} {_what(choice)}")
        for example in choice.examples:
            yield from _example(example, units)


def _who(choice: ChoiceChange) -> str:
    """Which runs choose otherwise; all that come there where no values decide."""
    if any(example.values for example in choice.examples):
        return "some runs"
    return "every run" if choice.at is None else "every run that comes there"


def _what(choice: ChoiceChange) -> str:
    """What those runs do; that steps stay the same is known of the runs only that were looked at."""
    one = not any(example.values for example in choice.examples)
    if not all(example.same_steps for example in choice.examples):
        return "takes another way" if one else "take another way"
    if choice.at is None:
        return f"{'starts' if one else 'start'} with other steps; the runs looked at run the same steps in the end"
    return f"{'takes' if one else 'take'} other edges; the runs looked at run the same steps"


def _example(example: Example, units: Units) -> Iterator[Line]:
    values = _values(example.values, units)
    if values:
        yield Line("plain", 3, f"with {values}")
    depth = 4 if values else 3
    if more := _values(_more(example), units):
        yield Line("plain", depth, f"in a run with {more}")
    if example.old and example.new and not example.same_steps:
        yield Line("-", depth, f"old: {_way(example.old)}")
        yield Line("+", depth, f"new: {_way(example.new)}")
        return
    yield Line("-", depth, f"old: {', '.join(example.old_takes)}")
    yield Line("+", depth, f"new: {', '.join(example.new_takes)}")
    if example.new:
        yield Line("plain", depth, f"(the run takes the same steps in both: {_way(example.new)})")
    else:
        yield Line("plain", depth, f"(no whole run was found that comes there{' with these values' if values else ''})")


def _more(example: Example) -> dict[str, JsonValue]:
    """What else the run of an example is given and gives."""
    if example.run is None:
        return {}
    rest = {f"$.inputs.{name}": value for name, value in example.run.inputs.items()}
    for node, record in example.run.outputs.items():
        rest |= {f"$.outputs.{node}.{name}": value for name, value in record.items()}
    return {name: value for name, value in rest.items() if name not in example.values}


def _judgement(judgement: Judgement, units: Units) -> Iterator[Line]:
    at = f"{judgement.at} by {judgement.pack}"
    if judgement.verdict == "same":
        yield Line("same", 2, f"{at}: same meaning: {judgement.because or 'no values are judged otherwise'}")
    elif judgement.verdict == "undecided":
        yield Line("open", 2, f"{at}: not decided whether values are judged otherwise: {judgement.because}")
    else:
        every = not any(example.values for example in judgement.examples)
        yield Line("~", 2, f"{at}: {'every value is' if every else 'some values are'} judged otherwise")
        for example in judgement.examples:
            if example.values:
                yield Line("plain", 3, f"with {_values(example.values, units)}")
            yield Line("-", 4, f"old: {', '.join(example.old) or NO_ROW}")
            yield Line("+", 4, f"new: {', '.join(example.new) or NO_ROW}")


def _values(values: Mapping[str, JsonValue], units: Units) -> str:
    """Values by reference; a number that was counted otherwise in both units."""
    return ", ".join(f"{name} = {_json(value)}{_counted(value, units.get(name))}" for name, value in values.items())


def _counted(value: JsonValue, change: UnitChange | None) -> str:
    if change is None or value is None:
        return ""
    if change.because is not None:
        return f" ({change.new}; before: as many {change.old})"
    return f" {change.new} (before: {_json(convert_value(value, change.new, change.old))} {change.old})"


def _way(taken: TakenWay) -> str:
    why = {"unknown": "a value is not known", "overlap": "two ways are open", "no-way-on": "no way is open"}
    end = taken.status + (f" {taken.reason_code}" if taken.reason_code else "")
    if taken.why:
        end = f"stops at {taken.stopped_at or 'the start'}: {why[taken.why]}"
    return f"{arrows(taken.path)} [{end}]".strip()
