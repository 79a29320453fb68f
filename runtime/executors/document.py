"""Fills a template with the inputs of a node, and writes the document to a folder.

    [executors."document.generate"]
    kind = "document"
    template = "templates/report.docx"      # beside flowc.toml; a text in UTF-8, or a document of Word
    folder = "reports"
    name = "{{document_type}}-{{content.shipment_id}}.docx"
    give = {document_id = "path", document_text = "text"}

`{{input}}` stands for an input, `{{input.part}}` for a part of it; one that is missing or empty fails the node, since
nobody should sign a document with a hole in it. The same inputs make the same bytes. See `file` for how it is written.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from runtime.executors import word
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.file import FACTS
from runtime.executors.folder import NameSetting, name_of, write_once
from runtime.executors.giving import given_outputs
from runtime.executors.settings import Settings, settings_of, settled
from runtime.executors.texts import Text, filled, value_of

GIVEN = (*FACTS, "text")


class DocumentSettings(Settings):
    """What the executor is told.

    Args:
        template: the file that is filled.
        folder: where the document is written.
        name: of the document in it; may hold `{{input}}`.
        give: by output what it gives of `GIVEN`, or a value.
    """

    template: str
    folder: str
    name: NameSetting
    give: dict[str, JsonValue] = {}


class DocumentExecutor:
    """Fills templates."""

    def settle(self, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
        """See `Settling`; the template is looked at as well."""
        found = settled(DocumentSettings, settings, root, ("template", "folder"))
        template = Path(found["template"])
        if not template.is_file():
            raise ValueError(f"template: there is no file {template}")
        try:
            text = word.text_of(template.read_bytes()) if _is_word(template) else template.read_text("utf-8")
        except (OSError, ValueError) as error:
            raise ValueError(f"template: {template} cannot be read: {error}") from error
        if not Text(text).is_valid():
            raise ValueError(f"template: {template} has braces that are not closed; write {{{{input}}}}")
        return found

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        told = settings_of(DocumentSettings, call)
        given_outputs(told.give, {}, GIVEN, "a filled document")
        content, text = _filled(Path(told.template), call)
        root = Path(told.folder)
        found = write_once(root, name_of(told.name, call), call.key, content, call.timeout)
        facts = {**found, "file": str(root / found["path"]), "text": text}
        return given_outputs(told.give, facts, GIVEN, "a filled document")


def _is_word(template: Path) -> bool:
    return template.suffix.lower() == ".docx"


def _filled(template: Path, call: Call) -> tuple[bytes, str]:
    """The document, and its text."""
    try:
        raw = template.read_bytes()
        if _is_word(template):
            content = word.filled(raw, lambda name: value_of(name, call.inputs))
            return content, word.text_of(content)
        text = filled(raw.decode("utf-8"), call.inputs)
        return text.encode(), text
    except (OSError, ValueError) as error:
        raise ExecutorFault("NOT_FILLED", f"{template.name}: {error}", made=False) from error
