"""What became of a sentence: right, asked, opaque, lost or wrong; told from the draft by walking it over every border.

Nothing of the reader is used: fields are taken for variables by type, unit and words (`binding`), runs are walks of the
specification (`ir.walk`), and what people and systems answer in them is free. Comparisons with numbers change their
truth only at their limits, so that the values at, just below and just above every limit of truth and draft, with every
value of the choices, are all the runs that there are.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from pydantic import JsonValue
from rapidfuzz import fuzz

from evals.meaning.binding import OTHER, Binding, bindings, conditions_of, fields_of
from evals.meaning.grammar import Case, Sentence
from evals.meaning.truth import Value
from ir.duration import duration_length
from ir.predicate import Always, Compare, Literally, Otherwise, Ref, evaluate, leaves, references
from ir.procedure import Gap
from ir.walk import Outcome, Walk, walk
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, Node, Workflow

Fate = Literal["right", "asked", "opaque", "lost", "wrong"]
FATES: tuple[Fate, ...] = ("right", "asked", "opaque", "lost", "wrong")
_MOST_RUNS = 96
"""Combinations of what people answer that are tried for one setting of the variables."""
_NO_QUESTIONS = frozenset({"unmapped_step"})
"""Kinds of gaps that ask for something else than what the words mean."""


@dataclass(frozen=True)
class Judgement:
    """What became of a sentence, and what shows it."""

    sentence: Sentence
    fate: Fate
    why: str


def judge(sentence: Sentence, workflows: Sequence[Workflow]) -> Judgement:
    """Hold what was drafted for a sentence against its truth.

    Args:
        workflows: the drafts of the document that says this sentence and nothing else.
    """
    if not workflows:
        return Judgement(sentence, "lost", "no draft")
    if len(workflows) > 1:
        return Judgement(sentence, "wrong", "several drafts of one sentence")
    workflow = workflows[0]
    faults = min((_faults(sentence, workflow, way) for way in bindings(sentence, workflow)), key=len)
    if not faults:
        return Judgement(sentence, "right", "")
    why = faults[0].why
    asked = [g for g in workflow.gaps if g.kind not in _NO_QUESTIONS and _quotes(g, sentence.deciding)]
    definite = [fault for fault in faults if fault.definite]
    if asked and (not definite or all(_said(asked, words) for words in sentence.deciding)):
        return Judgement(sentence, "asked", why)
    if definite:
        return Judgement(sentence, "wrong", definite[0].why)
    if (hidden := _unexplained(workflow, sentence)) is not None:
        return Judgement(sentence, "opaque", f"{hidden} decides, and nobody is told; {why}")
    return Judgement(sentence, "lost", why)


@dataclass(frozen=True)
class _Fault:
    """Something that the draft does not do as the truth has it; `definite` where the draft says otherwise."""

    why: str
    definite: bool


def _quotes(gap: Gap, deciding: Iterable[str]) -> bool:
    return any(_said([gap], words) for words in deciding)


def _said(gaps: Iterable[Gap], words: str) -> bool:
    """Whether gaps show words, or quote the better part of them."""
    quotes = [e.quote.lower() for gap in gaps for e in gap.evidence]
    shown = any(words.lower() in text for text in (*quotes, *(gap.question.lower() for gap in gaps)))
    return shown or any(quote in words.lower() and 2 * len(quote) > len(words) for quote in quotes)


def _unexplained(workflow: Workflow, sentence: Sentence) -> str | None:
    """A yes/no field that decides without a gap that shows its words."""
    read = {ref.text for condition in conditions_of(workflow) for ref in references(condition)}
    for found in fields_of(workflow):
        if found.spec.type != "boolean" or found.ref.text not in read:
            continue
        shown = any(w and any(w in g.question or w in e.quote for e in g.evidence) for g in workflow.gaps
                    for w in found.words)  # fmt: skip
        if not shown:
            return found.ref.text
    return None


# --- cases ------------------------------------------------------------------------------------------------------------


def _faults(sentence: Sentence, workflow: Workflow, binding: Binding) -> list[_Fault]:
    nodes = {act: _node_of(words, sentence, workflow) for act, words in sentence.acts.items()}
    faults = [*_deadlines(sentence, workflow, nodes), *_orders(sentence, workflow, binding, nodes)]
    for case in sentence.cases:
        fault = _case_fault(sentence, workflow, binding, nodes, case)
        if fault is not None:
            faults.append(fault)
    return faults


def _case_fault(
    sentence: Sentence, workflow: Workflow, binding: Binding, nodes: Mapping[str, str | None], case: Case
) -> _Fault | None:
    needed = [name for name in sentence.variables if name in case.truth.names or name in _all_names(sentence)]
    missing = [
        name for name in needed if sentence.variables[name].type != "outcome" and name not in binding.bound
    ]  # fmt: skip
    guarded = bool(workflow.guards) and not any(node.step_ids for node in workflow.nodes.values())
    lost = [act for act in (*case.done, *case.not_done) if nodes[act] is None and not guarded]
    for setting in _settings(sentence, workflow, binding):
        values: dict[str, Value] = {**sentence.slots, **setting}
        if not case.truth.holds(values):
            continue
        runs = list(_runs(sentence, workflow, binding, setting, nodes))
        why = _broken(case, runs, nodes, guarded=guarded)
        if why is not None:
            shown = ", ".join(f"{k}={v}" for k, v in setting.items())
            return _Fault(f"{case.when}: {why} ({shown})", not missing and not lost and _reads(workflow, binding))
    if lost:
        return _Fault(f"{case.when}: no node for {', '.join(lost)}", definite=False)
    if missing and _all_names(sentence):
        return _Fault(f"{case.when}: nothing stands for {', '.join(missing)}", definite=False)
    return None


def _all_names(sentence: Sentence) -> frozenset[str]:
    return frozenset(name for case in sentence.cases for name in case.truth.names)


def _reads(workflow: Workflow, binding: Binding) -> bool:
    """Whether the draft decides anything by the fields that stand for the variables, or by how an act came out."""
    read = {ref.text for condition in conditions_of(workflow) for ref in references(condition)}
    return not binding.bound or any(ref in read for bound in binding.bound.values() for ref in bound.fields)


def _broken(case: Case, runs: Sequence[Walk], nodes: Mapping[str, str | None], *, guarded: bool) -> str | None:
    """What the runs of one setting do that the case forbids.

    Args:
        guarded: acts without a node are what the whole workflow is about, and its guards say when.
    """
    through = [run for run in runs if run.result.status == "completed"]
    if case.stopped is True and through:
        return "goes through"
    if case.stopped is False and not through:
        return f"is stopped ({', '.join(sorted({run.result.status for run in runs}))})"
    if guarded and any(nodes[act] is None for act in case.done) and not through:
        return "is stopped"
    if guarded and any(nodes[act] is None for act in case.not_done) and through:
        return "goes through"
    for act in case.done:
        node = nodes[act]
        if node is not None and not any(node in run.path for run in runs):
            return f"{act} is not done"
        if node is not None and any(
            node not in run.path for run in runs if run.result.status in ("completed", "returned")
        ):
            return f"{act} can be left out"
    for act in case.not_done:
        if nodes[act] is not None and any(nodes[act] in run.path for run in runs):
            return f"{act} is done"
    return None


# --- runs -------------------------------------------------------------------------------------------------------------


def _settings(sentence: Sentence, workflow: Workflow, binding: Binding) -> Iterator[dict[str, Value]]:
    """Values for the variables: every border of truth and draft, every value of a choice and another one."""
    domains: dict[str, list[Value]] = {}
    for name, variable in sentence.variables.items():
        if variable.type == "number":
            domains[name] = _numbers(name, sentence, workflow, binding)
        elif variable.type == "choice":
            domains[name] = [*variable.values, OTHER]
        else:
            domains[name] = [True, False]
    names = list(domains)
    for combination in itertools.product(*domains.values()):
        yield dict(zip(names, combination, strict=True))


def _numbers(name: str, sentence: Sentence, workflow: Workflow, binding: Binding) -> list[Value]:
    limits: set[float] = set()
    for case in sentence.cases:
        limits |= case.truth.limits(name, sentence.slots)
    limits |= {float(v) for v in sentence.slots.values() if isinstance(v, int | float)}
    whole = sentence.variables[name].unit is None
    found: set[float] = set()
    for limit in limits or {1.0}:
        step = 1.0 if whole else max(abs(limit) * 0.01, 0.01)
        found |= {limit - step, limit, limit + step, limit / 2, limit * 3}
    return [int(v) if v == int(v) else v for v in sorted(found) if not whole or v == int(v)]


def _runs(
    sentence: Sentence, workflow: Workflow, binding: Binding, setting: Mapping[str, Value],
    nodes: Mapping[str, str | None],
) -> Iterator[Walk]:  # fmt: skip
    """The runs of one setting: inputs that stand for no variable, and what nodes give, are free."""
    fixed: dict[str, JsonValue] = {}
    for name, bound in binding.bound.items():
        fixed |= {ref: value(setting[name]) for ref, value in bound.fields.items()}
    for name, variable in sentence.variables.items():
        node = nodes.get(variable.of or "")
        if variable.type == "outcome" and node is not None:
            fixed |= _outcome(workflow, node, bool(setting[name]))
    free = {ref: values for ref, values in _free(workflow).items() if ref not in fixed}
    combinations = list(itertools.islice(itertools.product(*free.values()), 4096))
    if len(combinations) > _MOST_RUNS:
        combinations = Random(0).sample(combinations, _MOST_RUNS)  # noqa: S311 - no secret
    for combination in combinations:
        values = {**fixed, **dict(zip(free, combination, strict=True))}
        yield _walk(workflow, values)


def _walk(workflow: Workflow, values: Mapping[str, JsonValue]) -> Walk:
    inputs: dict[str, JsonValue] = {}
    outputs: dict[str, dict[str, JsonValue]] = {name: {} for name in workflow.nodes}
    for text, value in values.items():
        ref = Ref(text)
        if ref.root == "inputs":
            inputs[ref.path[0]] = value
        elif ref.node in outputs:
            place = outputs[ref.node]
            for key in ref.path[1:-1]:
                place = place.setdefault(key, {})  # type: ignore[assignment]
            place[ref.path[-1]] = value
    for name, node in workflow.nodes.items():
        if node.rule_pack is not None and node.rule_pack in workflow.rule_packs:
            outputs[name] |= _ruled(workflow, node, inputs)
    records = {n: Outcome(output=o) for n, o in outputs.items() if workflow.nodes[n].type != CONTROL_END}
    return walk(workflow, inputs, records)


def _ruled(workflow: Workflow, node: Node, inputs: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What the first row of a node's rules that holds gives."""
    for rule in workflow.rule_packs[node.rule_pack or ""].rules:
        holds = isinstance(rule.condition, Always | Otherwise) or evaluate(
            rule.condition, lambda ref: inputs.get(ref.path[0]) if ref.root == "inputs" else None
        )
        if holds:
            return dict(rule.outcome)
    return {}


