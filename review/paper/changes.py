"""What changed since an earlier version, by meaning, in the words of the document's language."""

import json
from collections.abc import Iterator

from pydantic import JsonValue

from catalog.load import Catalog
from compiler.report.plain_words import PlainReader, plain_reader
from ir.predicate import ConditionError, Ref, parse_condition
from review.paper.parts import Row, Section, Text, Weight
from review.paper.source import PaperSource
from validator.diff import ChoiceChange, Difference, compare
from validator.diff.changes import Change, Judgement
from validator.diff.fields import EVIDENCE

_WORDS = frozenset({"label", "actor", "assignee", "instruction", "question", "text", "description", "title", "from"})
_UNTOLD = frozenset({"provenance"})
"""Parts of a workflow that mean nothing to who reads a report."""


def changes(source: PaperSource) -> Section:
    """The differences, those that change what runs do first."""
    title = source.words("paper.changes")
    if source.earlier is None:
        return Section(title, (Text(source.words("paper.no_earlier")),))
    found = compare(source.earlier, source.workflow, source.review.catalog or Catalog({}, {}))
    rows = [*_choices(source, found), *_judgements(source, found), *_made_of(source, found)]
    unique = {row.cells: row for row in rows}.values()
    table = source.table(("part", "change"), (0.26, 0.74), unique, "no_changes")
    return Section(title, (table,))


def _choices(source: PaperSource, found: Difference) -> Iterator[Row]:
    """Places where runs take another way; changes of words alone come last."""
    for one in found.choices:
        at = source.reader.node_name(one.at) if one.at else source.words("paper.before_start")
        where = source.words("paper.change.aspect", source.words("paper.part.choice"), at)
        if one.verdict == "differs":
            told = [_example(source, one, number) for number in range(len(one.examples[:2]))]
            yield Row((where, source.words("paper.semicolon").join(told)), Weight.KEPT)
        else:
            key = "paper.change.same_way" if one.verdict == "same" else "paper.change.open"
            where = source.words("paper.change.aspect", source.words("paper.part.edges"), at)
            yield Row((where, source.words(key)), Weight.LIGHT if one.verdict == "same" else Weight.HEAVY)


def _example(source: PaperSource, choice: ChoiceChange, number: int) -> str:
    example, old = choice.examples[number], _earlier_reader(source)
    ways = [
        source.joined(_target(reader, name, source) for name in names)
        for reader, names in ((old, example.old_takes), (source.reader, example.new_takes))
    ]
    values = _values(source, example.values)
    return source.words("paper.change.with", values, *ways) if values else source.words("paper.change.all", *ways)


def _target(reader: PlainReader, name: str, source: PaperSource) -> str:
    """What a run goes on with; a word in brackets stands where it does not go on."""
    return source.words("paper.undecided") if name.startswith("[") else f"“{reader.node_name(name)}”"


def _values(source: PaperSource, values: dict[str, JsonValue]) -> str:
    reader = source.reader
    told = (
        source.words("paper.gives", reader.ref_name(ref), reader.value(value, reader.field(ref)))
        for ref, value in ((Ref(text), value) for text, value in values.items())
    )
    return source.joined(told)


def _judgements(source: PaperSource, found: Difference) -> Iterator[Row]:
    for one in found.judgements:
        at = source.reader.node_name(one.at)
        where = source.words("paper.change.aspect", source.words("paper.part.judgement"), at)
        if one.verdict != "differs":
            key = "paper.change.judged_same" if one.verdict == "same" else "paper.change.judged_open"
            yield Row((where, source.words(key)), Weight.LIGHT)
            continue
        told = [
            source.words("paper.change.judged", _values(source, example.values) or source.words("always"), *given)
            for example in one.examples[:2]
            for given in [[_given(source, one, side) for side in (example.old, example.new)]]
        ]
        yield Row((where, source.words("paper.semicolon").join(told)), Weight.KEPT)


def _given(source: PaperSource, judgement: Judgement, outputs: tuple[str, ...]) -> str:
    """What rows give, `NAME = VALUE` each, in words."""
    specs = source.reader.outputs(source.workflow.nodes[judgement.at])
    told = []
    for one in outputs:
        name, _, value = one.partition(" = ")
        told.append(source.given(name, specs.get(name), json.loads(value)))
    return source.joined(one for one in told if one) or source.words("null")


