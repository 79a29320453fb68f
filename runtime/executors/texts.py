"""Texts with `{{input}}` in them: templates of documents, names of files, subjects of mails."""

import re
from collections.abc import Iterator, Mapping
from string import Template
from typing import Annotated

from pydantic import AfterValidator, JsonValue

from runtime.executors.contract import ExecutorFault


class Text(Template):
    """A text in which `{{input}}` stands for an input, `{{input.part}}` for a part of it, `{{{{` for two braces.

    >>> Text("{{name}}: {{ entity.cas }}").substitute({"name": "硫酸", "entity.cas": "7664-93-9"})
    '硫酸: 7664-93-9'
    """

    delimiter = "{{"
    pattern = r"""
        (?P<escaped>\{\{\{\{) | \{\{\s*(?P<named>[^\W\d][\w.]*)\s*\}\} | (?P<braced>(?!)) | (?P<invalid>\{\{)
    """  # type: ignore[assignment]  # the library makes an expression of it


def _text(text: str) -> str:
    if not Text(text).is_valid():
        raise ValueError("braces that are not closed; write {{input}}, or {{{{ for two braces")
    return text


TextSetting = Annotated[str, AfterValidator(_text)]


def filled(text: str, inputs: Mapping[str, JsonValue]) -> str:
    """A text with its inputs.

    Raises:
        ExecutorFault: an input is missing or empty, or is no single value.

    >>> filled("{{n}} kg, {{ok}}", {"n": 5000, "ok": True})
    '5000 kg, true'
    """
    names = Text(text).get_identifiers()
    return Text(text).substitute({name: value_of(name, inputs) for name in names})


def value_of(name: str, inputs: Mapping[str, JsonValue]) -> str:
    """An input, or a part of one, as text.

    Raises:
        ExecutorFault: it is missing or empty, or is no single value.
    """
    value: JsonValue = dict(inputs)
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(int(value) if isinstance(value, float) and value.is_integer() else value)
        case str() if value.strip():
            return value
        case list() | dict() if value:
            raise ExecutorFault("BAD_INPUT", f"{name} is no single value, which a text needs", made=False)
    raise ExecutorFault("MISSING_VALUE", f"{name} is missing or empty, and a text needs it", made=False)


def placeholders(text: str) -> Iterator[tuple[int, int, str]]:
    """Where inputs stand in a text: from, to, and their names.

    >>> list(placeholders("{{a}} {{ b.c }}"))
    [(0, 5, 'a'), (6, 15, 'b.c')]
    """
    for found in re.finditer(Text.pattern, text):
        if found["named"]:
            yield found.start(), found.end(), found["named"]