def _free(workflow: Workflow) -> dict[str, list[JsonValue]]:
    """Values for every reference that a condition reads: those it is compared with and another."""
    found: dict[str, list[JsonValue]] = {}
    specs = {f.ref.text: f.spec for f in fields_of(workflow)}
    for condition in conditions_of(workflow):
        for ref in references(condition):
            found.setdefault(ref.text, [])
        for leaf in leaves(condition):
            if isinstance(leaf, Compare) and isinstance(leaf.left, Ref) and isinstance(leaf.right, Literally):
                found[leaf.left.text] += _around(leaf.right.value)
    for text, values in found.items():
        spec = specs.get(text)
        if spec is not None and spec.enum:
            values += [v for v in spec.enum if v is not None]
        ref = Ref(text)
        node = workflow.nodes.get(ref.node or "")
        if node is not None and node.outcomes and ref.path[-1] == "outcome":
            values += node.outcomes
        unique = list({repr(v): v for v in values}.values())
        found[text] = unique or [True, False]
    return found


def _around(value: JsonValue) -> list[JsonValue]:
    if isinstance(value, bool):
        return [True, False]
    if isinstance(value, int | float):
        return [value - 1, value, value + 1]
    return list(value) if isinstance(value, list) else [value]


def _outcome(workflow: Workflow, name: str, positive: bool) -> dict[str, JsonValue]:
    """What a node gives that comes out well, or badly."""
    node = workflow.nodes[name]
    if node.type == HUMAN_APPROVAL:
        return {f"$.outputs.{name}.approved": positive}
    if node.outcomes:
        return {f"$.outputs.{name}.outcome": node.outcomes[0] if positive else node.outcomes[-1]}
    read = {ref.text for c in conditions_of(workflow) for ref in references(c) if ref.node == name}
    return dict.fromkeys(read, positive)


