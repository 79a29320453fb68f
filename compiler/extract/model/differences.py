"""In which points two readings of a document differ: steps by the words they rest on, conditions by logic."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from compiler.grounding.coverage import carrying_elements
from ir.infix import to_infix
from ir.predicate import Compare, Literally, Ref, Tree, leaves, parse_tree, references, substitute
from ir.procedure import END, START, Element, Fact, Flow, Procedure, Result, Step
from ir.source import Evidence, Grounding
from validator.analysis.implication import Logic

Point = Literal["procedure", "step", "actor", "kind", "modality", "deadline", "way", "condition", "rule"]
DECIDING = frozenset({"approval", "check", "decision"})
_NAMED = 1000  # characters that one and the same name weighs as much as
_DEPUTY = re.compile(r"\b(?:deputy|vice|acting|assistant|associate|sub)\W*$|[副代][理]?$|助理$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|a|an|本|该)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Difference:
    """A point in which two readings differ.

    Args:
        sides: what each of the two says; empty where it says nothing.
        about: ids of the steps concerned in each of the two.
        evidence: the words that the two rest on.
    """

    point: Point
    sides: tuple[str, str]
    about: tuple[tuple[str, ...], tuple[str, ...]]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Compared:
    """Two readings of one procedure.

    Args:
        pairs: the steps of the first with those of the second that are the same.
    """

    first: Procedure
    second: Procedure
    pairs: Mapping[str, str]
    differences: tuple[Difference, ...]


def paired(first: Iterable[Procedure], second: Iterable[Procedure]) -> dict[str, str]:
    """Which procedures of two readings are the same, by the words that their elements rest on."""
    found = [
        (shared, one.id, other.id)
        for one, other in product(first, second)
        if (shared := _shared(carrying_elements(one), carrying_elements(other)))
    ]
    return _best(found)


def compared(first: Procedure, second: Procedure) -> Compared:
    """Two readings of one procedure, held against each other."""
    pairs = _pairs(first, second)
    found = [
        *_steps(first, second, pairs, swapped=False), *_steps(second, first, pairs, swapped=True),
        *_said(first, second, pairs), *_ways(first, second, pairs),
        *_rules(first, second, swapped=False), *_rules(second, first, swapped=True),
    ]  # fmt: skip
    return Compared(first, second, pairs, tuple(found))


def alone(procedure: Procedure, *, swapped: bool) -> Difference:
    """A procedure that one reading has and the other has not.

    Args:
        swapped: it is the second that has it.
    """
    elements = [*procedure.steps, *procedure.results, *procedure.constraints]
    evidence = tuple(e for one in elements[:3] for e in one.evidence[:1])
    rest = [*(one.name for one in procedure.results), *(one.text for one in procedure.constraints)]
    told = "; ".join([*(_act(step) for step in procedure.steps[:8]), *([] if procedure.steps else rest[:8])])
    ids = tuple(step.id for step in procedure.steps)
    return _difference("procedure", f"{procedure.title}: {told}", "", ids, (), evidence, swapped=swapped)


def _difference(
    point: Point, mine: str, other: str, ids: tuple[str, ...], others: tuple[str, ...],
    evidence: Iterable[Evidence], *, swapped: bool,
) -> Difference:  # fmt: skip
    words = tuple(dict.fromkeys(evidence))
    if swapped:
        return Difference(point, (other, mine), (others, ids), words)
    return Difference(point, (mine, other), (ids, others), words)


# --- which steps are the same -----------------------------------------------------------------------------------------


def _pairs(first: Procedure, second: Procedure) -> dict[str, str]:
    """Steps that rest on the same words, those with more of them in common first; of several those of one kind."""
    found = []
    for one, other in product(first.steps, second.steps):
        shared = _shared([one], [other])
        if shared:
            alike = (one.kind == other.kind) + (_name(one.actor) == _name(other.actor))
            found.append((4 * shared + alike, one.id, other.id))
    return _best(found)


def _best(scored: Iterable[tuple[int, str, str]]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    taken = set[str]()
    for _, one, other in sorted(scored, key=lambda each: -each[0]):
        if one not in pairs and other not in taken:
            pairs[one] = other
            taken.add(other)
    return pairs


def _shared(mine: Iterable[Element], others: Iterable[Element]) -> int:
    """How many characters both rest on."""
    theirs: dict[str, list[tuple[int, int]]] = {}
    for element in others:
        for block, start, end in _spans(element):
            theirs.setdefault(block, []).append((start, end))
    return sum(
        max(0, min(end, to) - max(start, begin))
        for element in mine
        for block, start, end in _spans(element)
        for begin, to in theirs.get(block, ())
    )


def _spans(element: Element) -> Iterator[tuple[str, int, int]]:
    for one in element.evidence:
        if one.block is not None and one.start is not None and one.end is not None:
            yield one.block, one.start, one.end
        elif one.status is Grounding.AMBIGUOUS:
            yield f"\0{one.quote}", 0, len(one.quote)


# --- steps ------------------------------------------------------------------------------------------------------------


def _steps(mine: Procedure, other: Procedure, pairs: Mapping[str, str], *, swapped: bool) -> Iterator[Difference]:
    """Steps that only one of the two has, unless another step of the other rests on their words, too."""
    same = {*pairs.values()} if swapped else {*pairs}
    for step in mine.steps:
        if step.id in same or _shared([step], other.steps):
            continue
        rule = next((rule for rule in other.constraints if _shared([step], [rule])), None)
        yield _difference(
            "step", _act(step), rule.text if rule else "", (step.id,), (), step.evidence[:1], swapped=swapped
        )


def _said(first: Procedure, second: Procedure, pairs: Mapping[str, str]) -> Iterator[Difference]:
    """What the two say of a step that both have."""
    for own, theirs in pairs.items():
        one, other = first.step(own), second.step(theirs)
        evidence = (*one.evidence[:1], *other.evidence[:1])
        said: list[tuple[Point, str, str]] = []
        if other_person(one.actor, other.actor):
            said.append(("actor", one.actor or "", other.actor or ""))
        if one.kind != other.kind and {one.kind, other.kind} & DECIDING:
            said.append(("kind", one.kind, other.kind))
        if one.modality != other.modality:
            said.append(("modality", one.modality, other.modality))
        lengths = [step.deadline.duration if step.deadline else "" for step in (one, other)]
        if lengths[0] != lengths[1]:
            said.append(("deadline", *lengths))  # type: ignore[arg-type]
        for point, mine, its in said:
            sides = f"{_act(one)}: {mine or '-'}", f"{_act(other)}: {its or '-'}"
            yield Difference(point, sides, ((own,), (theirs,)), tuple(dict.fromkeys(evidence)))


def other_person(one: str | None, other: str | None) -> bool:
    """Whether two names are of different people: neither is the end of the other, or that is somebody's deputy."""
    mine, its = sorted((_name(one), _name(other)), key=len)
    if not mine or mine == its:
        return mine != its
    front = its.removesuffix(mine)
    whole = not mine[0].isascii() or front.endswith(" ")
    return front == its or not whole or _DEPUTY.search(front) is not None


