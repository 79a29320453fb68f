"""What became of a text that states a computation: its draft is run on the cases, and knows nothing of their values."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import JsonValue
from rapidfuzz import fuzz

from compiler.text.lexicon import lexicon
from evals.formulas.texts import Case, FormulaText
from ir.duration import duration_length
from ir.fields import FieldSpec
from ir.formula import expression_references
from ir.predicate import Ref, references
from ir.quantities.units import convert, find_quantities
from ir.walk import Outcome, Ready, Run, rules_outcome, start
from ir.workflow import CONTROL_COMPUTE, HUMAN_APPROVAL, HUMAN_INPUT, Workflow

Fate = Literal["right", "asked", "no value", "wrong"]
FATES: tuple[Fate, ...] = get_args(Fate)
_NEGATION = re.compile(r"未|不|没有|\b(?:not|no|never|without)\b", re.IGNORECASE)
_TAKEN = ("least", "below_zero", "working_days", "zero_divisor")
ALIKE = 60.0
"""From which likeness of names on, of 100, an input of a draft may be one of the text's."""


@dataclass(frozen=True)
class Judgement:
    """What became of a text, and why it is not right."""

    text: FormulaText
    fate: Fate
    why: str = ""


def judge(text: FormulaText, workflows: Sequence[Workflow]) -> Judgement:
    """Right where each case gives its value, and none where the text leaves it open; asked where nothing is computed.

    What is wrong, and of which a question says what is taken, is asked. No value: something is computed, and comes to
    nothing in a case, or an input of the text has no place, or more is read than the text knows of.
    """
    found = [(one, field) for one in workflows for field in _computed(one, text)]
    if not found:
        return Judgement(text, "right" if text.missing else "asked", "nothing computes it")
    workflow, (node, name) = found[-1]
    spec = workflow.rule_packs[node].outputs[name]
    bound, left = _bound(text, workflow)
    left += [name for name in _read(workflow) if f"inputs.{name}" not in bound]
    fates: list[tuple[Fate, str]] = []
    for case in text.cases:
        value = _value(workflow, node, name, bound, case, text)
        said = f"{dict(case.inputs)} gives {value}, not {case.value}"
        if case.value is None:
            if value is not None:
                fates.append(("wrong", f"{said}, since the text does not say: {text.missing}"))
        elif value is None and not text.missing:
            fates.append(("no value", f"{said}; no place for {', '.join(left)}" if left else said))
        elif value is not None and not _same(value, case.value, spec, text.unit):
            fates.append(("no value" if left else "wrong", f"{said}; no place for {', '.join(left)}" if left else said))
    if _asked_what_is_taken(workflow, spec.description or name):
        fates = [("asked" if fate == "wrong" else fate, said) for fate, said in fates]
    worst = max(fates, key=lambda one: FATES.index(one[0]), default=("right", ""))
    return Judgement(text, worst[0], worst[1])


def _asked_what_is_taken(workflow: Workflow, name: str) -> bool:
    """Whether a question says of a result what is taken that no words say: a border, days, a divisor of zero."""
    tables = (lexicon(language).table("questions") for language in ("en", "zh"))
    asked = {str(table[kind]).format(words=name) for table in tables for kind in _TAKEN}
    return any(gap.question in asked for gap in workflow.gaps)


def _computed(workflow: Workflow, text: FormulaText) -> Iterator[tuple[str, str]]:
    """The field that is the result of the text: of all that are computed the one most alike to its name."""
    fields = {
        (node, name): max(_alike(text.result, name), _alike(text.result, spec.description or ""))
        for node, pack in workflow.rule_packs.items()
        if workflow.nodes.get(node) is not None and workflow.nodes[node].type == CONTROL_COMPUTE
        for name, spec in pack.outputs.items()
    }
    best = max(fields.values(), default=0.0)
    yield from (field for field, score in fields.items() if score == best >= ALIKE)


def _bound(text: FormulaText, workflow: Workflow) -> tuple[dict[str, tuple[str, FieldSpec]], list[str]]:
    """By field of the draft, an input or one that a person is asked for, the text's input; and inputs without one."""
    fields: dict[str, FieldSpec] = {f"inputs.{name}": spec for name, spec in workflow.inputs.items()}
    for node in workflow.nodes.values():
        fields |= {f"asked.{name}": spec for name, spec in (node.requested_fields or {}).items()}
    scores = {
        (key, name): (max(_alike(given.words, key.partition(".")[2]), _alike(given.words, spec.description or ""),
                          _alike(name, key.partition(".")[2])), fuzz.ratio(given.words, spec.description or key))
        for key, spec in fields.items()
        for name, given in text.inputs.items()
    }  # fmt: skip
    found: dict[str, tuple[str, FieldSpec]] = {}
    for (key, name), score in sorted(scores.items(), key=lambda one: one[1], reverse=True):
        if score[0] >= ALIKE and key not in found and name not in {one for one, _ in found.values()}:
            found[key] = (name, fields[key])
    rest = [key for key in fields if key not in found]
    left = [name for name in text.inputs if name not in {one for one, _ in found.values()}]
    if len(rest) == len(left) == 1:
        found[rest[0]] = (left.pop(), fields[rest[0]])
    return found, left