# --- acts -------------------------------------------------------------------------------------------------------------


def _node_of(words: str, sentence: Sentence, workflow: Workflow) -> str | None:
    """The node that carries out an act: its quotes hold the act's words, and what it is called is nearest to them."""
    begin = sentence.text.find(words)
    scored: list[tuple[float, str]] = []
    for name, node in workflow.nodes.items():
        spans = [(e.start, e.end) for e in node.evidence if e.start is not None and e.end is not None]
        shared = max((min(end, begin + len(words)) - max(start, begin) for start, end in spans), default=0)
        if shared * 2 <= len(words):
            continue
        called = " ".join(filter(None, [node.label, node.instruction, node.question, node.assignee, node.actor,
                                        *(node.approvers or ())]))  # fmt: skip
        tightness = min((end - start for start, end in spans), default=1000)
        tightness += 500 if node.type == CONTROL_END else 0  # an end is the act where nothing else is (`is returned`)
        scored.append((fuzz.token_set_ratio(words, called) + fuzz.partial_ratio(words, called) - tightness * 0.2, name))
    return max(scored)[1] if scored else None


def _in_order(node: Node, first: str, second: str) -> bool:
    """Whether a person is told to do both, the one after the other."""
    told = node.instruction or node.question or ""
    return 0 <= told.find(first) < told.find(second)