def _name(actor: str | None) -> str:
    return _ARTICLE.sub("", (actor or "").strip().lower())


def _act(step: Step) -> str:
    return f"{step.actor}: {step.text}" if step.actor else step.text


# --- ways -------------------------------------------------------------------------------------------------------------


def _ways(first: Procedure, second: Procedure, pairs: Mapping[str, str]) -> Iterator[Difference]:
    """Where a run can go on after a step that both have, and on what condition, past steps that only one has."""
    back = {theirs: own for own, theirs in pairs.items()} | {START: START}
    logic = Logic({fact.id: fact for fact in first.facts}.get, {step.id: step.outcomes for step in first.steps}.get)  # type: ignore[arg-type]
    for own, theirs in ({START: START} | dict(pairs)).items():
        mine = _leading(first, own, {*pairs})
        its = {back.get(target, target): flow for target, flow in _leading(second, theirs, {*pairs.values()}).items()}
        evidence = [*_quotes(first, own), *_quotes(second, theirs)]
        about = (tuple({own} - {START}), tuple({theirs} - {START}))
        if mine.keys() != its.keys():
            told = [_told(first, own, only) for only in (mine.keys() - its.keys(), its.keys() - mine.keys())]
            words = (e for flow in (*mine.values(), *its.values()) if flow for e in flow.evidence[:1])
            yield Difference("way", (told[0], told[1]), about, tuple(dict.fromkeys((*evidence, *words)))[:6])
        for target in (name for name in mine if name in its):
            one, other = mine[target], its[target]
            if one is not None and other is not None and _differ(first, one, second, other, back, logic):
                sides = tuple(
                    f"{_told(first, own, [target])}: {_when(p, f)}" for p, f in ((first, one), (second, other))
                )
                yield Difference("condition", sides, about, tuple(dict.fromkeys((*one.evidence, *other.evidence)))[:6])  # type: ignore[arg-type]


