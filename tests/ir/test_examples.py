"""The design's JSON examples: each loads, or is refused, as the index says."""

import json
import re
from typing import Any

import pytest
from example_files import FOLDER, Example, example_catalog, examples, resolve
from jsonschema import Draft202012Validator

from catalog.node_type import NodeType
from ir.codec import read_form, read_workflow
from ir.diagnostics import Diagnostic, Severity
from ir.fields import object_schema
from ir.infix import parse_infix
from ir.normalise import declared_outputs, normalise
from ir.predicate import Ref, condition_json
from ir.workflow import Workflow

WORKFLOWS = [example for example in examples() if example.part in ("workflow", "top", "node", "node-inputs", "edges")]
BY_ID = {example.id: example for example in examples()}


def names(some: list[Example]) -> pytest.MarkDecorator:
    """Parameters by id."""
    return pytest.mark.parametrize("example", some, ids=[example.id for example in some])


def of(severity: Severity, notes: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    """The diagnostics of one severity."""
    return [note for note in notes if note.severity is severity]


def placed(notes: tuple[Diagnostic, ...]) -> list[str]:
    """The errors as the index writes them."""
    return sorted(f"{note.error_code} {note.location.pointer}" for note in of(Severity.ERROR, notes))


def loaded(example: Example) -> Workflow:
    """The completed example as a workflow."""
    workflow, notes = read_workflow(json.dumps(example.completed()), resolve=resolve)
    assert workflow is not None, [str(note) for note in notes]
    return workflow


def test_the_index_is_complete() -> None:
    """There is an entry for each of the 31 examples and a file for each entry."""
    wanted = [f"EX-{number:02}" for number in range(1, 32)]
    assert [example.id for example in examples()] == wanted
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == wanted


@names(WORKFLOWS)
def test_it_is_read_with_the_faults_of_the_index(example: Example) -> None:
    """Read as an older form, exactly the listed errors and warnings are found."""
    workflow, notes = read_workflow(json.dumps(example.workflow()), resolve=resolve)
    assert placed(notes) == sorted(example.errors)
    assert sorted(note.error_code for note in of(Severity.WARNING, notes)) == sorted(example.warnings)
    assert (workflow is None) == bool(example.errors)


@names([example for example in WORKFLOWS if example.completed_by or not example.errors])
def test_completed_it_loads(example: Example) -> None:
    """With what it lacked, the example is a workflow whose Types are all registered."""
    workflow = loaded(example)
    assert {node.type for node in workflow.nodes.values()} <= set(example_catalog().node_types)


@names([example for example in WORKFLOWS if example.strict_errors])
def test_as_written_it_is_refused(example: Example) -> None:
    """Without normalising, the listed errors are found."""
    workflow, notes = read_form(Workflow, example.workflow())
    assert workflow is None
    assert placed(notes) == sorted(example.strict_errors)


@names([example for example in WORKFLOWS if example.required_keys])
def test_every_required_key_is_missed(example: Example) -> None:
    """Any one of the required keys taken out is reported by name."""
    for key in example.required_keys:
        rest = {name: value for name, value in example.completed().items() if name != key}
        assert placed(read_form(Workflow, rest)[1]) == [f"missing-key /{key}"]


@names([example for example in WORKFLOWS if example.declared_outputs_of])
def test_inline_outputs_agree_with_the_type(example: Example) -> None:
    """What the node declared as outputs is dropped, and is a part of what its Type gives."""
    given: Any = declared_outputs(normalise(example.workflow(), resolve)[1])["node"]
    fields = example_catalog().node_type(str(example.declared_outputs_of)).outputs_schema
    assert given
    assert {name: spec for name, spec in given.items() if fields[name].type == spec["type"]} == given


@names([example for example in examples() if example.part == "value"])
def test_values_meet_the_contract(example: Example) -> None:
    """Inputs and outputs of the examples are valid under the shipped Node Types."""
    node_type = example_catalog().node_type(str(example.type))
    fields = node_type.inputs_schema if example.side == "inputs" else node_type.outputs_schema
    faults = list(Draft202012Validator(object_schema(fields)).iter_errors(json.loads(example.text)))
    assert not faults, [f"{fault.json_path}: {fault.message}" for fault in faults]


def test_the_type_loads_verbatim_and_the_shipped_one_extends_it() -> None:
    """EX-13 is a Node Type as it stands; the catalog's has all its inputs and outputs."""
    node_type, faults = read_form(NodeType, json.loads(BY_ID["EX-13"].text))
    assert not faults
    assert node_type is not None
    shipped = example_catalog().node_type(node_type.type)
    assert set(node_type.inputs_schema) <= set(shipped.inputs_schema)
    assert set(node_type.outputs_schema) <= set(shipped.outputs_schema)
    assert shipped.governance == node_type.governance


def test_fragments_keep_their_meaning() -> None:
    """References resolve, policies are where they belong, requested fields become the node's outputs."""
    assert loaded(BY_ID["EX-09"]).nodes["node"].inputs == {"text": Ref("$.inputs.contract_text")}
    assert loaded(BY_ID["EX-10"]).nodes["node"].inputs == {"amount": Ref("$.outputs.extract_amount.amount")}
    policy = loaded(BY_ID["EX-12"]).nodes["node"].policy
    assert (policy.risk_level, policy.idempotent) == ("high", False)
    level = loaded(BY_ID["EX-14"]).nodes["level"]
    assert level.references["cas_number"].path == ("identify", "entity", "cas_number")
    fields = loaded(BY_ID["EX-07"]).nodes["human_input_1"].requested_fields
    assert fields is not None
    assert fields["amount"].type == "number"
    assert loaded(BY_ID["EX-08"]).inputs["contract_text"].is_required


def test_always_and_absent_are_the_same() -> None:
    """The edge of EX-02 with `always` equals one without condition."""
    raw = BY_ID["EX-02"].completed()
    with_always = loaded(BY_ID["EX-02"])
    del raw["edges"][0]["condition"]
    assert read_workflow(json.dumps(raw), resolve=resolve)[0] == with_always


def test_conditions_in_text_form_are_stored_as_trees() -> None:
    """EX-30 is read by the parser of the text form, and is no condition as stored."""
    texts = json.loads(BY_ID["EX-30"].text)
    assert tuple(condition_json(parse_infix(text)) for text in texts) == BY_ID["EX-30"].trees
    for text in texts:
        raw = {**BY_ID["EX-08"].workflow(), "guards": [{"condition": text, "error_code": "E"}]}
        assert placed(read_form(Workflow, raw)[1]) == ["bad-condition /guards/0/condition"]


def test_the_listing_of_states_is_kept() -> None:
    """The lines of EX-31 say the transitions of the index."""
    for line, transition in zip(json.loads(BY_ID["EX-31"].text), BY_ID["EX-31"].transitions, strict=True):
        when = f"({transition.when}) " if transition.when else ""
        states = re.findall(r"\(?\w+\)?", line)
        truth = [f"({transition.when})"] if when else []
        assert states == [transition.source, *truth, *transition.to]
