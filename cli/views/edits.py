"""What must change in the text of a JSON or YAML file so that it says another value."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import yaml
from pydantic import JsonValue

from cli.views.spots import Spot, spots
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

    In JSON the smallest values that differ are written anew, in the layout of stored workflows, and all else stays as
    it is. YAML is written anew as a whole.

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
    found = sorted(_differing(text, root, before, after), key=lambda one: one.start)
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
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key, value in before.items():
            yield from _differing(text, spot.members[key], value, after[key])
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _differing(text, spot.members[str(index)], old, new)
    else:
        yield Edit(spot.start, spot.end, layout(after, _indent(text, spot.start)))


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
