"""JSON Schemas (2020-12) of the forms, made from the models and committed under `docs/schema/`."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter

from ir.codec import write_json
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.facts import Bindings, Reference
from ir.kept_case import KeptCases
from ir.predicate import Predicate
from ir.procedure import Procedure
from ir.scenario import Scenarios
from ir.workflow import Workflow

Schema = dict[str, Any]
FORMS: Mapping[str, type[BaseModel]] = {
    "bindings": Bindings,
    "diagnostic": Diagnostic,
    "document": Document,
    "procedure": Procedure,
    "reference": Reference,
    "scenarios": Scenarios,
    "tests": KeptCases,
    "workflow": Workflow,
}
"""The forms of the language by the names that commands and files use; layers above add their own."""
_TREE = "#/$defs/ConditionTree"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(name: str, form: type[BaseModel]) -> Schema:
    """The JSON Schema of a form, by alias, self-contained; `$id` is the name of its file.

    Condition trees, which a model's own schema shows to two levels only, are a definition that refers to itself.
    """
    schema = form.model_json_schema(by_alias=True)
    tree = TypeAdapter(Predicate).json_schema()
    shared = _shared(schema, tree)
    if shared != schema:
        shared.setdefault("$defs", {})["ConditionTree"] = _recursive(tree)
    return {"$schema": _DIALECT, "$id": schema_file(name), **shared}


def schema_file(name: str) -> str:
    """The name of a form's schema file.

    >>> schema_file("workflow")
    'workflow.schema.json'
    """
    return f"{name}.schema.json"


def schema_texts(forms: Mapping[str, type[BaseModel]] = FORMS) -> dict[str, str]:
    """The schema files of several forms: name of the file to its text."""
    return {schema_file(name): schema_text(name, form) for name, form in sorted(forms.items())}


def schema_text(name: str, form: type[BaseModel]) -> str:
    """The text of one schema file."""
    return write_json(json_schema(name, form))


def _shared(schema: Any, tree: Schema) -> Any:
    """The schema with a reference in place of every condition tree."""
    if isinstance(schema, list):
        return [_shared(item, tree) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("properties") == tree["properties"]:
        return {"$ref": _TREE} | {key: value for key, value in schema.items() if key not in tree}
    shared = {key: _shared(value, tree) for key, value in schema.items()}
    if shared.get("default") == {} and {"enum": ["always", "otherwise"]} in shared.get("anyOf", []):
        shared["default"] = "always"  # pydantic writes the default of a condition as an empty object
    return shared


def _recursive(tree: Schema) -> Schema:
    """The schema of a condition tree, whose parts are condition trees."""
    properties = tree["properties"]
    below = {"$ref": _TREE}
    junctions = {op: {**properties[op], "items": below} for op in ("and", "or")}
    return {**tree, "properties": {**properties, **junctions, "not": below}}
