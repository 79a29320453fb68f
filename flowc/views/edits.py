"""What must change in the text of a JSON or YAML file so that it says another value."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from types import EllipsisType

import yaml
from pydantic import JsonValue

from flowc.spots import Spot, spots
from ir.codec import layout
from ir.yaml_text import dump_yaml


@dataclass(frozen=True)
class Edit:
    """Characters that others take the place of.

    Args:
        start, end: from where to where, in code points of the text.
    """

    start: int
    end: int
    content: str


class CommentsLost(ValueError):  # noqa: N818 - named for the fault
    """A YAML text cannot be written anew without losing its comments."""


def edits(text: str, before: JsonValue, after: JsonValue, *, is_yaml: bool = False) -> tuple[Edit, ...]:
    """The edits that make a text say `after` where it says `before`, in the order of the text, none overlapping.

    In JSON the smallest values that differ are written anew, in the layout of stored workflows; members that come or go
    are put in or taken out, and all else stays as it is. YAML is written anew as a whole.

    Raises:
        CommentsLost: the text is YAML with comments.
    """
    if _same(before, after):
        return ()
    if is_yaml:
        if line := first_comment(text):
            raise CommentsLost(f"line {line} holds a comment, which writing the YAML anew would lose")
        return (Edit(0, len(text), dump_yaml(after)),)
    root = spots(text, is_yaml=False)
    assert root is not None  # the text said `before`
    found = sorted(
        (one for one in _differing(text, root, before, after) if one.start != one.end or one.content),
        key=lambda one: (one.start, one.end),
    )
    newline = "\r\n" if "\r\n" in text else "\n"
    return tuple(Edit(one.start, one.end, one.content.replace("\n", newline)) for one in found)


def edited(text: str, changes: Sequence[Edit]) -> str:
    """The text after the edits.

    >>> edited("abc", [Edit(0, 1, "A"), Edit(2, 3, "CC")])
    'AbCC'
    """
    for one in sorted(changes, key=lambda one: one.start, reverse=True):
        text = text[: one.start] + one.content + text[one.end :]
    return text


def rewritten(text: str, before: JsonValue, after: JsonValue, *, is_yaml: bool = False) -> str:
    """The text that says `after`; what was laid out as stored workflows are stays so.

    Raises:
        CommentsLost: as `edits`.
    """
    if not is_yaml and text == layout(before) + "\n":
        return layout(after) + "\n"
    return edited(text, edits(text, before, after, is_yaml=is_yaml))


def _differing(text: str, spot: Spot, before: JsonValue, after: JsonValue) -> Iterator[Edit]:
    """An edit for each of the smallest values that differ."""
    if _same(before, after):
        return
    pairs: list[_Pair] = []
    if isinstance(before, dict) and isinstance(after, dict):
        pairs = _by_key(before, after)
    elif isinstance(before, list) and isinstance(after, list):
        pairs = _by_place(before, after)
    if not any(pair.stays for pair in pairs):
        yield Edit(spot.start, spot.end, layout(after, _indent(text, spot.start)))
        return
    for pair in pairs:
        if not isinstance(pair.old, EllipsisType) and not isinstance(pair.new, EllipsisType):
            yield from _differing(text, spot.members[pair.name], pair.old, pair.new)
    yield from _spliced(text, spot, pairs)


@dataclass(frozen=True)
class _Pair:
    """A member of an object or a list, before and after; `...` where it is not there.

    Args:
        name: its key, or where it stood.
    """

    name: str
    old: JsonValue | EllipsisType
    new: JsonValue | EllipsisType
    key: str | None = None

    @property
    def stays(self) -> bool:
        return self.old is not ... and self.new is not ...

    def written(self, indent: str) -> str:
        assert not isinstance(self.new, EllipsisType)
        value = layout(self.new, indent)
        return value if self.key is None else f"{json.dumps(self.key, ensure_ascii=False)}: {value}"


def _by_key(before: dict[str, JsonValue], after: dict[str, JsonValue]) -> list[_Pair]:
    """The members of both, those that came last."""
    names = dict.fromkeys((*before, *after))
    return [_Pair(name, before.get(name, ...), after.get(name, ...), name) for name in names]


def _by_place(before: list[JsonValue], after: list[JsonValue]) -> list[_Pair]:
    """The items of both: what is alike as far as the order allows, what stands between by its place."""
    said = [[json.dumps(one, sort_keys=True) for one in side] for side in (before, after)]
    alike = SequenceMatcher(None, said[0], said[1], autojunk=False)
    pairs: list[_Pair] = []
    for _, first, last, new_first, new_last in alike.get_opcodes():
        old, new = before[first:last], after[new_first:new_last]
        pairs += [_Pair(str(first + at), *pair) for at, pair in enumerate(zip_longest(old, new, fillvalue=...))]
    return pairs


def _spliced(text: str, spot: Spot, pairs: Sequence[_Pair]) -> Iterator[Edit]:
    """The edits that take members out and put others in; some member stays, from which commas are counted."""
    first = _key_start(text, next(iter(spot.members.values())))
    several_lines = "\n" in text[spot.start : first]
    indent = _indent(text, first)
    gap = f"\n{indent}" if several_lines else " "
    kept: Spot | None = None  # the last that stays
    start, end, come = first, first, list[str]()  # since then: what goes, what comes
    for pair in pairs:
        here = spot.members[pair.name] if pair.old is not ... else None
        if here is not None and pair.new is not ...:
            if kept is None:
                yield Edit(first, _key_start(text, here), "".join(f"{one},{gap}" for one in come))
            else:
                yield Edit(start, end, "".join(f",{gap}{one}" for one in come))
            kept, come = here, []
            start = end = here.end
        elif here is not None:
            end = here.end
        else:
            come.append(pair.written(indent))
    yield Edit(start, end, "".join(f",{gap}{one}" for one in come))


def _key_start(text: str, spot: Spot) -> int:
    """Where a member begins, with its key."""
    line = text.count("\n", 0, spot.start) + 1
    start = spot.start
    while line > spot.line:
        start = text.rfind("\n", 0, start)
        line -= 1
    return text.rfind("\n", 0, start) + spot.column


def _same(before: JsonValue, after: JsonValue) -> bool:
    """Whether two values are written alike, but for the order of keys; `true` is not 1."""
    return json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True)


def _indent(text: str, offset: int) -> str:
    """The white space at the head of the line."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def first_comment(text: str) -> int | None:
    """The line of the first comment of a YAML text, None where it has none.

    >>> first_comment("a: '#'\\nb: 1 # one\\n"), first_comment("a: b#c\\n")
    (2, None)
    """
    end = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        gap = text[end : token.start_mark.index]
        if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            gap += text[token.start_mark.index : text.find("\n", token.start_mark.index)]
        if "#" in gap:
            return text.count("\n", 0, end + gap.index("#")) + 1
        end = max(end, token.end_mark.index)
    return text.count("\n", 0, end + text[end:].index("#")) + 1 if "#" in text[end:] else None
