"""Facts as a person names them, as references of a workflow."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from compiler.report.readers_words import Reader
from ir.predicate import REFERENCE, Ref
from ir.walk import ERROR_KEY
from review.cases.errors import UnfitFact, UnknownFact
from review.cases.tested import Tested
from validator.analysis.fit import value_misfit
from validator.examples.calm import PlainValues
from validator.examples.play import Facts
from validator.examples.search import deciding
from validator.examples.targets import Targets
from validator.suggest import did_you_mean


def facts_from(targets: Targets, reader: Reader, given: Mapping[str, JsonValue]) -> Facts:
    """The facts that are given by name: `amount`, `NODE.FIELD`, `运输数量`; `NODE.$error` is a failure.

    A value may be the word for it, as a case tells it: `一类`.

    Raises:
        UnknownFact: a name is of nothing that the workflow reads.
        UnfitFact: a value is not of its type.
    """
    workflow, scope = targets.analysis.workflow, targets.analysis.scope
    values: dict[Ref, JsonValue] = {}
    failing: dict[str, str] = {}
    for name, value in given.items():
        node, _, rest = name.partition(".")
        if rest == ERROR_KEY and node in workflow.nodes:
            failing[node] = str(value)
            continue
        text = name if name.startswith("$.") else f"$.inputs.{name}" if node in workflow.inputs else f"$.outputs.{name}"
        named = [one for one in deciding(targets) if reader.ref_name(one) == name]
        ref = named[0] if len(named) == 1 else Ref(text) if REFERENCE.fullmatch(text) else None
        spec = scope.spec(ref) if ref is not None else None
        if ref is None or spec is None:
            fields = (f"{one}.{field}" for one in workflow.nodes for field in scope.outputs(one) or ())
            told = (reader.ref_name(one) for one in deciding(targets))
            known = dict.fromkeys((*told, *workflow.inputs, *fields))
            raise UnknownFact(f'the workflow has no "{name}"{did_you_mean(name, known)}')
        value = next((one for one in spec.enum or (True, False) if reader.value(one, spec) == value), value)
        misfit = value_misfit(value, spec, null_fits=True)
        if misfit is not None:
            raise UnfitFact(f"{name}: {misfit}; give such a value")
        values[ref] = value
    return Facts(values, failing)


@dataclass(frozen=True)
class AskedFact:
    """A fact that somebody may be asked for.

    Args:
        name: by which `facts_from` takes it.
        words: what it is called.
        kind: `choice` of the values that there are, a `number`, or `text`.
        values: those of a choice; of others the values that conditions name: each with its word.
        unit: of a number.
        may_be_null: whether it may be said that there is none.
    """

    name: str
    words: str
    kind: Literal["choice", "number", "text"]
    values: tuple[tuple[JsonValue, str], ...]
    unit: str | None
    may_be_null: bool


def asked_facts(tested: Tested) -> tuple[AskedFact, ...]:
    """All that is read before a run ends, in the order in which it comes to it; inputs stand first."""
    plain, reader = PlainValues(tested.targets, tested.language("case.other")), tested.teller.reader
    named = [reader.ref_name(ref) for ref in plain.refs]
    found = []
    for ref in plain.refs:
        spec = plain.spec(ref)
        if spec is None:
            continue
        closed: tuple[JsonValue, ...] = (True, False) if spec.type == "boolean" else spec.enum or ()
        number = spec.type in ("number", "integer")
        values = closed or (() if number else tuple(one for one in plain.values(ref) if one != plain.other))
        name = reader.ref_name(ref)
        found.append(AskedFact(
            name=ref.text,
            words=name if named.count(name) == 1 and ref.root == "inputs" else reader.ref_full(ref),
            kind="choice" if closed else "number" if number else "text",
            values=tuple((one, reader.value(one, spec)) for one in values if one is not None),
            unit=spec.unit, may_be_null=plain.may_be_null(ref),
        ))  # fmt: skip
    return tuple(found)


def entered(fact: AskedFact, text: str) -> JsonValue:
    """A value of a fact as it was entered in a form: of a choice and of a number its JSON, else the text.

    Raises:
        UnfitFact: it is no number, or none of the choices.

    >>> entered(AskedFact("$.inputs.n", "n", "number", (), "kg", False), "5.50")
    5.5
    """
    if fact.kind == "text":
        return text
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        value = None
    fits = isinstance(value, int | float) and not isinstance(value, bool)
    if fact.kind == "choice":
        fits = any(value == one and type(value) is type(one) for one, _ in fact.values)
    if not fits:
        wanted = "a number" if fact.kind == "number" else ", ".join(word for _, word in fact.values)
        raise UnfitFact(f"{fact.words}: found {text!r}, expected {wanted}; give such a value, or leave it out")
    return value
