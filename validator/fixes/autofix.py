"""Applies the fixes that findings carry, one by one, and keeps those that do what they say."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from ir.diagnostics import Diagnostic, Fix, Severity
from validator.fixes.json_patch import PatchError, apply_patch

MOST = 500
"""Fixes that are applied at most, should each bring about the need for another."""


@dataclass(frozen=True)
class State:
    """A value and what is wrong with it.

    Args:
        readable: whether it could be read as a workflow.
    """

    value: JsonValue
    readable: bool
    found: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Applied:
    """A fix that was kept, with the finding that it resolves."""

    finding: Diagnostic
    fix: Fix


@dataclass(frozen=True)
class Refused:
    """A fix that was not kept, and why."""

    finding: Diagnostic
    fix: Fix
    why: str


@dataclass(frozen=True)
class Autofixed:
    """What became of a value.

    Args:
        applied: in the order in which they were.
        refused: fixes of findings that remain.
    """

    state: State
    applied: tuple[Applied, ...]
    refused: tuple[Refused, ...]


def autofix(state: State, check: Callable[[JsonValue], State], wanted: Callable[[Diagnostic], bool]) -> Autofixed:
    """Apply the fixes of the wanted findings in turn.

    A fix is kept if it applies, its own finding goes, no other comes that is as grave, what was readable stays so, and
    no node that edges led to becomes one with which every run starts. So no fixes undo each other without end.
    Each is tried on the value as the ones before have left it; those refused are tried again when others were kept.
    """
    applied: list[Applied] = []
    refused: tuple[Refused, ...] = ()
    while len(applied) < MOST:
        state, kept, refused = _round(state, check, wanted)
        applied += kept
        if not kept:
            break
    return Autofixed(state, tuple(applied), refused)


def apply_fix(value: JsonValue, fix: Fix) -> JsonValue:
    """The value after a fix.

    Raises:
        PatchError: the fix does not apply.

    >>> apply_fix({"a": 1, "b": 2}, Fix(title="", patch=({"op": "replace", "path": "/a", "value": 3},)))
    {'a': 3, 'b': 2}
    """
    return apply_patch(value, fix.patch)


def _round(
    state: State, check: Callable[[JsonValue], State], wanted: Callable[[Diagnostic], bool]
) -> tuple[State, list[Applied], tuple[Refused, ...]]:
    """Try every fix once."""
    kept: list[Applied] = []
    refused: dict[str, Refused] = {}
    while len(kept) < MOST:
        finding, fix = next(_untried(state.found, wanted, refused), (None, None))
        if finding is None or fix is None:
            break
        tried = _tried(state, finding, fix, check)
        if isinstance(tried, State):
            state = tried
            kept.append(Applied(finding, fix))
        else:
            refused[_name(finding, fix)] = Refused(finding, fix, tried)
    return state, kept, tuple(refused.values())


def _untried(
    found: Iterable[Diagnostic], wanted: Callable[[Diagnostic], bool], refused: dict[str, Refused]
) -> Iterator[tuple[Diagnostic, Fix]]:
    for finding in found:
        for fix in finding.fixes if wanted(finding) else ():
            if _name(finding, fix) not in refused:
                yield finding, fix


def _tried(state: State, finding: Diagnostic, fix: Fix, check: Callable[[JsonValue], State]) -> State | str:
    """The state that a fix leads to, or why it is not kept."""
    try:
        after = check(apply_fix(state.value, fix))
    except PatchError as error:
        return f"it does not apply: {error}"
    if state.readable and not after.readable:
        return "the workflow could not be read any more"
    if _counts(after.found)[_key(finding)] >= _counts(state.found)[_key(finding)]:
        return "the finding would remain"
    started = _starts(after.value) & _nodes(state.value) - _starts(state.value)
    if started and _starts(state.value):
        return f"nothing would lead to {', '.join(sorted(started))} any more, and every run would start there as well"
    if state.readable or not after.readable:
        new = _counts(_as_grave(after.found, finding)) - _counts(_as_grave(state.found, finding))
        if new:
            codes = ", ".join(dict.fromkeys(code for code, *_ in new))
            return f"it would bring {codes}"
    return after


def _nodes(value: JsonValue) -> set[str]:
    nodes = value.get("nodes") if isinstance(value, dict) else None
    return set(nodes) if isinstance(nodes, dict) else set()


def _starts(value: JsonValue) -> set[str]:
    """The nodes to which no edge leads from another."""
    edges = value.get("edges") if isinstance(value, dict) else None
    given = [edge for edge in edges if isinstance(edge, dict)] if isinstance(edges, list) else []
    ends = [(edge.get("from"), edge.get("to")) for edge in given if edge.get("from") != edge.get("to")]
    return _nodes(value) - {target for _, target in ends if isinstance(target, str)}


def _as_grave(found: Iterable[Diagnostic], finding: Diagnostic) -> list[Diagnostic]:
    """What is no less grave than a finding."""
    graver = tuple(Severity)[: tuple(Severity).index(finding.severity) + 1]
    return [one for one in found if one.severity in graver]


def _key(finding: Diagnostic) -> tuple[str, ...]:
    """What tells a finding from others before and after a change; pointers shift, and messages count."""
    place = finding.location
    return finding.error_code, place.node or "", place.edge or "", place.field or ""


def _counts(found: Iterable[Diagnostic]) -> Counter[tuple[str, ...]]:
    return Counter(_key(one) for one in found)


def _name(finding: Diagnostic, fix: Fix) -> str:
    return json.dumps([_key(finding), fix.patch])
