"""A comparison in words, line by line, for a page, a terminal or a merge request."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from compiler.report.changes.names import Ids, Names, Side, Units, json_text
from compiler.report.words import Words
from ir.predicate import Literally, literals, parse_condition
from validator.analysis.locations import arrows
from validator.diff.changes import (
    Alone,
    Change,
    ChoiceChange,
    Comparison,
    Difference,
    Example,
    Judgement,
    TakenWay,
)
from validator.diff.fields import ORIGINS

Sign = Literal["title", "head", "+", "-", "~", "same", "open", "plain"]
_SIDES: tuple[tuple[Side, Sign], ...] = (("old", "-"), ("new", "+"))
_BY_ID = Ids()


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


def lines(comparison: Comparison, names: Names = _BY_ID) -> Iterator[Line]:
    """All that is to be told; what is the same takes one line.

    Args:
        names: what the things are called, and in which language; ids in English where nobody says.
    """
    for difference in comparison.differences:
        yield from _difference(difference, names)
    alone: tuple[tuple[Sign, tuple[Alone, ...]], ...] = (("-", comparison.removed), ("+", comparison.added))
    for sign, listed in alone:
        yield from (Line(sign, 0, f"{one.file}: {one.title or one.workflow_id}") for one in listed)


def _difference(difference: Difference, names: Names) -> Iterator[Line]:
    words, units = names.words, {one.ref: one for one in difference.units}
    called = difference.old if difference.old == difference.new else f"{difference.old} → {difference.new}"
    yield Line("title", 0, words("diff.title", difference.title, called))
    if difference.same:
        yield Line("same", 1, words("diff.same"))
    if difference.choices:
        yield Line("head", 1, words("diff.choices"))
        for choice in difference.choices:
            yield from _choice(choice, units, names)
    if difference.judgements:
        yield Line("head", 1, words("diff.judgements"))
        for judgement in difference.judgements:
            yield from _judgement(judgement, units, names)
    for part in dict.fromkeys(change.part for change in difference.changes):
        yield Line("head", 1, words(f"diff.part.{part}"))
        for change in difference.changes:
            if change.part == part:
                yield from _change(change, names)


# --- what it is made of -----------------------------------------------------------------------------------------------


def _change(change: Change, names: Names) -> Iterator[Line]:
    subject, aspect = names.subject(change), names.aspect(change)
    about = names.words("diff.about", subject, aspect) if subject and aspect else subject or aspect
    if change.kind in ("renamed", "rerouted"):
        yield Line("~", 2, names.moved(change))
    elif change.kind in ("added", "removed"):
        side, sign = _SIDES[1 if change.kind == "added" else 0]
        yield Line(sign, 2, _flat(" · ".join(part for part in (about, names.value(change, side)) if part)))
    else:
        yield Line("~", 2, about)
        for sign, text in _pair(change, names):
            yield Line(sign, 3, text)


def _pair(change: Change, names: Names) -> Iterator[tuple[Sign, str]]:
    """What was and what is there; nothing where nothing was, or is. What reads alike is told exactly."""
    if change.aspect and change.aspect.endswith(ORIGINS):
        told = _origins(change.old, change.new, names.words)
    else:
        there = [side for side, _ in _SIDES if (change.old if side == "old" else change.new) is not None]
        told = {side: names.value(change, side) for side in there}
        if len(there) > len(set(told.values())):
            told = {side: _BY_ID.value(change, side) for side in there}
    for side, sign in _SIDES:
        if side in told:
            yield sign, _flat(told[side])


def _origins(old: JsonValue, new: JsonValue, words: Words) -> dict[Side, str]:
    """The literals of two conditions that say the same, as far as they come from other words."""
    sides = [[_origin(literal, words) for literal in literals(parse_condition(one))] for one in (old, new)]
    pairs = [pair for pair in zip(*sides, strict=True) if pair[0] != pair[1]]
    comma = words("case.comma")
    return {"old": comma.join(pair[0] for pair in pairs), "new": comma.join(pair[1] for pair in pairs)}


def _origin(literal: Literally, words: Words) -> str:
    said = [
        f"“{literal.quote}”" if literal.quote else "",
        words(f"diff.literal.{literal.status}") if literal.status else "",
        words("diff.literal.from", json_text(literal.source)) if literal.source is not None else "",
    ]
    origin = words("case.comma").join(part for part in said if part) or words("diff.literal.unknown")
    return words("diff.title", json_text(literal.value), origin)


def _flat(text: str) -> str:
    return " ".join(text.split())


# --- which way runs take ----------------------------------------------------------------------------------------------


def _choice(choice: ChoiceChange, units: Units, names: Names) -> Iterator[Line]:
    words = names.words
    key = "diff.after" if choice.on == "success" else "diff.after_failure"
    at = words("diff.at_start") if choice.at is None else words(key, names.node(choice.at, "new"))
    alike = _no_difference(choice, "choice", at, units, names)
    if alike is not None:
        yield alike
    else:
        yield Line("~", 2, words("diff.about", at, _who_does_what(choice, words)))
        for example in choice.examples:
            yield from _example(example, units, names)


def _no_difference(one: ChoiceChange | Judgement, what: str, at: str, units: Units, names: Names) -> Line | None:
    """That two choices, or judgements, mean the same, or that it is not known; None where they differ."""
    because = names.because(one, units) if one.because or one.verdict == "undecided" else None
    if one.verdict == "same":
        return Line("same", 2, names.words("diff.same_meaning", at, because or names.words(f"diff.{what}.no_values")))
    if one.verdict == "undecided":
        return Line("open", 2, names.words(f"diff.{what}.undecided", at, because))
    return None


def _who_does_what(choice: ChoiceChange, words: Words) -> str:
    """Which runs choose otherwise, all that come there where no values decide, and what they do.

    That steps stay the same is known of the runs only that were looked at.
    """
    every = not any(example.values for example in choice.examples)
    who = "some" if not every else "every" if choice.at is None else "every_there"
    if not all(example.same_steps for example in choice.examples):
        what = "other_way"
    else:
        what = "other_start" if choice.at is None else "other_edges"
    return words(f"diff.{what}.{'every' if every else 'some'}", words(f"diff.runs.{who}"))


def _example(example: Example, units: Units, names: Names) -> Iterator[Line]:
    words, values = names.words, names.values(example.values, units)
    if values:
        yield Line("plain", 3, words("diff.with", values))
    depth = 4 if values else 3
    if more := names.values(_more(example), units):
        yield Line("plain", depth, words("diff.in_a_run", more))
    if example.old and example.new and not example.same_steps:
        yield Line("-", depth, words("diff.old", _way(example.old, "old", names)))
        yield Line("+", depth, words("diff.new", _way(example.new, "new", names)))
        return
    yield Line("-", depth, words("diff.old", _taken(example.old_takes, "old", names)))
    yield Line("+", depth, words("diff.new", _taken(example.new_takes, "new", names)))
    if example.new:
        yield Line("plain", depth, words("diff.same_steps", _way(example.new, "new", names)))
    else:
        yield Line("plain", depth, words("diff.no_run_with_these" if values else "diff.no_run"))


def _taken(nodes: Sequence[str], side: Side, names: Names) -> str:
    return names.words("diff.comma").join(names.taken(one, side) for one in nodes)


def _more(example: Example) -> dict[str, JsonValue]:
    """What else the run of an example is given and gives."""
    if example.run is None:
        return {}
    rest = {f"$.inputs.{name}": value for name, value in example.run.inputs.items()}
    for node, record in example.run.outputs.items():
        rest |= {f"$.outputs.{node}.{name}": value for name, value in record.items()}
    return {name: value for name, value in rest.items() if name not in example.values}


def _way(taken: TakenWay, side: Side, names: Names) -> str:
    words, end = names.words, names.ending(taken, side)
    if taken.why:
        at = names.node(taken.stopped_at, side) if taken.stopped_at else words("diff.the_start")
        end = words("diff.stops", at, words(f"diff.why.{taken.why}"))
    return f"{arrows(names.node(one, side) for one in taken.path)} [{end}]".strip()


# --- what rules judge -------------------------------------------------------------------------------------------------


def _judgement(judgement: Judgement, units: Units, names: Names) -> Iterator[Line]:
    words, at = names.words, names.judged(judgement.at, judgement.pack)
    alike = _no_difference(judgement, "judged", at, units, names)
    if alike is not None:
        yield alike
    else:
        every = not any(example.values for example in judgement.examples)
        yield Line("~", 2, words("diff.judged.every" if every else "diff.judged.some", at))
        for example in judgement.examples:
            if example.values:
                yield Line("plain", 3, words("diff.with", names.values(example.values, units)))
            old, new = (names.given(judgement.at, one) or words("diff.nothing") for one in (example.old, example.new))
            yield Line("-", 4, words("diff.old", old))
            yield Line("+", 4, words("diff.new", new))
