"""All forms that have a JSON Schema: those of the language and those of the catalog."""

from collections.abc import Mapping

from pydantic import BaseModel

from catalog.concept import Concept
from catalog.node_type import NodeType
from ir.schema import FORMS, json_schema, schema_texts

ALL_FORMS: Mapping[str, type[BaseModel]] = {**FORMS, "concept": Concept, "node-type": NodeType}

__all__ = ["ALL_FORMS", "json_schema", "schema_texts"]
