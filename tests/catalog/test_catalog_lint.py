"""Lint: the shipped catalog is clean, and each kind of poor entry is found."""

from typing import Any

import pytest

from catalog.concept import Concept
from catalog.embedders import load_embedder
from catalog.lint import lint
from catalog.load import Catalog, load_catalog
from catalog.node_type import NodeType
from ir.diagnostics import Severity

pytestmark = pytest.mark.slow

GOOD: dict[str, Any] = {
    "type": "io.weigh",
    "version": "1.0.0",
    "category": "io",
    "summary": "Weigh a parcel on scales",
    "summary_i18n": {"zh": "在秤上称量包裹的重量", "en": "Weigh a parcel on scales"},
    "inputs_schema": {"parcel_id": {"type": "string", "required": True, "concept": "parcel_id"}},
    "outputs_schema": {"weight": {"type": "number", "required": True, "concept": "weight"}},
    "capabilities": {"side_effect": False, "idempotent_default": True, "retryable_default": True},
    "governance": {"risk_level_default": "low"},
    "aliases": [
        "称重",
        "过磅",
        "称量包裹",
        "测量重量",
        "weigh it",
        "put it on scales",
        "find the mass",
        "take the weight",
    ],
    "examples": ["收件员对包裹称重。", "过磅后登记。", "The clerk weighs the parcel.", "Each parcel is weighed."],
}
CONCEPTS = {
    name: Concept(id=name, labels={"zh": zh, "en": en}, type=kind)
    for name, zh, en, kind in (
        ("parcel_id", "包裹编号", "parcel number", "string"),
        ("weight", "重量", "weight", "number"),
    )
}


def codes(*types: dict[str, Any], concepts: dict[str, Concept] | None = None) -> list[str]:
    """Codes that lint gives for a catalog of these Types."""
    made = {item["type"]: NodeType.model_validate(item) for item in types}
    return [item.error_code for item in lint(Catalog(made, concepts or CONCEPTS))]


@pytest.mark.parametrize("embedder", [None, "default"])
def test_shipped_catalog_has_no_warnings(embedder: str | None) -> None:
    """Nothing but info, by letters and by meaning."""
    used = load_embedder(embedder, fallback=False).embedder if embedder else None
    found = lint(load_catalog(), used)
    assert [str(item) for item in found if item.severity is not Severity.INFO] == []
    assert {item.error_code for item in found} == {"field-without-concept"}


def test_good_entry_is_clean() -> None:
    """A whole entry gives nothing."""
    assert codes(GOOD) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"summary_i18n": {"en": "Weigh a parcel on scales"}}, "missing-language"),
        ({"summary_i18n": {"zh": "在秤上称量包裹的重量", "en": "Weigh"}}, "poor-summary"),
        ({"summary_i18n": {"zh": "称重", "en": "Weigh a parcel on scales"}}, "poor-summary"),
        ({"aliases": GOOD["aliases"][:7]}, "few-aliases"),
        ({"aliases": [*GOOD["aliases"][:7], "weigh_parcel"]}, "few-aliases"),
        ({"examples": GOOD["examples"][1:]}, "few-examples"),
        ({"outputs_schema": {}}, "no-outputs"),
        ({"inputs_schema": {"parcel": {"type": "string"}}}, "field-without-concept"),
        (
            {"capabilities": {"side_effect": True, "idempotent_default": False, "retryable_default": True}},
            "retry-not-idempotent",
        ),
    ],
)
def test_poor_entry_is_found(change: dict[str, Any], code: str) -> None:
    """Each single poorness gives its one code."""
    assert codes(GOOD | change) == [code]


def test_fields_inside_a_concept_are_its_matter() -> None:
    """Evidence with a concept needs none on its parts; an object without one is looked into."""
    parts = {"a": {"type": "string"}, "b": {"type": "string", "concept": "parcel_id"}}
    covered = {"weight": {"type": "object", "concept": "evidence", "properties": parts}}
    open_ = {"weight": {"type": "object", "properties": parts}}
    assert codes(GOOD | {"outputs_schema": covered}) == []
    assert codes(GOOD | {"outputs_schema": open_}) == ["field-without-concept"]


def test_twins_are_found_once() -> None:
    """Two Types with nearly the same words give one finding, with both names and texts."""
    twin = GOOD | {"type": "io.scale", "aliases": [f"{alias}!" for alias in GOOD["aliases"]]}
    made = {item["type"]: NodeType.model_validate(item) for item in (GOOD, twin)}
    found = [item for item in lint(Catalog(made, CONCEPTS)) if item.error_code == "indistinguishable-types"]
    assert len(found) == 1
    assert "'io.scale' and 'io.weigh'" in found[0].message


def test_twins_by_meaning_need_an_embedder() -> None:
    """The same thing in other letters is found by meaning only."""
    summaries = {"io.buy": "购买办公用品", "io.order": "采购办公用品"}
    made = {
        name: NodeType.model_validate(
            GOOD | {"type": name, "summary": text, "aliases": [], "examples": [], "summary_i18n": {}}
        )
        for name, text in summaries.items()
    }
    catalog = Catalog(made, CONCEPTS)
    used = load_embedder("default", fallback=False).embedder
    assert "indistinguishable-types" not in [item.error_code for item in lint(catalog)]
    assert "indistinguishable-types" in [item.error_code for item in lint(catalog, used)]


@pytest.mark.parametrize(
    ("concept", "code"),
    [
        ({"labels": {"zh": "重量"}}, "missing-language"),
        ({"synonyms": {"zh": ["数据"]}}, "generic-concept-word"),
        ({"synonyms": {"en": ["Date"]}}, "generic-concept-word"),
        ({"type": "boolean"}, "values-without-words"),
        ({"type": "string", "values": [{"value": "big", "words": {"zh": ["大件"]}}]}, "values-without-words"),
    ],
)
def test_poor_concept_is_found(concept: dict[str, Any], code: str) -> None:
    """A missing label, a word that fits everywhere and values without words are found."""
    base = {"id": "weight", "labels": {"zh": "重量", "en": "weight"}, "type": "number"}
    made = CONCEPTS | {"weight": Concept.model_validate(base | concept)}
    assert code in codes(GOOD, concepts=made)