def _deadlines(sentence: Sentence, workflow: Workflow, nodes: Mapping[str, str | None]) -> Iterator[_Fault]:
    for act, wanted in sentence.deadlines.items():
        name = nodes[act]
        deadline = workflow.nodes[name].deadline if name else None
        if deadline is None or deadline.duration is None:
            yield _Fault(f"{act}: no deadline, {wanted} in the text", definite=False)
        elif deadline.duration != wanted and duration_length(deadline.duration) != duration_length(wanted):
            yield _Fault(f"{act}: {deadline.duration}, {wanted} in the text", definite=True)


def _orders(
    sentence: Sentence, workflow: Workflow, binding: Binding, nodes: Mapping[str, str | None]
) -> Iterator[_Fault]:
    for before, after in sentence.order:
        first, second = nodes[before], nodes[after]
        if first is None or second is None:
            yield _Fault(f"no node for {before if first is None else after}", definite=False)
            continue
        if first == second and _in_order(workflow.nodes[first], sentence.acts[before], sentence.acts[after]):
            continue  # one actor does both, in this order
        if first == second:
            yield _Fault(f"{before} and {after} are one node", definite=False)
            continue
        for setting in _settings(sentence, workflow, binding):
            for run in _runs(sentence, workflow, binding, setting, nodes):
                if second in run.path and first not in run.path[: run.path.index(second)]:
                    yield _Fault(f"{after} without {before} before it", definite=True)
                    return
