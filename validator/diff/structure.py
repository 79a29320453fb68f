"""What two versions of a workflow are made of, compared part by part."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from pydantic import JsonValue

from ir.base import canonical_json
from ir.codec import plain_json
from ir.predicate import parse_condition
from ir.workflow import Workflow
from validator.analysis.wording import condition_words
from validator.diff.changes import Change, Part
from validator.diff.fields import Json, entry, equal, fields, listed, members, paired

_PARTS: Mapping[str, Part] = {
    "inputs": "inputs",
    "outputs": "outputs",
    "results": "results",
    "nodes": "steps",
    "rule_packs": "rules",
}
"""The parts that are maps from names."""
_LISTS = ("triggers", "guards", "edges", "gaps")
_WHOLE: Mapping[str, Part] = {"execution_policy": "policy", "provenance": "provenance"}


def structural_changes(old: Workflow, new: Workflow, renamed: Mapping[str, str]) -> tuple[Change, ...]:
    """Everything that was put in, taken out or changed.

    Args:
        old: with the ids of the new version.
        renamed: the new ids of nodes by their old ones.
    """
    before, after = plain_json(old), plain_json(new)
    found = [
        Change(part="steps", kind="renamed", name=later, aspect="id", old=earlier, new=later)
        for earlier, later in renamed.items()
    ]
    found += _header(before, after)
    for key, part in _WHOLE.items():
        found += fields(part, key.replace("_", " "), members(before.get(key)), members(after.get(key)))
    for key, part in _PARTS.items():
        found += _named(part, members(before.get(key)), members(after.get(key)))
    found += _guards(listed(before.get("guards")), listed(after.get("guards")))
    found += _texts("triggers", "text", listed(before.get("triggers")), listed(after.get("triggers")))
    found += _gaps(listed(before.get("gaps")), listed(after.get("gaps")))
    found += _edges(listed(before.get("edges")), listed(after.get("edges")))
    return tuple(sorted(found, key=lambda change: _ORDER.index(change.part)))


_ORDER: tuple[Part, ...] = (
    "workflow", "policy", "inputs", "outputs", "results", "triggers", "guards", "steps", "edges", "rules", "gaps",
    "provenance",
)  # fmt: skip


def _header(old: Json, new: Json) -> Iterator[Change]:
    """What stands outside the parts: names, version, status, metadata."""
    apart = {*_PARTS, *_WHOLE, *_LISTS}
    rest = [{key: value for key, value in one.items() if key not in apart} for one in (old, new)]
    yield from fields("workflow", "workflow", rest[0], rest[1])


def _named(part: Part, old: Json, new: Json) -> Iterator[Change]:
    for name in dict.fromkeys((*old, *new)):
        if name not in old or name not in new:
            yield entry(part, name, old.get(name), new.get(name))
        elif part == "rules":
            yield from _pack(name, members(old[name]), members(new[name]))
        elif part == "outputs":
            if not equal(old[name], new[name]):
                yield Change(part=part, kind="changed", name=name, old=old[name], new=new[name])
        else:
            yield from fields(part, name, members(old[name]), members(new[name]))


def _pack(name: str, old: Json, new: Json) -> Iterator[Change]:
    """A rule pack and its rows, whose order means nothing."""
    heads = [{key: value for key, value in one.items() if key != "rules"} for one in (old, new)]
    yield from fields("rules", name, heads[0], heads[1])
    rules = [listed(one.get("rules")) for one in (old, new)]
    yield from _texts("rules", "rule_id", rules[0], rules[1], under=f"{name}/")


def _texts(part: Part, key: str, old: list[JsonValue], new: list[JsonValue], *, under: str = "") -> Iterator[Change]:
    """Items that are known by one of their fields."""
    for before, after in paired(old, new, (canonical_json, lambda one: canonical_json(members(one).get(key)))):
        name = under + str(members(before or after).get(key))
        if before is None or after is None:
            yield entry(part, name, before, after)
        else:
            yield from fields(part, name, members(before), members(after))


def _guards(old: list[JsonValue], new: list[JsonValue]) -> Iterator[Change]:
    """Guards, known by condition and else by error code; their order decides which of two speaks."""
    same = (canonical_json, _of("condition"), _of("error_code"))
    for before, after in paired(old, new, same):
        name = str(members(after or before).get("error_code"))
        if before is None or after is None:
            yield entry("guards", name, before, after)
        else:
            yield from fields("guards", name, members(before), members(after))
    yield from _moved(old, new)


def _of(key: str) -> Callable[[JsonValue], str]:
    return lambda one: canonical_json(members(one).get(key))


def _moved(old: list[JsonValue], new: list[JsonValue]) -> Iterator[Change]:
    """Guards that both have, in another order."""
    orders = [[members(one).get("condition") for one in items] for items in (old, new)]
    texts = [[canonical_json(one) for one in order] for order in orders]
    common = [[text for text in own if text in other] for own, other in (texts, texts[::-1])]
    if common[0] != common[1] and sorted(common[0]) == sorted(common[1]):
        yield Change(part="guards", kind="changed", name="guards", aspect="order", old=orders[0], new=orders[1])


def _gaps(old: list[JsonValue], new: list[JsonValue]) -> Iterator[Change]:
    """Gaps, known by their question, else by what they are about and their kind and id."""

    def question(one: JsonValue) -> str:
        return canonical_json([members(one).get("kind"), members(one).get("question")])

    def number(one: JsonValue) -> str:
        return canonical_json([members(one).get(key) for key in ("kind", "id", "about")])

    for before, after in paired(old, new, (canonical_json, question, number)):
        name = str(members(after or before).get("id"))
        if before is None or after is None:
            yield entry("gaps", name, before, after)
        else:
            yield from fields("gaps", name, members(before), members(after))


def _edges(old: list[JsonValue], new: list[JsonValue]) -> Iterator[Change]:
    """Edges, known by both ends, else by one end and their condition or evidence, else one by one."""
    ends = ("from", "to", "on")
    keys = (
        canonical_json,
        _key_of_fields(*ends, "condition"),
        _key_of_fields(*ends, "evidence"),
        _key_of_fields(*ends),
        _key_of_fields("from", "on", "condition", "evidence"),
        _key_of_fields("from", "on", "condition"),
        _key_of_fields("to", "on", "condition", "evidence"),
    )
    several = [name for items in (old, new) for name, count in Counter(map(_ends, items)).items() if count > 1]
    for before, after in paired(old, new, keys):
        name = _ends(after or before)
        name += f" ({_words(after or before)})" if name in several else ""
        if before is None or after is None:
            yield entry("edges", name, before, after)
            continue
        if _ends(before) != _ends(after):
            yield Change(part="edges", kind="rerouted", name=name, old=_ends(before), new=_ends(after))
        heads = [{key: value for key, value in members(one).items() if key not in ends} for one in (before, after)]
        yield from fields("edges", name, heads[0], heads[1])


def _key_of_fields(*keys: str) -> Callable[[JsonValue], str]:
    return lambda one: canonical_json([members(one).get(key) for key in keys])


def _ends(edge: JsonValue) -> str:
    own = members(edge)
    return f"{own.get('from')}→{own.get('to')}" + (" on error" if own.get("on") == "error" else "")


def _words(edge: JsonValue) -> str:
    return condition_words(parse_condition(members(edge).get("condition")))