def _leading(procedure: Procedure, source: str, known: set[str]) -> dict[str, Flow | None]:
    """The steps of `known`, or ends, that flows lead to; with the flow where one alone leads there directly."""
    found: dict[str, Flow | None] = {}
    seen, waiting = {source}, [(source, True)]
    while waiting:
        at, direct = waiting.pop()
        for flow in procedure.flows:
            if flow.source != at:
                continue
            if flow.target in known or flow.target == END:
                key = f"{END} {flow.ends or ''}".strip() if flow.target == END else flow.target
                found[key] = flow if direct and key not in found else None
            elif flow.target not in seen:
                seen.add(flow.target)
                waiting.append((flow.target, False))
    return found


def _told(procedure: Procedure, source: str, targets: Iterable[str]) -> str:
    acts = {step.id: _act(step) for step in procedure.steps}
    led = ", ".join(sorted(acts.get(target, target) for target in targets))
    return f"{acts.get(source, source)} → {led}" if led else ""


def _when(procedure: Procedure, flow: Flow) -> str:
    tree = _tree(procedure, flow)
    words = next((c.text for c in procedure.conditions if c.id == flow.condition), flow.condition or "-")
    return f"{words} ({to_infix(tree)})" if tree is not None else words


def _tree(procedure: Procedure, flow: Flow) -> Tree | None:
    own = next((c for c in procedure.conditions if c.id == flow.condition), None)
    return parse_tree(own.predicate) if own is not None and own.predicate is not None else None


def _differ(
    first: Procedure, one: Flow, second: Procedure, other: Flow, back: Mapping[str, str], logic: Logic
) -> bool:  # fmt: skip
    """Whether two flows between the same steps are taken in other cases, as far as that can be told.

    `otherwise` is what its siblings leave; they are compared.
    """
    if "otherwise" in (one.condition, other.condition):
        return False
    if one.condition is None or other.condition is None:
        return one.condition is not other.condition
    mine, its = _tree(first, one), _tree(second, other)
    if mine is None and its is None:
        return not _shared(_stated(first, one), _stated(second, other))
    if mine is None or its is None:
        return True
    names = _names(first, second, back)
    if all(ref.text in names for ref in references(its)):
        its = substitute(its, lambda ref: Ref(names[ref.text]))
        return not (logic.implies(mine, its) and logic.implies(its, mine))
    return _values(mine) != _values(its) or not _shared([one], [other])


def _stated(procedure: Procedure, flow: Flow) -> list[Element]:
    return [one for one in procedure.conditions if one.id == flow.condition]


def _names(first: Procedure, second: Procedure, back: Mapping[str, str]) -> dict[str, str]:
    """What the second calls what the first has: facts and results by words and name, outcomes by their steps."""
    names = {f"$.steps.{theirs}.outcome": f"$.steps.{own}.outcome" for theirs, own in back.items()}
    known = (("facts", first.facts, second.facts), ("results", first.results, second.results))
    for root, mine, its in known:
        for theirs, own in _best(_alike(mine, its)).items():
            names[f"$.{root}.{theirs}"] = f"$.{root}.{own}"
    return names


def _alike(mine: Sequence[Fact | Result], its: Sequence[Fact | Result]) -> Iterator[tuple[int, str, str]]:
    for one, other in product(mine, its):
        named = _NAMED * (one.name == other.name or one.id == other.id)
        if score := _shared([one], [other]) + named:
            yield score, other.id, one.id


def _values(tree: Tree) -> list[str]:
    sides = (side for leaf in leaves(tree) if isinstance(leaf, Compare) for side in (leaf.left, leaf.right))
    ops = (leaf.op for leaf in leaves(tree) if isinstance(leaf, Compare))
    return sorted([*(repr(side.value) for side in sides if isinstance(side, Literally)), *ops])


def _quotes(procedure: Procedure, step: str) -> Iterator[Evidence]:
    return (e for one in procedure.steps if one.id == step for e in one.evidence[:1])


# --- rules ------------------------------------------------------------------------------------------------------------


def _rules(mine: Procedure, other: Procedure, *, swapped: bool) -> Iterator[Difference]:
    """Prohibitions that only one of the two has: nothing of the other rests on their words."""
    held: list[Element] = [*carrying_elements(other), *other.gaps]
    for rule in mine.constraints:
        if rule.modality == "must_not" and not _shared([rule], held):
            yield _difference("rule", rule.text, "", (), (), rule.evidence[:1], swapped=swapped)


def agreed(result: Compared) -> tuple[str, ...]:
    """The ids of the first reading's steps on which both agree in all points."""
    doubtful = {name for one in result.differences for name in one.about[0]}
    return tuple(name for name in result.pairs if name not in doubtful)
