"""What tools take and give, as JSON Schema (2020-12), and whether something fits."""

from typing import Any

from jsonschema import Draft202012Validator
from pydantic import BaseModel

from agents.forms import RunAnswer
from ir.fields import FieldSpec, object_schema
from registry.compatibility import contract_of
from registry.forms import Version
from runtime.host import Host
from runtime.values import described
from store.users import User

Schema = dict[str, Any]
MOST_TOLD, LONGEST = 20, 300
"""Faults that are told of one value, and letters of each."""
_MASKED: Schema = {
    "type": "object",
    "properties": {"masked": {"enum": ["confidential", "personal"]}},
    "required": ["masked"],
    "additionalProperties": False,
    "description": "a value that this agent may not read",
}


def inputs_schema(version: Version) -> Schema:
    """What a run of a version has to be given: its declared inputs and nothing else."""
    told = {}
    for name, spec in version.definition.inputs.items():
        own = FieldSpec(**spec.model_dump(include=set(FieldSpec.model_fields)))
        about = ": ".join(one for one in (spec.description, described(spec)) if one)
        told[name] = own.model_copy(update={"required": spec.is_required, "description": about})
    return object_schema(told)


def answer_schema(host: Host, version: Version, agent: User) -> Schema:
    """What a run of a version is told as: of each output its type, or null where the run did not come to it.

    A value of a class that the agent may not read is told as masked, in any place.
    """
    gives = contract_of(version.definition, host.catalog, version.pins).outputs
    with host.workspace.database.transaction() as connection:
        classes = host.classes(version.workflow_id, version.number, connection)
    hidden = classes.has(host.privacy.hidden_from(agent))
    fields = {name: one.json_schema() if isinstance(one, FieldSpec) else {} for name, one in gives.items()}
    outputs = {name: {"anyOf": [_maskable(one) if hidden else one, {"type": "null"}]} for name, one in fields.items()}
    schema = form_schema(RunAnswer)
    schema["properties"]["outputs"] = {"type": "object", "properties": outputs, "additionalProperties": False}
    return schema


def _maskable(schema: Schema) -> Schema:
    """The same where a mask may stand in the place of each value in it, and of words in its texts."""
    below = dict(schema)
    if "properties" in below:
        below["properties"] = {name: _maskable(one) for name, one in below["properties"].items()}
    if "items" in below:
        below["items"] = _maskable(below["items"])
    return {"anyOf": [below, _MASKED]}


def form_schema(form: type[BaseModel]) -> Schema:
    """The schema of what is told."""
    schema: Schema = _without_titles(form.model_json_schema(mode="serialization"))
    return schema


def _without_titles(value: Any) -> Any:
    """The same without the names that pydantic makes of the names of fields."""
    if isinstance(value, dict):
        return {key: _without_titles(one) for key, one in value.items() if key != "title" or not isinstance(one, str)}
    return [_without_titles(one) for one in value] if isinstance(value, list) else value


def misfits(value: object, schema: Schema) -> list[str]:
    """What of a value does not fit a schema, each in a sentence that says where."""
    found = sorted(Draft202012Validator(schema).iter_errors(value), key=lambda one: [str(at) for at in one.path])
    told = []
    for one in found[:MOST_TOLD]:
        place = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in one.path).lstrip(".")
        told.append(f"{place or 'arguments'}: {one.message}"[:LONGEST])
    return told + ([f"and {len(found) - MOST_TOLD} more"] if len(found) > MOST_TOLD else [])
