"""The design's JSON examples: what the index expects of the validator, it finds."""

import json
from typing import Any

import pytest
from example_files import Example, Finding, example_catalog, examples, merge, resolve

from catalog.load import Catalog
from catalog.node_type import NodeType
from ir.codec import read_workflow
from validator.checks import CheckInput, validate

EXPECTED = [(example, finding) for example in examples() for finding in example.needs_validator]


def catalog_with(changes: dict[str, dict[str, Any]]) -> Catalog:
    """The examples' catalog with some Node Types changed."""
    known = example_catalog()
    changed = {
        name: NodeType.model_validate(merge(known.node_type(name).model_dump(mode="json", exclude_none=True), patch))
        for name, patch in changes.items()
    }
    return Catalog({**known.node_types, **changed}, known.concepts)


@pytest.mark.parametrize(("example", "finding"), EXPECTED, ids=[f"{e.id}-{f.code}-{f.found}" for e, f in EXPECTED])
def test_the_validator_finds_what_the_index_says(example: Example, finding: Finding) -> None:
    """A code is found, or is not, in the completed example with the changes of the index."""
    raw = merge(example.completed(), finding.changes)
    workflow, notes = read_workflow(json.dumps(raw), resolve=resolve)
    assert workflow is not None, [str(note) for note in notes]
    found = validate(CheckInput(workflow, catalog_with(finding.type_changes)))
    assert (finding.code in {diagnostic.error_code for diagnostic in found}) == finding.found, finding.why


def test_the_index_speaks_of_the_validator() -> None:
    """The examples of branches and governance are among those that the validator must judge."""
    assert {"EX-06", "EX-11", "EX-12"} <= {example.id for example, _ in EXPECTED}
