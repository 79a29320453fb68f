"""The rules and dependencies of the set, and those that a procedure holds."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ir.errors import BadInputFile, MissingPath
from ir.predicate import Compare, Literally, Null, Ref, Tree, leaves
from ir.procedure import END, START, Fact, Flow, Procedure, Result

Relation = Literal["包含", "等于", "大于", "大于等于", "小于", "小于等于"]
Link = Literal["顺序关系", "选择关系", "并行关系"]
_RULE = re.compile(r"<\s*<\s*(.*?)\s*[,，]\s*(包含|等于|[大小]于(?:等于)?)\s*[,，]\s*(.*?)\s*>?\s*[,，]\s*(.*?)\s*>")
_OPENER = re.compile(r"^(?:如果|若|如|当|针对|对于|一旦)|(?:的|时|后|的话|之后)$")
_WRITTEN: dict[str, Relation] = {
    "eq": "等于", "in": "包含", "contains": "包含", "gt": "大于", "gte": "大于等于", "lt": "小于", "lte": "小于等于",
}  # fmt: skip
_TURNED: dict[str, str] = {"gt": "lt", "gte": "lte", "lt": "gt", "lte": "gte"}


@dataclass(frozen=True)
class Rule:
    """`<<variable, relation, value>, action>`.

    Args:
        action: what follows; empty where nothing does.
    """

    variable: str
    relation: Relation
    value: str
    action: str


@dataclass(frozen=True)
class RuleSet:
    """What a text says.

    Args:
        links: by pair of rules, as indexes, how the second hangs on the first.
    """

    rules: tuple[Rule, ...]
    links: Mapping[tuple[int, int], Link]


@dataclass(frozen=True)
class Account:
    """One text of the set with what it says."""

    id: str
    text: str
    gold: RuleSet


def read_accounts(path: Path) -> tuple[Account, ...]:
    """The texts of a file of the set, one a line.

    Raises:
        MissingPath: there is no such file.
        BadInputFile: a line is not of the form; the message names it.
    """
    if not path.is_file():
        raise MissingPath(f"{path}: there is no such file")
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            raw = json.loads(line)
            rules = tuple(_rules(raw["业务规则二元组"]))
            found.append(Account(f"t{number}", raw["文本"], RuleSet(rules, dict(_links(raw["依赖关系"], rules)))))
        except (ValueError, KeyError, TypeError) as error:
            raise BadInputFile(f"{path}: line {number} is not of the set's form: {error}") from None
    return tuple(found)


def _rules(text: str) -> Iterator[Rule]:
    for line in text.split("\n"):
        for variable, relation, value, action in _RULE.findall(line):
            yield Rule(variable, relation, value, "" if action == "None" else action)


def _links(text: str, rules: Sequence[Rule]) -> Iterator[tuple[tuple[int, int], Link]]:
    """The pairs that hang on each other; what the set calls no relation is none."""
    at = {(one.variable, one.value): n for n, one in enumerate(rules)}
    for line in text.split("\n"):
        kind = next((one for one in get_args(Link) if one in line), None)
        sides = [tuple(at.get((v, w), -1) for v, _, w, _ in _RULE.findall(_closed(side))) for side in line.split("->")]
        if kind is not None and len(sides) == 2 and all(len(side) == 1 and side[0] >= 0 for side in sides):
            yield (sides[0][0], sides[1][0]), kind


def _closed(side: str) -> str:
    """A rule whose inner bracket is missing, or closes at the end (`<<a, 等于, b, None>>`), in its usual form."""
    return re.sub(r"<\s*<([^<>]*?)[,，]\s*([^<>,，]*?)>>", r"<<\1>, \2>", side)


# --- of a draft -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Placed:
    """A rule of a draft with the flow that it stands on, or the steps between which an enumeration is told."""

    rule: Rule
    source: str
    target: str


def rules_of(procedures: Sequence[Procedure]) -> RuleSet:
    """The rules that drafts hold: each comparison on a flow with the step it leads to, each list of values with what
    is done next.

    One hangs on another where a run comes from the one to the other with no rule between: by a choice where the
    first is a value that was chosen, in parallel where both begin at one step on flows that are taken together, else in
    sequence.
    """
    rules: list[Rule] = []
    links: dict[tuple[int, int], Link] = {}
    for procedure in procedures:
        placed = list(dict.fromkeys((*_on_flows(procedure), *_listed(procedure))))
        begin = len(rules)
        rules += [one.rule for one in placed]
        for (i, j), kind in _hanging(procedure, placed):
            links[begin + i, begin + j] = kind
    return RuleSet(tuple(rules), links)


def _on_flows(procedure: Procedure) -> Iterator[_Placed]:
    texts = {step.id: step.text for step in procedure.steps}
    conditions = {one.id: one for one in procedure.conditions}
    for flow in procedure.flows:
        action = texts.get(flow.target, "")
        condition = conditions.get(flow.condition or "")
        if condition is None:
            if flow.condition == "otherwise" and flow.evidence:
                rule = Rule("", "等于", _OPENER.sub("", flow.evidence[0].quote), action)
                yield _Placed(rule, flow.source, flow.target)
            continue
        words = _OPENER.sub("", condition.text)
        told = list(_compared(procedure, condition.predicate)) if isinstance(condition.predicate, Tree) else []
        for variable, relation, value in told or [("", _WRITTEN["eq"], "")]:
            rule = Rule(variable, relation, value, action) if value else Rule("", relation, words, action)
            yield _Placed(rule, flow.source, flow.target)


def _compared(procedure: Procedure, tree: Tree) -> Iterator[tuple[str, Relation, str]]:
    """Variable, relation and value of each comparison; without value where the words of the condition say it all.

    So they do where something is so or not, and where a step came out in one way.
    """
    for leaf in leaves(tree):
        if isinstance(leaf, Null):
            yield _named(procedure, leaf.ref), "等于", ""
            continue
        if not isinstance(leaf, Compare) or leaf.op not in _WRITTEN:
            continue
        if isinstance(leaf.left, Ref):
            value = "" if leaf.left.root == "steps" else _said(procedure, leaf.right)
            yield _named(procedure, leaf.left), _WRITTEN[leaf.op], value
        elif isinstance(leaf.right, Ref):
            turned = _TURNED.get(leaf.op, leaf.op)
            yield _named(procedure, leaf.right), _WRITTEN[turned], _said(procedure, leaf.left)


def _named(procedure: Procedure, ref: Ref) -> str:
    named: dict[str, str] = {
        "facts": next((one.name for one in procedure.facts if one.id == ref.path[0]), ""),
        "results": next((one.name for one in procedure.results if one.id == ref.path[0]), ""),
        "steps": next((one.text for one in procedure.steps if one.id == ref.path[0]), ""),
    }
    return named.get(ref.root) or ref.path[0]


def _said(procedure: Procedure, operand: Ref | Literally) -> str:
    if isinstance(operand, Ref):
        return _named(procedure, operand)
    if operand.quote:
        return operand.quote
    value = operand.value
    if isinstance(value, bool):
        return ""
    return "、".join(map(str, value)) if isinstance(value, list) else str(value)


def _listed(procedure: Procedure) -> Iterator[_Placed]:
    """Lists of values: of a result after the step that gives it, of a fact where it is first told of."""
    texts = {step.id: step.text for step in procedure.steps}
    begins = {step.id: _place(step.evidence) for step in procedure.steps}
    in_order = sorted(begins, key=lambda name: begins[name])
    listed: tuple[Fact | Result, ...] = (*procedure.facts, *procedure.results)
    for one in listed:
        values = [str(value) for value in one.enum or () if value is not None]
        if len(values) < 2:
            continue
        giving = one.step if isinstance(one, Result) else None
        if giving is None:
            at = max((_place((each,)) for each in one.evidence), default=("", 0))
            giving = next((name for name in reversed(in_order) if begins[name] <= at), START)
        target = next((flow.target for flow in procedure.flows if flow.source == giving), END)
        yield _Placed(Rule(one.name, "包含", "、".join(values), texts.get(target, "")), giving, target)


def _place(evidence: Sequence[object]) -> tuple[str, int]:
    places = [(getattr(e, "block", None) or "", getattr(e, "start", None) or 0) for e in evidence]
    return min(places, default=("", 0))


def _hanging(procedure: Procedure, placed: Sequence[_Placed]) -> Iterator[tuple[tuple[int, int], Link]]:
    plain: dict[str, set[str]] = {}
    for flow in procedure.flows:
        plain.setdefault(flow.source, set()).add(flow.target)
    ruled = {(one.source, one.target) for one in placed}
    for i, first in enumerate(placed):
        reached = _without_rules(first.target, plain, ruled)
        for j, second in enumerate(placed):
            if i == j:
                continue
            if first.source == second.source and _together(procedure.flows, first, second) and i < j:
                yield (i, j), "并行关系"
            elif second.source in reached or (
                second.source == first.source and second.target == first.target and i < j
            ):
                chosen = first.rule.relation != "包含"
                yield (i, j), "选择关系" if chosen and second.source == first.target else "顺序关系"


def _without_rules(begin: str, plain: Mapping[str, set[str]], ruled: set[tuple[str, str]]) -> set[str]:
    """The steps to which a run comes with no rule on its way."""
    reached, waiting = {begin}, [begin]
    while waiting:
        name = waiting.pop()
        more = {target for target in plain.get(name, ()) if (name, target) not in ruled} - reached
        reached |= more
        waiting += more
    return reached


def _together(flows: Sequence[Flow], first: _Placed, second: _Placed) -> bool:
    kinds = {(flow.source, flow.target): flow.kind for flow in flows}
    return kinds.get((first.source, first.target)) == "parallel" == kinds.get((second.source, second.target))
