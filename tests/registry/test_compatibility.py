"""Whether callers of one version can call another: each change of a field, in both directions."""

from typing import Any

import pytest

from catalog.load import Catalog, load_catalog
from ir.fields import FieldSpec
from ir.predicate import Literally, Ref
from ir.workflow import CalledWorkflow, Edge, ExecutionPolicy, InputSpec, Node, ResultSpec, Workflow
from registry.compatibility import Contract, contract_changes, contract_of, field_changes
from registry.publishable import pin_of, pins_of
from validator.analysis.fit import value_misfit

CATALOG = load_catalog()
TEXT = {"type": "string"}


def field(**said: Any) -> FieldSpec:
    """A field."""
    return FieldSpec.model_validate(said)


NARROWER: list[tuple[str, FieldSpec, FieldSpec]] = [
    ("whole numbers are numbers", field(type="integer"), field(type="number")),
    ("some values of all", field(type="string", enum=["a"]), field(type="string")),
    ("fewer values", field(type="string", enum=["a"]), field(type="string", enum=["a", "b"])),
    ("null beside the values of an enumeration", field(type="string", enum=["a", None]), field(type="string")),
    ("a least number", field(type="number", minimum=1), field(type="number")),
    ("a greater least number", field(type="number", minimum=2), field(type="number", minimum=1)),
    ("a smaller greatest number", field(type="number", maximum=2), field(type="number", maximum=3)),
    ("counted values within limits", field(type="integer", enum=[1, 2]), field(type="integer", minimum=1, maximum=2)),
    ("only yes", field(type="boolean", enum=[True]), field(type="boolean")),
    ("never null", field(type="string"), field(type="string", nullable=True)),
    ("members described", field(type="array", items=field(type="string")), field(type="array")),
    (
        "narrower members",
        field(type="array", items=field(type="integer")),
        field(type="array", items=field(type="number")),
    ),
    ("parts described", field(type="object", properties={"a": field(type="string")}), field(type="object")),
    (
        "narrower parts",
        field(type="object", properties={"a": field(type="string", enum=["x"])}),
        field(type="object", properties={"a": field(type="string")}),
    ),
    (
        "a part that is always there",
        field(type="object", properties={"a": field(type="string", required=True)}),
        field(type="object", properties={"a": field(type="string")}),
    ),
]
OTHERWISE: list[tuple[str, FieldSpec, FieldSpec]] = [
    ("another type", field(type="string"), field(type="integer")),
    ("text and date", field(type="string"), field(type="date")),
    ("another unit", field(type="number", unit="kg"), field(type="number", unit="t")),
    ("a unit where there was none", field(type="number"), field(type="number", unit="kg")),
    ("other values", field(type="string", enum=["a"]), field(type="string", enum=["b"])),
    ("limits beside each other", field(type="number", maximum=1), field(type="number", minimum=2)),
    ("yes and the number one", field(type="boolean", enum=[True]), field(type="integer", enum=[1])),
    ("members of another type", field(type="array", items=field(type="string")),
     field(type="array", items=field(type="boolean"))),
]  # fmt: skip
ALIKE: list[tuple[str, FieldSpec, FieldSpec]] = [
    ("one unit, spelt otherwise", field(type="number", unit="kg"), field(type="number", unit="公斤")),
    ("yes and no, counted", field(type="boolean"), field(type="boolean", enum=[False, True])),
    ("one order and another", field(type="string", enum=["a", "b"]), field(type="string", enum=["b", "a"])),
    ("words", field(type="string", description="a"), field(type="string", description="b")),
]


def breaks(side: Any, old: FieldSpec, new: FieldSpec) -> bool:
    """Whether a change of a field breaks callers."""
    return any(one.breaks for one in field_changes(side, "x", old, new))


@pytest.mark.parametrize(("narrow", "wide"), [one[1:] for one in NARROWER], ids=[one[0] for one in NARROWER])
def test_inputs_may_be_widened_and_outputs_narrowed(narrow: FieldSpec, wide: FieldSpec) -> None:
    """And not the other way; each is told, breaking or not."""
    told = [
        field_changes(side, "x", *pair) for side in ("input", "output") for pair in ((narrow, wide), (wide, narrow))
    ]
    verdicts = [[one.breaks for one in changes] for changes in told]
    assert [any(one) for one in verdicts] == [False, True, True, False]
    assert all(verdicts)


