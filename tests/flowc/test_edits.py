"""The edits that make a text say another value."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_spots import VALUES

from flowc.views.edits import CommentsLost, edited, edits, first_comment, rewritten
from ir.codec import layout, read_json, read_yaml
from ir.yaml_text import dump_yaml

OBJECTS = st.dictionaries(st.sampled_from("abc"), VALUES | st.lists(VALUES, max_size=3), max_size=3)


@given(OBJECTS, OBJECTS, st.sampled_from([None, 1, 4, "\t"]))
def test_any_json_comes_to_say_any_other(before: object, after: object, indent: int | None) -> None:
    """Whatever the layout and the values, the text after the edits says the other value, exactly."""
    text = json.dumps(before, ensure_ascii=False, indent=indent)
    changed = json.loads(edited(text, edits(text, json.loads(text), json.loads(json.dumps(after)))))
    assert json.dumps(changed, sort_keys=True) == json.dumps(after, sort_keys=True)


@given(OBJECTS, st.sampled_from([None, 4]))
def test_nothing_changes_where_nothing_differs(value: object, indent: int | None) -> None:
    """A text that says the value already is left alone, whatever the order of keys."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    turned = dict(reversed(json.loads(text).items()))
    assert edits(text, json.loads(text), turned) == ()


def test_only_what_differs_is_written_anew() -> None:
    """Two values far apart are two edits; all between them stays, with line ends as in the text."""
    text = '{\r\n  "a": {"x": 1,   "y": [1,2]},\r\n  "b":   {"z": true}\r\n}'
    before = json.loads(text)
    after = {"a": {"x": 2, "y": [1, 2]}, "b": {"z": 1}}
    assert edited(text, edits(text, before, after)) == text.replace('"x": 1', '"x": 2').replace("true", "1")
    long = {"a": before["a"], "b": {"z": ["w" * 60] * 3}}
    assert edited(text, edits(text, before, long)).count("\n") == edited(text, edits(text, before, long)).count("\r\n")


def test_members_come_and_go_where_they_stand() -> None:
    """What is put in stands on a line of its own where the others do; what stays is as it was."""
    text = (
        '{\n    "nodes": {\n        "a": {"type":   "x"}\n    },\n    "edges": [\n        [1,2],\n        [3]\n    ]\n}'
    )
    after = {"nodes": {"a": {"type": "x", "label": "y"}, "b": {}}, "edges": [[3], [4, 5]]}
    assert edited(text, edits(text, json.loads(text), after)) == (
        '{\n    "nodes": {\n        "a": {"type":   "x", "label": "y"},\n        "b": {}\n    },\n'
        '    "edges": [\n        [3],\n        [4, 5]\n    ]\n}'
    )


def test_the_layout_of_stored_workflows_stays() -> None:
    """A text that is laid out so is laid out so afterwards, where a line grows too long for one."""
    before = {"nodes": {"a": {"type": "x" * 60, "label": "y"}}, "edges": []}
    after = {"nodes": {"a": {"type": "x" * 60, "label": "y" * 60}}, "edges": []}
    assert rewritten(layout(before) + "\n", before, after) == layout(after) + "\n"


def test_yaml_is_written_as_a_whole() -> None:
    """YAML says the other value afterwards; with a comment it is refused."""
    text = "a: 'x'\nb:\n- 1\n"
    before = read_yaml(text)[0]
    changed = rewritten(text, before, {"a": "on", "b": [1, 2]}, is_yaml=True)
    assert read_yaml(changed) == ({"a": "on", "b": [1, 2]}, ())
    with pytest.raises(CommentsLost, match="line 2 holds a comment"):
        rewritten("a: 1\nb: 2 # two\n", {"a": 1, "b": 2}, {"a": 1, "b": 3}, is_yaml=True)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# head\na: 1\n", 1),
        ("a: 1\n# foot", 2),
        ("a:\n  - 1\n  # between\n  - 2\n", 3),
        ("a: | # kept\n  # text\n", 1),
        ("a: |\n  # text\n", None),
        ('a: "x # y"\nb: it#s\n', None),
        ("a: {b: 1} # flow\n", 1),
    ],
)
def test_comments_of_yaml_are_seen(text: str, line: int | None) -> None:
    """A comment is told from the same sign within a text."""
    assert first_comment(text) == line


def test_a_yaml_text_of_ours_has_no_comment() -> None:
    """Texts that hold the sign are no comments."""
    value = {"a": "# x", "b": ["x #y", "é\n# z\n", "#"]}
    assert first_comment(dump_yaml(value)) is None
    assert read_json(json.dumps(value))[0] == value