def _read(workflow: Workflow) -> Iterator[str]:
    """The inputs that rows compute with."""
    read: dict[Ref, None] = {}
    for pack in workflow.rule_packs.values():
        for rule in pack.rules:
            read |= dict.fromkeys(references(rule.condition))
            read |= dict.fromkeys(ref for one in rule.formulas.values() for ref in expression_references(one.formula))
    yield from (ref.path[0] for ref in read if ref.root == "inputs")


def _alike(one: str, other: str) -> float:
    return fuzz.token_set_ratio(one.replace("_", " ").lower(), other.replace("_", " ").lower()) if other else 0.0


def _value(
    workflow: Workflow,
    node: str,
    name: str,
    bound: Mapping[str, tuple[str, FieldSpec]],
    case: Case,
    text: FormulaText,
) -> JsonValue:
    """What a run on a case computes; people do all that they are asked, and say what the case says."""
    known = {key: (case.inputs.get(of), text.inputs[of], spec) for key, (of, spec) in bound.items()}
    given = {key: _given(value, said.words, said.unit, spec) for key, (value, said, spec) in known.items()}
    inputs = {key.partition(".")[2]: value for key, value in given.items() if key.startswith("inputs.")}
    answers = {key.partition(".")[2]: value for key, value in given.items() if key.startswith("asked.")}
    run = start(workflow, {key: value for key, value in inputs.items() if value is not None})
    found: JsonValue = None
    while run.ready:
        ready = run.ready[0]
        outcome = _outcome(run, ready, answers)
        if outcome is None:
            break
        if ready.node == node and outcome.output is not None:
            found = outcome.output.get(name)
        run = run.take(ready.node, outcome)
    return found


def _outcome(run: Run, ready: Ready, answers: Mapping[str, JsonValue]) -> Outcome | None:
    node = run.workflow.nodes[ready.node]
    if ready.performer == "rules":
        return rules_outcome(run, ready)
    if ready.performer == "nobody":
        return Outcome()
    if ready.performer != "person":
        return Outcome() if ready.performer == "system" else None
    if node.type == HUMAN_APPROVAL:
        return Outcome(output={"approved": True, "comment": None}, answered_by="somebody")
    if node.type == HUMAN_INPUT:
        fields = node.requested_fields or {}
        return Outcome(output={name: answers.get(name) for name in fields}, answered_by="somebody")
    return Outcome(output={"outcome": (node.outcomes or ("done",))[0], "comment": None}, answered_by="somebody")


def _denied(words: str) -> bool:
    return bool(_NEGATION.search(words))


def _given(value: JsonValue, words: str, unit: str | None, spec: FieldSpec) -> JsonValue:
    """A value of the text as one of the draft's: in its unit, and turned where it asks for the opposite."""
    if isinstance(value, bool) and spec.type in ("integer", "number"):  # how many there are, of what is there or not
        return int(value)
    if isinstance(value, bool) and spec.type == "boolean":
        return value is (_denied(words) == _denied(spec.description or ""))
    if isinstance(value, bool) and spec.enum and len(spec.enum) == 2:  # whether it is the one kind or the other
        one, other = sorted(spec.enum, key=lambda kind: fuzz.ratio(words, str(kind)), reverse=True)
        return one if value else other
    if isinstance(value, int | float) and not isinstance(value, bool) and unit and spec.unit and unit != spec.unit:
        measured = next((one for one in find_quantities(f"{value}{unit}") if one.start == 0), None)
        changed = convert(measured.value, measured.unit.id, spec.unit) if measured else convert(value, unit, spec.unit)
        return value if changed is None else changed
    return value


def _same(found: JsonValue, wanted: JsonValue, spec: FieldSpec, unit: str | None) -> bool:
    if isinstance(found, str) and isinstance(wanted, int | float) and (length := duration_length(found)) is not None:
        found, unit = length[0] / (86400 if length[1] == "clock" else 1), None
    if isinstance(found, int | float) and isinstance(wanted, int | float) and not isinstance(found, bool):
        changed = convert(float(found), spec.unit, unit) if spec.unit and unit and spec.unit != unit else None
        value = float(found) if changed is None else changed
        return math.isclose(value, float(wanted), rel_tol=1e-6, abs_tol=1e-6)
    return str(found) == str(wanted)