@pytest.mark.parametrize(("one", "other"), [one[1:] for one in OTHERWISE], ids=[one[0] for one in OTHERWISE])
def test_what_is_neither_wider_nor_narrower_breaks(one: FieldSpec, other: FieldSpec) -> None:
    """On both sides, in both directions."""
    for side in ("input", "output"):
        assert breaks(side, one, other) and breaks(side, other, one)


@pytest.mark.parametrize(("one", "other"), [one[1:] for one in ALIKE], ids=[one[0] for one in ALIKE])
def test_what_says_the_same_breaks_nothing(one: FieldSpec, other: FieldSpec) -> None:
    """On both sides, in both directions."""
    for side in ("input", "output"):
        assert not breaks(side, one, other) and not breaks(side, other, one)


@pytest.mark.parametrize("spec", [spec for _, *pair in (*NARROWER, *OTHERWISE, *ALIKE) for spec in pair])
def test_a_field_is_compatible_with_itself(spec: FieldSpec) -> None:
    """Nothing is told."""
    assert [*field_changes("input", "x", spec, spec), *field_changes("output", "x", spec, spec)] == []


SCALARS = [
    *({"type": "string", "enum": enum} for enum in (None, ["a"], ["b"], ["a", "b"], ["a", None])),
    *({"type": "boolean", "enum": enum} for enum in (None, [True], [False], [True, False])),
    *(
        {"type": kind, "enum": enum, "minimum": low, "maximum": high}
        for kind in ("integer", "number")
        for enum in (None, [1], [1, 3])
        for low in (None, 1, 2)
        for high in (None, 2, 3)
    ),
    {"type": "date"}, {"type": "datetime"},
]  # fmt: skip
SPECS = [
    *(field(**one, nullable=nullable) for one in SCALARS for nullable in (False, True)),
    *(field(type="array", items=one) for one in (None, *SCALARS[:12])),
    *(
        field(type="object", properties=parts)
        for parts in (
            None, {}, {"a": TEXT}, {"a": {**TEXT, "required": True}}, {"a": {**TEXT, "nullable": True}},
            {"a": {"type": "integer"}}, {"a": TEXT, "b": TEXT}, {"a": TEXT, "b": {**TEXT, "required": True}},
        )
    ),
]  # fmt: skip
VALUES = [
    None, True, False, 0, 1, 1.5, 2, 3, 4, "a", "b", "c", "2026-01-01", "2026-01-01T08:00:00",
    [], ["a"], ["b"], ["c"], [True], [False], [0], [1], [1.5], [2], [3], [4], [None],
    {}, {"a": "a"}, {"a": None}, {"a": 1}, {"b": "b"}, {"a": "a", "b": "b"}, {"c": 1},
]  # fmt: skip
FITTING = [frozenset(at for at, value in enumerate(VALUES) if value_misfit(value, spec) is None) for spec in SPECS]


def test_the_verdict_is_that_of_values() -> None:
    """Over all pairs of small fields: where all values that fitted one fit the other, and only there, nothing breaks.

    An input that goes from one to the other is such a change, and so is an output that comes from the other to the one.
    Of another type only whole numbers as numbers fit, though some texts are dates and some numbers whole. A member that
    is taken out of an object breaks its readers, though it was never sure to be there.
    """
    for old, before in zip(SPECS, FITTING, strict=True):
        for new, after in zip(SPECS, FITTING, strict=True):
            assert breaks("input", old, new) == breaks("output", new, old) or old.properties or new.properties
            if not breaks("input", old, new):
                assert before <= after, (old, new)
            elif old.type == new.type:
                assert not before <= after, (old, new)


def workflow(inputs: dict[str, Any], outputs: dict[str, Any] | None = None, **more: Any) -> Workflow:
    """One that asks a person and gives what is wanted."""
    return Workflow(
        workflow_id="tried", version="v1", inputs={name: InputSpec.model_validate(one) for name, one in inputs.items()},
        outputs=outputs or {},
        nodes={
            "ask": Node(type="human.approval", question="?", approvers=("boss",)),
            "find": Node(type="ontology.identify_substance", inputs={"substance_name": Ref("$.inputs.name")}),
            "end": Node(type="control.end", status="completed"),
        },
        edges=(Edge(source="find", target="ask"), Edge(source="ask", target="end")),
        execution_policy=ExecutionPolicy(risk_level="low"), **more,
    )  # fmt: skip


