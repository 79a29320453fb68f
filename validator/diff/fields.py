"""Field by field: what in two JSON forms of one thing is not equal."""

from collections.abc import Callable, Hashable, Iterator, Sequence

from pydantic import JsonValue

from ir.base import canonical_json
from ir.predicate import ConditionError, parse_condition
from validator.analysis.wording import condition_words
from validator.diff.changes import Change, Part

Json = dict[str, JsonValue]
EVIDENCE, ORIGINS = "evidence", "condition.literals"
"""Aspects: quotes, and where the literals of a condition come from whose text did not change."""
_WHOLE = ("inputs.", "outputs.", "results.", "outcome.", "enum", "default")
"""Aspects below which nothing is told apart: operands and values."""


def fields(part: Part, name: str, old: Json, new: Json, *, below: str = "") -> Iterator[Change]:
    """What changed in one thing, each field on its own; evidence quote by quote.

    Args:
        below: the aspect that these two are, with a dot.
    """
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        aspect = below + key
        if equal(before, after):
            continue
        if key == EVIDENCE:
            yield from _evidence(part, name, aspect, listed(before), listed(after))
        elif key == "condition":
            yield _condition(part, name, aspect, before, after)
        elif isinstance(before or after, dict) and not _is_whole(part, aspect):
            yield from fields(part, name, members(before), members(after), below=f"{aspect}.")
        else:
            yield Change(part=part, kind="changed", name=name, aspect=aspect, old=before, new=after)


def _is_whole(part: Part, aspect: str) -> bool:
    """Whether an aspect is an operand or a value, which is one thing however it is written."""
    formula = part == "rules" and is_formula(aspect)
    return formula or part == "outputs" or (part in ("steps", "rules") and aspect.startswith(_WHOLE))


def is_formula(aspect: str) -> bool:
    """Whether an aspect is how a row computes an output.

    >>> is_formula("formulas.fee.formula"), is_formula("formulas.fee.evidence")
    (True, False)
    """
    return aspect.startswith("formulas.") and aspect.endswith(".formula")


def _condition(part: Part, name: str, aspect: str, old: JsonValue, new: JsonValue) -> Change:
    """A condition whose text changed, or only where its literals come from."""
    texts = [_text(old), _text(new)]
    kept = aspect if texts[0] != texts[1] else f"{aspect}.literals"
    return Change(part=part, kind="changed", name=name, aspect=kept, old=old, new=new)


def _text(condition: JsonValue) -> str:
    try:
        return condition_words(parse_condition(condition))
    except ConditionError:
        return canonical_json(condition)


def _evidence(part: Part, name: str, aspect: str, old: list[JsonValue], new: list[JsonValue]) -> Iterator[Change]:
    """Quotes that came, went, or stand or count otherwise."""
    for before, after in paired(old, new, (canonical_json, lambda one: canonical_json(_quote(one)))):
        if not equal(before, after):
            yield entry(part, name, before, after, aspect=aspect)


def _quote(evidence: JsonValue) -> list[JsonValue]:
    one = members(evidence)
    return [one.get("doc_id"), one.get("quote")]


def entry(part: Part, name: str, old: JsonValue, new: JsonValue, *, aspect: str | None = None) -> Change:
    """Something that came, went or changed as a whole."""
    kind = "added" if old is None else "removed" if new is None else "changed"
    return Change(part=part, kind=kind, name=name, aspect=aspect, old=old, new=new)


def paired(
    old: Sequence[JsonValue], new: Sequence[JsonValue], keys: Sequence[Callable[[JsonValue], Hashable]]
) -> Iterator[tuple[JsonValue, JsonValue]]:
    """The items of two lists side by side, None where one has no counterpart.

    Args:
        keys: what counterparts have in common, from the surest down; of equals the first goes with the first.
    """
    left, right = dict(enumerate(old)), dict(enumerate(new))
    pairs: dict[int, int] = {}
    for key in keys:
        waiting: dict[Hashable, list[int]] = {}
        for index, item in right.items():
            waiting.setdefault(key(item), []).append(index)
        for index, item in list(left.items()):
            if found := waiting.get(key(item)):
                pairs[index] = found.pop(0)
                del left[index], right[pairs[index]]
    for index, item in enumerate(old):
        yield item, new[pairs[index]] if index in pairs else None
    for item in right.values():
        yield None, item


def equal(old: JsonValue, new: JsonValue) -> bool:
    """Whether two JSON values say the same; an absent one says as much as an empty one."""
    nothing: tuple[JsonValue, ...] = (None, {}, [])
    return (old in nothing and new in nothing) or canonical_json(old) == canonical_json(new)


def members(value: JsonValue) -> Json:
    """The members of an object; none of anything else."""
    return value if isinstance(value, dict) else {}


def listed(value: JsonValue) -> list[JsonValue]:
    """The items of a list; none of anything else."""
    return value if isinstance(value, list) else []
