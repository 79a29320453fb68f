"""Which inputs of a draft stand for which variables of a sentence's truth, found without anything of the reader."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations

from pydantic import JsonValue

from evals.meaning.grammar import Sentence, Variable
from evals.meaning.truth import Value
from ir.fields import FieldSpec
from ir.predicate import AnyCondition, Compare, Literally, Ref, leaves
from ir.quantities.numerals import find_numbers
from ir.quantities.units import convert
from ir.workflow import HUMAN_INPUT, Workflow

OTHER = "«other»"
"""A value of a choice that the sentence does not name."""
_SECONDS = {"d": 86400, "h": 3600}


@dataclass(frozen=True)
class Field:
    """A value that a run is given, or that a person gives during it."""

    ref: Ref
    spec: FieldSpec
    words: tuple[str, ...]
    compared: tuple[Literally, ...]


@dataclass(frozen=True)
class Bound:
    """Fields that stand for a variable; `value` gives what each of them holds, None where it has no such value."""

    fields: Mapping[str, Callable[[Value], JsonValue]]


@dataclass(frozen=True)
class Binding:
    """A way to take a draft's fields for the variables; variables that no field stands for are missing."""

    bound: Mapping[str, Bound] = field(default_factory=dict)


def conditions_of(workflow: Workflow) -> Iterator[AnyCondition]:
    """Every condition that decides anything when the workflow runs."""
    yield from (guard.condition for guard in workflow.guards)
    yield from (edge.condition for edge in workflow.edges)
    yield from (rule.condition for pack in workflow.rule_packs.values() for rule in pack.rules)


def fields_of(workflow: Workflow) -> list[Field]:
    """The inputs, and what people are asked for during a run."""
    compared: dict[str, list[Literally]] = {}
    for leaf in (leaf for condition in conditions_of(workflow) for leaf in leaves(condition)):
        if isinstance(leaf, Compare):
            for one, other in ((leaf.left, leaf.right), (leaf.right, leaf.left)):
                if isinstance(one, Ref) and isinstance(other, Literally):
                    compared.setdefault(one.text, []).append(other)
    found = []
    for name, spec in workflow.inputs.items():
        ref = Ref(f"$.inputs.{name}")
        quotes = (e.quote for e in spec.evidence)
        found.append(Field(ref, spec, (spec.description or "", *quotes), tuple(compared.get(ref.text, ()))))
    for name, node in workflow.nodes.items():
        for key, asked in (node.requested_fields or {}).items() if node.type == HUMAN_INPUT else ():
            ref = Ref(f"$.outputs.{name}.{key}")
            words = (asked.description or "", *(e.quote for e in node.evidence))
            found.append(Field(ref, asked, words, tuple(compared.get(ref.text, ()))))
    return found


def bindings(sentence: Sentence, workflow: Workflow) -> list[Binding]:
    """The ways to take fields for variables; several where two variables are measured alike."""
    fields = fields_of(workflow)
    single: dict[str, Bound] = {}
    numbers: dict[str, list[Field]] = {}
    for name, variable in sentence.variables.items():
        if variable.type == "number":
            numbers[name] = [f for f in fields if _in_unit(f, variable, 1.0) is not None]
        elif variable.type == "choice":
            if (bound := _choice(variable, fields)) is not None:
                single[name] = bound
        elif variable.type == "flag" and (bound := _flag(variable, fields)) is not None:
            single[name] = bound
    return [Binding({**single, **many}) for many in _numbers(numbers, sentence.variables)]