def changes(old: Workflow, new: Workflow, catalog: Catalog = CATALOG) -> list[tuple[str, bool]]:
    """What is told of two versions."""
    pins = pins_of(old, CATALOG), pins_of(new, catalog)
    sides = [contract_of(one, catalog, own) for one, own in zip((old, new), pins, strict=True)]
    return [(str(one), one.breaks) for one in contract_changes(*sides)]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ({}, {"a": TEXT}, [("input a: is new, and required", True)]),
        ({}, {"a": {**TEXT, "required": False}}, [("input a: is new", False)]),
        ({}, {"a": {**TEXT, "default": "x"}}, [("input a: is new", False)]),
        ({"a": TEXT}, {}, [("input a: is not taken any more", True)]),
        ({"a": {**TEXT, "required": False}}, {}, [("input a: is not taken any more", True)]),
        ({"a": {**TEXT, "required": False}}, {"a": TEXT}, [("input a: is required now", True)]),
        ({"a": {**TEXT, "default": "x"}}, {"a": TEXT}, [("input a: is required now", True)]),
        ({"a": TEXT}, {"a": {**TEXT, "default": "x"}}, [("input a: is not required any more", False)]),
        (
            {"a": {**TEXT, "enum": ["x", "y"]}}, {"a": {**TEXT, "enum": ["x"]}},
            [('input a: was string, one of "x", "y"; is string, one of "x" ("y")', True)],
        ),
    ],
)  # fmt: skip
def test_inputs(old: dict[str, Any], new: dict[str, Any], told: list[tuple[str, bool]]) -> None:
    """What callers have to give."""
    assert changes(workflow(old), workflow(new)) == told


def test_outputs() -> None:
    """What callers are given: removed, added, from another place that may be null, of other values."""
    old = workflow({}, {"a": Ref("$.outputs.ask.approved"), "b": Literally("x", status="quoted")})
    new = workflow({}, {"a": Ref("$.outputs.ask.comment"), "c": Literally("x", status="quoted")})
    assert changes(old, old) == []
    assert changes(old, new) == [
        ("output a: was boolean; is string", True), ("output a: may be null now", True),
        ("output b: is not given any more", True), ("output c: is new", False),
    ]  # fmt: skip


def test_what_a_called_workflow_gives() -> None:
    """Its fields are not known here: the same version of it gives the same, another one breaks."""

    def calling(version: str) -> Workflow:
        found = workflow({}, {"a": Ref("$.outputs.inner.a")})
        call = Node(type="control.call", call=CalledWorkflow(workflow_id="other", version=version))
        return found.model_copy(update={"nodes": {**found.nodes, "inner": call}})

    assert changes(calling("v1"), calling("v1")) == []
    assert [breaking for _, breaking in changes(calling("v1"), calling("v2"))] == [True]
    assert changes(workflow({}), calling("v1")) == [("output a: is new", False)]
    assert changes(calling("v1"), workflow({})) == [("output a: is not given any more", True)]


def test_results() -> None:
    """A result that not every run gives any more breaks; one that every run gives now does not."""
    sure, unsure = ({"results": {"r": ResultSpec(type="string", required=said)}} for said in (None, False))
    assert changes(workflow({}, **sure), workflow({}, **unsure)) == [("output r: may be null now", True)]
    assert changes(workflow({}, **unsure), workflow({}, **sure)) == [("output r: may not be null any more", False)]


def test_parts_are_named_by_path() -> None:
    """Of objects in arrays too."""
    old, new = (
        field(type="array", items={"type": "object", "properties": {"mass": {"type": "number", "unit": unit}}})
        for unit in ("kg", "t")
    )
    sides = Contract({"rows": old}, {}), Contract({"rows": new}, {})
    assert [one.name for one in contract_changes(*sides)] == ["rows[].mass"]


def test_what_a_type_gave_that_is_another_now_cannot_be_told() -> None:
    """It breaks rather than being taken for what the Type gives now."""
    given = {"found": Ref("$.outputs.find.entity")}
    old = workflow({"name": TEXT}, given)
    node_type = CATALOG.node_types["ontology.identify_substance"]
    moved = node_type.model_copy(update={"version": "9.0.0", "outputs_schema": {"entity": field(type="string")}})
    later = Catalog({**CATALOG.node_types, moved.type: moved}, CATALOG.concepts)
    assert pin_of(moved) != pin_of(node_type)
    assert changes(old, old) == []
    ((words, breaking),) = changes(old, old, later)
    assert breaking and words.startswith("output found: what it was or is cannot be told")