def _made_of(source: PaperSource, found: Difference) -> Iterator[Row]:
    """What the workflow is made of; what rests on other words alone weighs least."""
    for one in found.changes:
        if one.part in _UNTOLD:
            continue
        light = (one.aspect or "").endswith(EVIDENCE) or one.part in ("outputs", "triggers")
        kind = source.words(f"paper.part.{one.part}")
        yield Row((kind, _told(source, one)), Weight.LIGHT if light else Weight.HEAVY)


def _told(source: PaperSource, change: Change) -> str:
    words, old = source.words, _earlier_reader(source)
    name = _name(source, old if change.kind == "removed" else source.reader, change)
    about = name
    if change.aspect:
        aspect = _aspect(source, change.aspect)
        about = words("paper.change.aspect", name, aspect) if name else aspect
    was, now = _value(source, old, change, change.old), _value(source, source.reader, change, change.new)
    if change.kind == "changed" and was is not None and now is not None:
        return words("paper.change.was_now", about, was, now)
    if change.kind == "changed" and was is None and now is None:
        return words("paper.change.kind", about, words("paper.change.changed"))
    if change.kind != "changed" and not change.aspect:
        return words("paper.change.kind", about, words(f"paper.change.{change.kind}"))
    if now is not None:
        return words("paper.change.now", about, now)
    kind = change.kind if was is None else "removed"
    return words("paper.change.kind", about, words(f"paper.change.{kind}"))


def _aspect(source: PaperSource, aspect: str | None) -> str:
    last = (aspect or "other").rpartition(".")[2]
    first = (aspect or "other").partition(".")[0]
    known = (source.reader.words.get(f"paper.aspect.{one}", "") for one in (last, first))
    return next((one for one in known if one), source.words("paper.aspect.other"))


def _name(source: PaperSource, reader: PlainReader, change: Change) -> str:
    """What changed, by the name that people know."""
    nodes, value = reader.workflow.nodes, change.new if change.kind != "removed" else change.old
    if change.part == "steps":
        return reader.node_name(change.name) if change.name in nodes else _text(value, "label") or ""
    if change.part == "edges":
        ends = (change.name.partition("→")[0].strip(), change.name.partition("→")[2].strip().split(" ")[0])
        return source.words("paper.change.way", *(_known(source, reader, end) for end in ends))
    if change.part in ("inputs", "results"):
        specs = reader.workflow.inputs if change.part == "inputs" else reader.workflow.results
        return reader.field_name(change.name, specs.get(change.name))
    if change.part == "rules":
        pack = change.name.partition("/")[0]
        return next((reader.node_name(key) for key, node in nodes.items() if node.rule_pack == pack), "")
    if change.part in ("gaps", "triggers", "guards"):
        return _text(value, "question") or _text(value, "text") or _text(value, "message") or ""
    return ""


def _known(source: PaperSource, reader: PlainReader, name: str) -> str:
    """A node's name in whichever version has it."""
    for one in (reader, source.reader, _earlier_reader(source)):
        if name in one.workflow.nodes:
            return one.node_name(name)
    return source.words("start")


def _value(source: PaperSource, reader: PlainReader, change: Change, value: JsonValue) -> str | None:
    """A value in words; None where it is of a form that says nothing to a reader."""
    aspect = (change.aspect or "").rpartition(".")[2]
    if aspect == "condition":
        try:
            return reader.told_condition(parse_condition(value))
        except ConditionError:
            return None
    if aspect == "deadline" and isinstance(value, dict):
        return reader.duration(_text(value, "duration"))
    if aspect == "duration" and isinstance(value, str):
        return reader.duration(value)
    if aspect in ("approvers", "outcomes", "enum") and isinstance(value, list):
        return source.joined(str(one) for one in value)
    if aspect == "risk_level" and isinstance(value, str):
        return source.words(f"risk.{value}")
    if isinstance(value, bool):
        return source.words("yes" if value else "no")
    return value if isinstance(value, str) and aspect in _WORDS else None


def _text(value: JsonValue, key: str) -> str | None:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def _earlier_reader(source: PaperSource) -> PlainReader:
    return plain_reader(source.reader, source.earlier or source.workflow)
