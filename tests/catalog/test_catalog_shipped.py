"""The catalog that is shipped: the design's examples hold, entries are whole, and it loads fast."""

import json
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
import yaml

from catalog.contract import fold
from catalog.errors import CatalogError
from catalog.load import Catalog, load_catalog
from catalog.node_type import Category, NodeType
from ir.fields import object_schema

HERE = Path(__file__).parent
EXAMPLES = yaml.safe_load((HERE / "design_examples.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load_catalog()


def schema_of(node_type: NodeType, side: str) -> dict[str, Any]:
    """One side of a Type as JSON Schema."""
    return object_schema(node_type.inputs_schema if side == "inputs" else node_type.outputs_schema)


def problems(catalog: Catalog, example: dict[str, Any]) -> list[str]:
    """What the schema of the example's Type has against its value."""
    schema = schema_of(catalog.node_type(example["type"]), example["side"])
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(example["value"])]


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_design_example_validates(catalog: Catalog, example: dict[str, Any]) -> None:
    """EX-15 to EX-29 are legal inputs and outputs of their Types."""
    assert problems(catalog, example) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_design_example_is_held_to_its_schema(catalog: Catalog, example: dict[str, Any]) -> None:
    """Each example with a required key left out, or an unknown one added, is refused: the schemas are not just open."""
    node_type = catalog.node_type(example["type"])
    fields = node_type.inputs_schema if example["side"] == "inputs" else node_type.outputs_schema
    for key in example["value"]:
        without = {name: value for name, value in example["value"].items() if name != key}
        assert bool(problems(catalog, example | {"value": without})) == bool(fields[key].required)
    assert problems(catalog, example | {"value": example["value"] | {"next": "x"}})


def test_shipped_entry_keeps_the_contract_of_the_design(catalog: Catalog) -> None:
    """lookup_hazard_level extends EX-13: same inputs, outputs, capabilities and governance, and more."""
    design = json.loads((HERE / "ex13_lookup_hazard_level.json").read_text(encoding="utf-8"))
    shipped = catalog.node_type("ontology.lookup_hazard_level").model_dump(mode="json")
    assert {key: shipped[key] for key in ("type", "version", "category", "governance")} == {
        key: design[key] for key in ("type", "version", "category", "governance")
    }
    assert shipped["capabilities"].items() >= design["capabilities"].items()
    for side in ("inputs_schema", "outputs_schema"):
        for name, spec in design[side].items():
            assert shipped[side][name].items() >= spec.items()


def test_breadth_of_the_catalog(catalog: Catalog) -> None:
    """At least 85 Types, in every category."""
    assert len(catalog.node_types) >= 85
    assert {item.category for item in catalog.node_types.values()} == set(get_args(Category))


def test_money_is_of_any_currency(catalog: Catalog) -> None:
    """No Type is tied to a currency; one that moves money says in which field the currency stands."""
    for node_type in catalog.node_types.values():
        fields = {**node_type.inputs_schema, **node_type.outputs_schema}
        money = [name for name, spec in fields.items() if _measure(catalog, spec.concept) == "money"]
        assert not [name for name in money if fields[name].unit], node_type.type
        if "money" in node_type.tags and node_type.capabilities.side_effect and money:
            assert "currency" in fields, node_type.type


def _measure(catalog: Catalog, concept: str | None) -> str | None:
    return catalog.concepts[concept].measure if concept else None


def test_texts_of_no_type_are_another_types(catalog: Catalog) -> None:
    """No example stands under two Types."""
    owners: dict[str, list[str]] = {}
    for node_type in catalog.node_types.values():
        for text in node_type.examples:
            owners.setdefault(fold(text), []).append(node_type.type)
    assert {text: types for text, types in owners.items() if len(types) > 1} == {}


def test_every_schema_is_a_json_schema(catalog: Catalog) -> None:
    """Both sides of every Type compile to valid JSON Schema."""
    for node_type in catalog.node_types.values():
        for side in ("inputs", "outputs"):
            jsonschema.Draft202012Validator.check_schema(schema_of(node_type, side))


@pytest.mark.parametrize(
    ("older", "name"),
    [
        ("identify_substance", "ontology.identify_substance"),
        ("lookup_hazard_level", "ontology.lookup_hazard_level"),
        ("check_transport_mode", "decision.check_transport_mode"),
        ("check_filing_status", "io.check_filing_status"),
        ("check_transport_filing", "io.check_filing_status"),
        ("check_filing", "io.check_filing_status"),
        ("compliance_summary", "utility.compliance_summary"),
        ("extract_amount", "document.extract_amount"),
        ("human_input", "human.input"),
        ("human_approval", "human.approval"),
    ],
)
def test_older_names_resolve(catalog: Catalog, older: str, name: str) -> None:
    """The names of the design's earlier chapters lead to the Types."""
    node_type = catalog.resolve(older)
    assert node_type is not None
    assert node_type.type == name


def test_summary_takes_what_the_four_nodes_establish(catalog: Catalog) -> None:
    """Each object input of the summary has a concept that exactly one Type establishes."""
    inputs = catalog.node_type("utility.compliance_summary").inputs_schema
    found = {
        name: [item.type for item in catalog.node_types.values() if spec.concept in item.concepts]
        for name, spec in inputs.items()
        if spec.type == "object"
    }
    assert found == {
        "identify": ["ontology.identify_substance"],
        "level": ["ontology.lookup_hazard_level"],
        "mode_check": ["decision.check_transport_mode"],
        "filing": ["io.check_filing_status"],
    }
    skippable = {name for name, spec in inputs.items() if spec.nullable and not spec.required}
    assert skippable == {"level", "mode_check", "filing"}


def test_money_and_access_are_guarded(catalog: Catalog) -> None:
    """What moves money or shuts people or systems out is high risk, allowlisted and never retried by itself."""
    for name in ("finance.make_payment", "finance.reimburse", "finance.refund", "security.contain_system"):
        node_type = catalog.node_type(name)
        assert node_type.governance.risk_level_default == "high"
        assert node_type.governance.requires_allowlist
        assert node_type.capabilities.side_effect
        assert not node_type.capabilities.retryable_default


def test_what_only_reads_may_be_repeated(catalog: Catalog) -> None:
    """A Type without side effect that is not a person's is idempotent and retryable; a retry needs idempotency."""
    for node_type in catalog.node_types.values():
        can = node_type.capabilities
        assert can.idempotent_default or not can.retryable_default, node_type.type
        if not can.side_effect and not node_type.human:
            assert can.idempotent_default, node_type.type


def test_model_backed_types_say_so(catalog: Catalog) -> None:
    """The tag and the capability go together."""
    for node_type in catalog.node_types.values():
        uncertain = {"model_backed", "random"} & set(node_type.tags)
        assert bool(uncertain) is not node_type.capabilities.deterministic, node_type.type


def test_values_of_a_concept_have_words_of_their_own(catalog: Catalog) -> None:
    """Within one concept no word stands for two values."""
    for concept in catalog.concepts.values():
        owners: dict[str, set[str]] = {}
        for value in concept.values:
            for word in (word for words in value.words.values() for word in words):
                owners.setdefault(fold(word), set()).add(repr(value.value))
        assert {word: values for word, values in owners.items() if len(values) > 1} == {}, concept.id


def test_a_number_of_thousands_of_digits_is_told(tmp_path: Path) -> None:
    """In a list of concepts that is none; Python itself does not write such a number."""
    (tmp_path / "concepts").mkdir()
    (tmp_path / "node_types").mkdir()
    (tmp_path / "concepts" / "all.yaml").write_text("0x1" + "0" * 5000 + "\n", "utf-8")
    with pytest.raises(CatalogError, match="thousands of digits"):
        load_catalog(tmp_path)