def _numbers(found: Mapping[str, list[Field]], variables: Mapping[str, Variable]) -> list[dict[str, Bound]]:
    """Each variable with its fields; where several variables could be the same fields, every way to share them out."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, fields in found.items():
        used = [f for f in fields if f.compared] or fields
        if used:
            groups.setdefault(tuple(f.ref.text for f in used), []).append(name)
    ways: list[dict[str, Bound]] = [{}]
    for refs, names in groups.items():
        fields = [f for f in found[names[0]] if f.ref.text in refs]
        shares = [(fields,)] if len(names) == 1 else [tuple([f] for f in p) for p in permutations(fields, len(names))]
        ways = [
            {**way, **{n: _all(fs, variables[n]) for n, fs in zip(names, share, strict=True)}}
            for way in ways for share in shares or [()] if len(share) == len(names)
        ] or ways  # fmt: skip
    return ways


def _all(fields: list[Field], variable: Variable) -> Bound:
    return Bound({f.ref.text: lambda v, f=f: _in_unit(f, variable, float(v)) for f in fields})  # type: ignore[misc]


def _in_unit(found: Field, variable: Variable, value: float) -> JsonValue:
    """A number of the variable's unit in the field's; None where the field measures something else."""
    if found.spec.type == "duration":
        return _duration(value, variable.unit)
    if found.spec.type not in ("number", "integer"):
        return None
    if not variable.unit and not found.spec.unit:
        return _plain(value)
    if not variable.unit or not found.spec.unit:
        same = convert(1.0, found.spec.unit or "", "") if found.spec.unit else None
        return _plain(value) if same == 1.0 or (_counts(found.spec.unit) and not variable.unit) else None
    given = convert(value, variable.unit, found.spec.unit)
    return None if given is None else _plain(given)


def _duration(value: float, unit: str | None) -> JsonValue:
    """An amount of time as ISO 8601; a bare number counts years, as ages do."""
    if unit is None:
        return f"P{int(value)}Y" if value == int(value) else f"P{round(value * 12)}M"
    if unit not in _SECONDS:
        return None
    return f"PT{round(value * _SECONDS[unit])}S"


def _counts(unit: str | None) -> bool:
    """Whether a unit only says what is counted."""
    return unit is not None and convert(1.0, unit, "kg") is None and convert(1.0, unit, "d") is None and unit not in "%"


def _plain(value: float) -> JsonValue:
    return int(value) if value == int(value) else value


def _choice(variable: Variable, fields: list[Field]) -> Bound | None:
    """The fields that hold the choice, and yes/no fields for single values of it."""
    found: dict[str, Callable[[Value], JsonValue]] = {}
    for each in fields:
        if each.spec.type in ("string", "integer", "number"):
            ways = {v: {v.lower(), *(w.lower() for w in words)} for v, words in variable.values.items()}
            known = {v: _literal(own, set().union(*ways.values()) - own, each) for v, own in ways.items()}
            if any(value is not None for value in known.values()):
                spare = _spare(each, [v for v in known.values() if v is not None])
                found[each.ref.text] = lambda v, known=known, spare=spare: (  # type: ignore[misc]
                    known.get(str(v)) if known.get(str(v)) is not None else spare
                )
        elif each.spec.type == "boolean":
            named = [v for v, words in variable.values.items() if _names(each, (*words, v))]
            if named:
                found[each.ref.text] = lambda v, named=named: str(v) in named  # type: ignore[misc]
    return Bound(found) if found else None


def _literal(ways: set[str], others: set[str], found: Field) -> JsonValue:
    """The literal by which a field says a value of a choice; None where none does.

    Args:
        ways: how the value is written.
        others: how the other values are.
    """
    enum = [v for v in found.spec.enum or () if v is not None]
    quoted: list[tuple[JsonValue, str]] = [(v, str(v)) for v in enum]
    for literal in found.compared:
        if isinstance(literal.value, list) and literal.quote:
            quoted += [(v, str(v)) for v in literal.value]
        elif literal.value is not None:
            quoted.append((literal.value, literal.quote or str(literal.value)))
    for given, words_of in quoted:
        if str(given).lower() in ways or words_of.lower() in ways:
            return given
    numbers = {n.value for w in ways for n in find_numbers(w)} | _roman(ways)
    for given, _ in quoted:
        if isinstance(given, int | float) and not isinstance(given, bool) and float(given) in numbers:
            return given
    for given, words_of in quoted:
        text = {str(given).lower(), words_of.lower()}
        if text & others:
            continue
        if any(_within(t, w) or _within(w, t) for t in text for w in ways if len(t) > 1 and len(w) > 1):
            return given
    return None


def _within(words: str, text: str) -> bool:
    """Whether words stand in a text, English ones as whole words."""
    if not words.isascii():
        return words in text
    return re.search(rf"(?<![a-z0-9]){re.escape(words)}(?![a-z0-9])", text) is not None


def _roman(words: set[str]) -> set[float]:
    numerals = {"i": 1.0, "ii": 2.0, "iii": 3.0, "iv": 4.0, "v": 5.0, "vi": 6.0}
    return {numerals[m] for w in words for m in re.findall(r"\b[iv]+\b", w) if m in numerals}


def _spare(found: Field, named: list[JsonValue]) -> JsonValue:
    """A value of the field that is none of those named."""
    for value in found.spec.enum or ():
        if value not in named:
            return value
    return OTHER if found.spec.type == "string" else 97


def _flag(variable: Variable, fields: list[Field]) -> Bound | None:
    found: dict[str, Callable[[Value], JsonValue]] = {}
    for each in fields:
        if each.spec.type == "string":
            said = [
                m.value for m in each.compared if m.quote and any(m.quote.lower() in w.lower() for w in variable.true)
            ]
            if said:
                other = _spare(each, said)
                found[each.ref.text] = lambda v, said=said, other=other: said[0] if v else other  # type: ignore[misc]
            continue
        if each.spec.type != "boolean":
            continue
        denies = _denies(each, variable)
        if denies is None:
            continue
        found[each.ref.text] = lambda v, denies=denies: bool(v) != denies  # type: ignore[misc]
    return Bound(found) if found else None


def _denies(found: Field, variable: Variable) -> bool | None:
    """Whether a yes/no field says that a variable is not so; None where its words say neither.

    Words that are part of both ways, or of a denial after its `no`, name the thing itself: `allergen card` of `without
    an allergen card`, 开工单 of 没开工单.
    """
    denies = _names(found, variable.false)
    if denies or _names(found, variable.true):
        return denies
    own = next((w.lower().strip() for w in found.words if w), "")
    if len(own) < 2 or (own.isascii() and " " not in own):
        return None
    for way in (w.lower() for w in variable.true):
        if _within(own, way):
            return bool(_NO.search(own))
    for way in (w.lower() for w in variable.false):
        if _within(own, way):
            return not _NO.search(way[: way.index(own)])
    return None


_NO = re.compile(r"[没未无不非]|(?<![a-z])(?:no|not|never|without|un)(?![a-z])|n't")


def _names(found: Field, words: tuple[str, ...]) -> bool:
    """Whether a field's own words, as a person reads them, say one of these; what it is called goes before quotes."""
    own = [w.lower() for w in found.words[:1] if w] or [w.lower() for w in found.words if w]
    return any(_within(w.lower(), text) for text in own for w in words if w)
