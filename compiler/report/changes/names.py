"""What a comparison speaks of, as it is called: by ids, for a terminal and for programs."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, Protocol

from pydantic import JsonValue

from compiler.report.words import Words
from ir.predicate import ConditionError, parse_condition
from validator.analysis.units import convert_value
from validator.analysis.wording import condition_words, formula_words
from validator.diff.changes import Change, ChoiceChange, Judgement, TakenWay, UnitChange
from validator.diff.fields import EVIDENCE, is_formula, members

Side = Literal["old", "new"]
Units = Mapping[str, UnitChange]
"""By reference."""


class Names(Protocol):
    """What the things are called that a comparison speaks of, in one language."""

    @property
    def words(self) -> Words:
        """The fixed words."""

    def node(self, node: str, side: Side) -> str:
        """A node by its id in one version."""

    def taken(self, name: str, side: Side) -> str:
        """What a run goes on with: a node, or the word in brackets that stands where none follows."""

    def ending(self, taken: TakenWay, side: Side) -> str:
        """How a run ends, where it was not left undecided."""

    def subject(self, change: Change) -> str:
        """What changed; empty where its part says enough."""

    def aspect(self, change: Change) -> str:
        """Which field of it changed; empty where it is the whole."""

    def moved(self, change: Change) -> str:
        """That something is called otherwise, or leads elsewhere."""

    def value(self, change: Change, side: Side) -> str:
        """What stood or stands there, in a few words; there is something."""

    def judged(self, node: str, pack: str) -> str:
        """A node that applies a rule pack."""

    def given(self, node: str, outputs: Sequence[str]) -> str:
        """What rows of the node give, each `NAME = VALUE`; empty where there is nothing."""

    def values(self, values: Mapping[str, JsonValue], units: Units) -> str:
        """Values by reference; a number that was counted otherwise in both units."""

    def because(self, told: ChoiceChange | Judgement, units: Units) -> str:
        """What a verdict rests on, where it is not the examples."""


class Ids:
    """Everything by its id, in English."""

    @cached_property
    def words(self) -> Words:
        """The English ones."""
        return Words("en")

    def node(self, node: str, side: Side) -> str:
        """The id."""
        return node

    def taken(self, name: str, side: Side) -> str:
        """The id, or the word in brackets."""
        return name

    def ending(self, taken: TakenWay, side: Side) -> str:
        """The status, with the code of the reason."""
        return taken.status + (f" {taken.reason_code}" if taken.reason_code else "")

    def subject(self, change: Change) -> str:
        """The id, or what stands for one."""
        return change.name

    def aspect(self, change: Change) -> str:
        """The path of the field, in dots."""
        return change.aspect or ""

    def moved(self, change: Change) -> str:
        """The ids, or the edges by their ends."""
        return self.words(f"diff.{change.kind}", change.old, change.new)

    def value(self, change: Change, side: Side) -> str:
        """A value by what it is; as JSON where nothing else tells it."""
        value = change.old if side == "old" else change.new
        aspect, own = change.aspect or "", members(value)
        if aspect.endswith(EVIDENCE):
            told = (own.get("status") or "not looked for", own.get("block") or "no place")
            return self.words("diff.evidence", own.get("quote"), *told)
        if aspect == "condition":
            return _condition(value)
        if is_formula(aspect):
            return formula_words(value)
        if change.aspect is not None or not isinstance(value, dict):
            return value if isinstance(value, str) else json_text(value)
        if change.part in ("edges", "guards"):
            return _condition(own.get("condition"))
        if change.part == "rules" and ("outcome" in own or "formulas" in own):
            formulas = members(own.get("formulas")).items()
            computed = [f"{name} = {formula_words(members(one).get('formula'))}" for name, one in formulas]
            said = [*([json_text(own["outcome"])] if "outcome" in own else []), *computed]
            return self.words("diff.row", _condition(own.get("condition")), ", ".join(said))
        if change.part == "gaps":
            return f"{own.get('kind')}: {own.get('question')}"
        shown = [own.get(key) for key in ("type", "unit", "label", "description", "actor", "version")]
        return " · ".join(str(one) for one in shown if one)

    def judged(self, node: str, pack: str) -> str:
        """The ids of both."""
        return f"{node} by {pack}"

    def given(self, node: str, outputs: Sequence[str]) -> str:
        """As it is written."""
        return ", ".join(outputs)

    def values(self, values: Mapping[str, JsonValue], units: Units) -> str:
        """By reference, as JSON."""
        return ", ".join(
            f"{name} = {in_both_units(json_text(value), value, units.get(name), self.words)}"
            for name, value in values.items()
        )

    def because(self, told: ChoiceChange | Judgement, units: Units) -> str:
        """As it was found."""
        return told.because or ""


def in_both_units(text: str, value: JsonValue, change: UnitChange | None, words: Words) -> str:
    """A number with its unit now and as it was counted before; the text alone where its unit is the same.

    Args:
        text: the number, without a unit.
    """
    if change is None or value is None:
        return text
    if change.because is not None:
        return words("diff.counted_apart", text, change.new, change.old)
    before = json_text(convert_value(value, change.new, change.old))
    return words("diff.counted", text, change.new, before, change.old)


def json_text(value: JsonValue) -> str:
    """A value as JSON on one line, in the characters of its language."""
    return json.dumps(value, ensure_ascii=False)


def _condition(value: JsonValue) -> str:
    try:
        return condition_words(parse_condition(value))
    except ConditionError:
        return json_text(value)
