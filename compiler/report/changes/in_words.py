"""What a comparison speaks of, as people call it: steps by their titles, fields, conditions, durations in words."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from catalog.load import Catalog
from compiler.report.changes.names import Side, Units, in_both_units
from compiler.report.readers_words import Reader
from compiler.report.words import Words
from ir.fields import FieldSpec
from ir.formula import parse_expression
from ir.formulas.infix import parse_formula
from ir.infix import InfixError, parse_infix
from ir.predicate import ALWAYS, OTHERWISE, AnyCondition, ConditionError, Ref, parse_condition, parse_operand
from ir.source import Language
from ir.walk import ERROR_KEY
from ir.workflow import Workflow
from validator.diff.changes import Change, ChoiceChange, Judgement, TakenWay
from validator.diff.fields import EVIDENCE, is_formula, listed, members
from validator.diff.meaning import UNREACHED
from validator.diff.renames import renamed_nodes, with_ids
from validator.diff.units import incomparable_words

_EDGE = re.compile(r"(?P<source>[^→ ]+)→(?P<target>[^ ]+)(?P<failure> on error)?(?: \((?P<condition>.*)\))?")
_HELD_BY_NAME = frozenset({
    "inputs", "outputs", "results", "outcome", "formulas", "requested_fields", "assumed_outputs", "properties",
    "calendars",
})  # fmt: skip
"""Aspects below which a name stands that the workflow gives."""
_DURATIONS = frozenset({"duration", "timeout", "backoff"})
_OF_THE_FIELD = frozenset({"enum", "default", "minimum", "maximum"})
"""Aspects of a field whose values are values of the field."""
_KEYS = {
    "risk_level": "risk", "split": "split", "mode": "mode", "kind": "gap", "origin": "origin", "language": "language",
}  # fmt: skip
"""Aspects whose values have words, by the first part of their keys."""


@dataclass(frozen=True)
class InWords:
    """Two versions read aloud in one language, by the names that the catalog and the versions themselves give."""

    old: Workflow
    new: Workflow
    catalog: Catalog
    language: Language

    @cached_property
    def words(self) -> Words:
        """The fixed words."""
        return self.reader("new").words

    @cached_property
    def _renamed(self) -> dict[str, str]:
        return renamed_nodes(self.old, self.new)

    @cached_property
    def _readers(self) -> dict[Side, Reader]:
        old = with_ids(self.old, self._renamed)
        return {
            "old": Reader(old, self.catalog, self.language),
            "new": Reader(self.new, self.catalog, self.language),
        }

    def reader(self, side: Side) -> Reader:
        """Who reads one version; its nodes have the ids of the new one."""
        return self._readers[side]

    def _both(self, side: Side) -> tuple[Reader, Reader]:
        """The readers, that of one version first."""
        return self._readers[side], self._readers["new" if side == "old" else "old"]

    # --- names --------------------------------------------------------------------------------------------------------

    def node(self, node: str, side: Side) -> str:
        """Its title; the id where it has none."""
        name = self._renamed.get(node, node) if side == "old" else node
        told = (one.node_name(name) for one in self._both(side) if name in one.workflow.nodes)
        return self.words("case.named", next(told, node))

    def taken(self, name: str, side: Side) -> str:
        """A step's title, or how the run ends."""
        if not name.startswith("["):
            return self.node(name, side)
        what, _, code = name[1:-1].partition(" ")
        return self.words(f"diff.taken.{what}", self._guard(code, side))

    def ending(self, taken: TakenWay, side: Side) -> str:
        """The status in words; what a guard says where it let the run not begin."""
        if taken.status == "undecided":
            return self.words("diff.status.undecided")
        status = self.words(f"end.{taken.status}")
        refused = taken.reason_code is not None and not taken.path
        return self.words("diff.about", status, self._guard(taken.reason_code or "", side)) if refused else status

    def subject(self, change: Change) -> str:
        """The title of a step, the names of a way's ends, a field's name, a question."""
        side: Side = "old" if change.kind == "removed" else "new"
        name, reader = change.name, self.reader(side)
        match change.part:
            case "steps":
                return self.node(name, side)
            case "edges":
                return self._edge(name, side)
            case "inputs" | "results":
                fields = reader.workflow.inputs if change.part == "inputs" else reader.workflow.results
                return reader.field_name(name, fields.get(name))
            case "outputs":
                source = reader.workflow.outputs.get(name)
                return reader.field_name(name, reader.field(source) if isinstance(source, Ref) else None)
            case "rules":
                pack, _, rule = name.partition("/")
                at = self.words("diff.comma").join(self.node(one, side) for one in _applying(reader.workflow, pack))
                return self.words("diff.rule", at or pack, rule) if rule else at or pack
            case "guards":
                return "" if change.aspect == "order" else self._guard(name, side)
            case "gaps":
                return next((one.question for one in reader.workflow.gaps if one.id == name), name)
            case "triggers":
                return name
            case _:
                return ""

    def aspect(self, change: Change) -> str:
        """The field, from the outermost in."""
        aspect = change.aspect or ""
        if change.part == "steps" and aspect == "type":
            return self.words("diff.aspect.node_type")
        whole = self.words.get(f"diff.aspect.{aspect}", "")
        return whole or "·".join(self._segments(change, aspect.split(".")))

    def _segments(self, change: Change, path: Sequence[str]) -> list[str]:
        told, spec = [], self._spec(change, "new") or self._spec(change, "old")
        for above, segment in zip(("", *path), path, strict=False):
            if above in _HELD_BY_NAME:
                told.append(self.reader("new").field_name(segment, spec))
            elif segment != "metadata":
                told.append(self.words.get(f"diff.aspect.{segment}", segment))
        return told

    def moved(self, change: Change) -> str:
        """A step whose id is another, or a way between other steps."""
        old, new = str(change.old), str(change.new)
        if change.kind == "renamed":
            return self.words("diff.renamed_step", self.node(new, "new"), old, new)
        return self.words("diff.rerouted", self._edge(old, "old"), self._edge(new, "new"))

    def _edge(self, text: str, side: Side) -> str:
        found = _EDGE.fullmatch(text)
        if found is None:
            return text
        key = "diff.edge_failure" if found["failure"] else "diff.edge"
        way = self.words(key, *(self.node(found[end], side) for end in ("source", "target")))
        when = found["condition"]
        return self.words("diff.title", way, self._infix(when, side)) if when else way

    def _infix(self, text: str, side: Side) -> str:
        fixed: dict[str, AnyCondition] = {"always": ALWAYS, "otherwise": OTHERWISE}
        try:
            return self.reader(side).condition(fixed.get(text) or parse_infix(text, {}))
        except InfixError:
            return text

    def _guard(self, code: str, side: Side) -> str:
        """What a guard says to whom it turns away; its code where it says nothing."""
        guards = (one for reader in self._both(side) for one in reader.workflow.guards)
        return next((one.message for one in guards if one.error_code == code and one.message), code)

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, change: Change, side: Side) -> str:
        """A value by what it is, in words."""
        value, aspect, reader = change.old if side == "old" else change.new, change.aspect or "", self.reader(side)
        if aspect.endswith(EVIDENCE):
            own = members(value)
            status = self.words(f"grounding.{own.get('status') or 'unsought'}")
            return self.words("diff.title", f"“{own.get('quote')}”", status)
        if aspect == "condition":
            return self._condition(value, reader)
        if is_formula(aspect):
            return reader.formula(parse_expression(value))
        if change.aspect is None and isinstance(value, dict) and change.part != "outputs":
            return self._whole(change, value, reader)
        return self._field(change, value, side)

    def _condition(self, value: JsonValue, reader: Reader) -> str:
        try:
            return reader.condition(parse_condition(value))
        except ConditionError:
            return json.dumps(value, ensure_ascii=False)

    def _whole(self, change: Change, own: Mapping[str, JsonValue], reader: Reader) -> str:
        """What came or went, beyond its name."""
        match change.part:
            case "edges" | "guards":
                always = own.get("condition") in (None, "always")
                return "" if always else self._condition(own.get("condition"), reader)
            case "rules" if "rule_id" in own:
                return self._row(change.name.partition("/")[0], own, reader)
            case "gaps":
                return self.words(f"gap.{own.get('kind')}")
            case "steps":
                people = [own.get("actor"), own.get("assignee"), *listed(own.get("approvers"))]
                told = [self._type(str(own.get("type")), reader), *(str(one) for one in people if one)]
            case _:
                kind = own.get("type")
                told = [self.words(f"diff.type.{kind}") if kind else "", str(own.get("unit") or "")]
        return " · ".join(dict.fromkeys(one for one in told if one))

    def _row(self, pack: str, own: Mapping[str, JsonValue], reader: Reader) -> str:
        specs = self._given_by(pack, reader)
        given = [
            self.words("diff.value", reader.field_name(name, specs.get(name)), reader.value(value, specs.get(name)))
            for name, value in members(own.get("outcome")).items()
        ]
        for name, one in members(own.get("formulas")).items():
            formula = reader.formula(parse_expression(members(one).get("formula")))
            given.append(self.words("diff.value", reader.field_name(name, specs.get(name)), formula))
        when = self._condition(own.get("condition"), reader)
        return self.words("diff.row", when, self.words("case.comma").join(given))

    def _type(self, name: str, reader: Reader) -> str:
        found = self.catalog.resolve(name)
        return reader.summary(found) if found else name

    def _field(self, change: Change, value: JsonValue, side: Side) -> str:
        """The value of one field."""
        reader, path = self.reader(side), (change.aspect or "").split(".")
        last, spec = path[-1], self._spec(change, side)
        if change.part == "outputs" or (change.part == "steps" and path[0] in ("inputs", "results")):
            return reader.operand(parse_operand(value), spec)
        if isinstance(value, str):
            return self._text(change, last, value, reader)
        if last == "about":
            return self.words("diff.comma").join(self.node(str(one), side) for one in listed(value))
        return reader.value(value, spec if last in _OF_THE_FIELD or path[0] == "outcome" else None)

    def _text(self, change: Change, last: str, value: str, reader: Reader) -> str:
        words = self.words
        if last in _DURATIONS:
            return reader.duration(value) or value
        if last == "type" and change.aspect == "type" and change.part == "steps":
            return self._type(value, reader)
        if last == "type":
            return words.get(f"diff.type.{value}", value)
        if last == "concept" and value in self.catalog.concepts:
            return self.catalog.concepts[value].labels.get(self.language, value)
        if last == "status":
            return words.get(f"{'end' if change.part == 'steps' else 'status'}.{value}", value)
        return words.get(f"{_KEYS[last]}.{value.partition(':')[0]}", value) if last in _KEYS else value

    def _spec(self, change: Change, side: Side) -> FieldSpec | None:
        """The declaration of the field that changed, or that a changed value is of."""
        reader, path = self.reader(side), (change.aspect or "").split(".")
        workflow, at = reader.workflow, path[1] if len(path) > 1 else ""
        match change.part, path[0]:
            case "inputs", _:
                return workflow.inputs.get(change.name)
            case "results", _:
                return workflow.results.get(change.name)
            case "steps", "results":
                return workflow.results.get(at)
            case "steps", "inputs" | "requested_fields" | "assumed_outputs" if change.name in workflow.nodes:
                node = workflow.nodes[change.name]
                node_type = reader.node_type(node)
                taken = node_type.inputs_schema if node_type else {}
                return (taken if path[0] == "inputs" else getattr(node, path[0]) or {}).get(at)
            case "rules", "outcome" | "formulas" | "outputs":
                return self._given_by(change.name.partition("/")[0], reader).get(at)
            case _:
                return None

    def _given_by(self, pack: str, reader: Reader) -> dict[str, FieldSpec]:
        """What the nodes give that apply a pack of rules."""
        workflow, found = reader.workflow, dict[str, FieldSpec]()
        for node in _applying(workflow, pack):
            found |= reader.outputs(workflow.nodes[node])
        return found | (workflow.rule_packs[pack].outputs if pack in workflow.rule_packs else {})

    # --- what is judged -----------------------------------------------------------------------------------------------

    def judged(self, node: str, pack: str) -> str:
        """The title of the step."""
        return self.node(node, "new")

    def given(self, node: str, outputs: Sequence[str]) -> str:
        """What rows give by the names of its outputs; what they compute as a formula."""
        reader = self.reader("new")
        pack = reader.workflow.nodes[node].rule_pack if node in reader.workflow.nodes else None
        specs = self._given_by(pack or "", reader)
        told = []
        for name, _, text in (one.partition(" = ") for one in outputs):
            spec = specs.get(name)
            told.append(self.words("diff.value", reader.field_name(name, spec), _computed(text, spec, reader)))
        return self.words("case.comma").join(told)

    def values(self, values: Mapping[str, JsonValue], units: Units) -> str:
        """Values by the names of what is read; that a step fails."""
        failing = [name for name in values if name.endswith(f".{ERROR_KEY}")]
        refs, (new, old) = [Ref(name) for name in values if name not in failing], self._both("new")
        names = old.short_names(refs) | {
            ref: name for ref, name in new.short_names(refs).items() if new.field(ref) is not None
        }
        told = [self.words("diff.value", names[ref], self._read(ref, values[ref.text], units)) for ref in refs]
        told += [self.words("diff.fails", self.node(name.split(".")[2], "new")) for name in failing]
        return self.words("case.comma").join(told)

    def _read(self, ref: Ref, value: JsonValue, units: Units) -> str:
        new, old = self._both("new")
        reader = old if new.field(ref) is None and old.field(ref) is not None else new
        change = units.get(ref.text)
        if change is None or value is None:
            return self._told(value, reader.field(ref), reader)
        return in_both_units(reader.value(value), value, change, self.words)

    def _told(self, value: JsonValue, spec: FieldSpec | None, reader: Reader) -> str:
        """A value, a group of fields by their names."""
        if not isinstance(value, dict):
            return reader.value(value, spec)
        below = {name: spec.at([name]) if spec is not None else None for name in value}
        fields = (
            self.words("diff.value", reader.field_name(name, below[name]), self._told(one, below[name], reader))
            for name, one in value.items()
        )
        return self.words("diff.group", self.words("diff.comma").join(fields))

    def because(self, told: ChoiceChange | Judgement, units: Units) -> str:
        """In one sentence; of what the prover says, what is of use to a reader."""
        why = told.because or ""
        if why == UNREACHED:
            return self.words("diff.because.unreached")
        if told.verdict == "same":
            return self.words("diff.because.one_unit")
        for one in units.values():
            if why == incomparable_words(one):
                ref = Ref(one.ref)
                return self.words("diff.because.units", self._readers["new"].ref_full(ref), one.old, one.new)
        return self.words("diff.because.unsolved", why)


def _applying(workflow: Workflow, pack: str) -> list[str]:
    """The nodes that apply a pack of rules."""
    return [name for name, node in workflow.nodes.items() if node.rule_pack == pack]


def _computed(text: str, spec: FieldSpec | None, reader: Reader) -> str:
    """What a row gives: a value as JSON, or a formula as it is written, in words."""
    try:
        return reader.value(json.loads(text), spec)
    except ValueError:
        pass
    try:
        return reader.formula(parse_formula(text, {}))
    except InfixError:
        return text
