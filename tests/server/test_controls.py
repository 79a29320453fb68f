"""Forms made from fields: each type is read back as a value of it, and what is none stays what was typed."""

from typing import Any

import pytest
from conftest import CASE
from starlette.datastructures import FormData

from compiler.report.readers_words import Reader
from ir.codec import read_workflow
from ir.fields import Fields, FieldSpec
from runtime.values import faults
from server.pages.runs.controls import Control, Form, Typed, clashing, faulty, values_of
from server.words import Words

PERSON = FieldSpec(
    type="object", required=False, nullable=True,
    properties={"name": FieldSpec(type="string", required=True), "age": FieldSpec(type="integer", minimum=0)},
)  # fmt: skip


def typed(**texts: str | list[str]) -> Typed:
    """What was typed, by the names of the fields with `__` between an object and its own."""
    pairs = [
        ("field/" + name.replace("__", "/").replace("_unknown", "?"), text)
        for name, given in texts.items()
        for text in ([given] if isinstance(given, str) else given)
    ]
    return Typed.of(FormData(pairs))


@pytest.mark.parametrize(
    ("spec", "text", "value"),
    [
        (FieldSpec(type="integer"), "007", 7),
        (FieldSpec(type="number"), "-0.5", -0.5),
        (FieldSpec(type="number"), "5,000", "5,000"),
        (FieldSpec(type="number"), "NaN", "NaN"),
        (FieldSpec(type="number"), "1" * 400, "1" * 400),
        (FieldSpec(type="boolean"), "true", True),
        (FieldSpec(type="boolean"), "yes", "yes"),
        (FieldSpec(type="string"), " 007 ", "007"),
        (FieldSpec(type="date"), "2026-11-28", "2026-11-28"),
        (FieldSpec(type="datetime"), "2026-11-28T09:30", "2026-11-28T09:30"),
        (FieldSpec(type="duration"), "P2BD", "P2BD"),
        (FieldSpec(type="integer", enum=(1, 2)), "2", 2),
        (FieldSpec(type="string", enum=("1", "2")), "2", "2"),
        (FieldSpec(type="integer", enum=(1, 2)), "3", "3"),
        (FieldSpec(type="array", items=FieldSpec(type="number")), "1\r\n\r\n2.5", [1, 2.5]),
        (FieldSpec(type="array", items=FieldSpec(type="object")), '[{"a": 1}]', [{"a": 1}]),
        (FieldSpec(type="object"), "{", "{"),
        (FieldSpec(type="array"), "[" * 100_000, "[" * 100_000),
    ],
)  # fmt: skip
def test_values_are_read_back(spec: FieldSpec, text: str, value: Any) -> None:
    """Of the type of the field; what is none is what was typed, so that it is told and nothing is made of it."""
    read = values_of({"x": spec}, typed(x=text))
    assert read == {"x": value} and type(read["x"]) is type(value)


def test_empty_is_left_out_and_unknown_is_null() -> None:
    """Two different things, for single values and objects; objects are there once one of their fields is."""
    fields: Fields = {"person": PERSON, "note": FieldSpec(type="string", nullable=True)}
    assert values_of(fields, typed(person__name="", note=" ")) == {}
    assert values_of(fields, typed(person_unknown="true", note_unknown="true")) == {"person": None, "note": None}
    assert values_of(fields, typed(person__age="x")) == {"person": {"age": "x"}}
    assert clashing(typed(note="x", note_unknown="true", person__age="1", person_unknown="true")) == {
        "field/note", "field/person",
    }  # fmt: skip


def test_several_may_be_chosen() -> None:
    """None of them is an empty list, where the field may be left out or does not say."""
    fields: Fields = {"tags": FieldSpec(type="array", items=FieldSpec(type="integer", enum=(1, 2, 3)))}
    assert values_of(fields, typed(tags=["1", "3"])) == {"tags": [1, 3]}
    assert values_of(fields, typed()) == {"tags": []}


def controls(fields: Fields, given: Typed, language: Any = "en") -> tuple[Control, ...]:
    """The form as it stands again after it was refused."""
    workflow, _ = read_workflow((CASE / "gold" / "transport-compliance.workflow.json").read_bytes())
    assert workflow is not None
    told = tuple(faults(values_of(fields, given), fields))
    return Form(Reader(workflow, None, language), Words(language), given, told).controls(fields)


def test_faults_stand_at_their_fields() -> None:
    """In objects at the field that is wrong; names that begin alike are told apart; texts that fit are kept."""
    fields: Fields = {
        "person": PERSON, "pers": FieldSpec(type="string"),
        "ages": FieldSpec(type="array", items=FieldSpec(type="integer")),
    }  # fmt: skip
    made = controls(fields, typed(person__age="-1", ages="1\ntwo"))
    assert [(one.name, one.fault) for one in faulty(made)] == [
        ("field/person/name", "missing"), ("field/person/age", "unfit"), ("field/pers", "missing"),
        ("field/ages", "unfit"),
    ]  # fmt: skip
    assert made[0].below[1].value == "-1" and made[2].value == "1\ntwo"


def test_what_a_form_insists_on() -> None:
    """Fields of an object that may be left out are not insisted on, nor what may be unknown."""
    (person, note) = controls({"person": PERSON, "note": FieldSpec(type="string")}, typed())
    assert (person.required, person.must, person.unknown) == (False, False, False)
    assert (person.below[0].required, person.below[0].must) == (True, False)
    assert (note.required, note.must, note.unknown) == (True, True, None)


def test_what_a_field_takes_is_told_in_both_languages() -> None:
    """With its unit and limits."""
    fields: Fields = {"x": FieldSpec(type="number", unit="kg", minimum=0, maximum=9)}
    assert controls(fields, typed(), "zh")[0].takes == "数字，单位 kg，不小于 0，不大于 9"
    assert controls(fields, typed())[0].takes == "a number in kg, at least 0, at most 9"
