"""A form as text for a prompt: what each field is called, holds and means, in a third of the letters of a JSON Schema.

The notation is that of TypeScript's types, which models know well; a field that may be left out has a `?`.
"""

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from llm.protocol import schema_of

_PLAIN = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean", "null": "null"}
MOST_SHOWN = 12  # values of an enumeration that are written out, where a description stands for them
Schema = dict[str, Any]


def schema_text(form: type[BaseModel]) -> str:
    """The form and all that it is made of, one type after the other, the form first.

    >>> class Answer(BaseModel):
    ...     "What was asked."
    ...     words: list[str]
    >>> print(schema_text(Answer))
    // What was asked.
    type Answer = {
      words: string[]
    }
    """
    schema = schema_of(form)
    named = {form.__name__: schema, **schema.get("$defs", {})}
    return "\n".join(line for name, one in named.items() for line in _type(name, one))


def _type(name: str, schema: Schema) -> Iterator[str]:
    if description := schema.get("description"):
        yield f"// {_line(description)}"
    if "properties" not in schema:
        yield f"type {name} = {_type_text(schema)}"
        return
    needed = schema.get("required", [])
    yield f"type {name} = {{"
    for field, spec in schema["properties"].items():
        long = len(spec.get("enum", ())) > MOST_SHOWN and spec.get("description")  # the description says which
        said = f"  {field}{'' if field in needed else '?'}: {'string' if long else _type_text(spec)}"
        yield f"{said}  // {_line(spec['description'])}" if spec.get("description") else said
    yield "}"


def _type_text(schema: Schema) -> str:
    """A type in line; as JSON Schema where it is of no kind that the notation has."""
    match schema:
        case {"$ref": str(ref)}:
            return ref.rpartition("/")[2]
        case {"anyOf": list(members)}:
            return " | ".join(dict.fromkeys(_type_text(member) for member in members))
        case {"enum": list(values)}:
            return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
        case {"const": value}:
            return json.dumps(value, ensure_ascii=False)
        case {"type": "array", "items": dict(items)}:
            inner = _type_text(items)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case {"type": str(kind)} if kind in _PLAIN:
            return _PLAIN[kind]
        case _:
            return json.dumps(schema, ensure_ascii=False)


def _line(text: str) -> str:
    return " ".join(text.split())
