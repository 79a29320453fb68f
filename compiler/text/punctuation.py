"""Chinese text with the marks of a Western keyboard (`大修完毕,检修班做试验`), read as if written with its own."""

import re
from typing import Any

from ir.document import Document
from ir.procedure import Procedure

_MARKS = {",": "，", ";": "；", ":": "：", "?": "？", "!": "！"}
_WESTERN = re.compile(
    r"(?<=[\u4e00-\u9fff”》）%℃\d])[,;:?!](?=\s*[\u4e00-\u9fff“《（])|(?<=[\u4e00-\u9fff])[,;:?!](?=\s*[\dA-Za-z]|$)"
)


def punctuated(document: Document) -> Document:
    """The document with its Western commas, semicolons and colons beside Chinese characters as Chinese ones.

    Every offset stays what it is. A document in another language, or without such marks, is given back itself.
    """
    if document.language != "zh":
        return document
    blocks = tuple(
        block.model_copy(
            update={
                "text": _full_width(block.text),
                "cells": tuple(cell.model_copy(update={"text": _full_width(cell.text)}) for cell in block.cells),
            }
        )
        if any(_WESTERN.search(text) for text in (block.text, *(cell.text for cell in block.cells))) else block
        for block in document.blocks
    )  # fmt: skip
    return document if blocks == document.blocks else document.model_copy(update={"blocks": blocks})


def quoted_from(procedure: Procedure, document: Document) -> Procedure:
    """The procedure with the quotes of its evidence as the document has them."""
    return Procedure.model_validate(_quoted(procedure.model_dump(mode="json", by_alias=True), document))


def _full_width(text: str) -> str:
    return _WESTERN.sub(lambda match: _MARKS[match[0]], text)


def _quoted(data: Any, document: Document) -> Any:
    if isinstance(data, list):
        return [_quoted(item, document) for item in data]
    if not isinstance(data, dict):
        return data
    out = {key: _quoted(value, document) for key, value in data.items()}
    where = out.get("block"), out.get("start"), out.get("end")
    if "quote" in out and where[0] is not None and where[1] is not None and where[2] is not None:
        text = document.text_at(where[0])
        out["quote"] = text[where[1] : where[2]] if text is not None else out["quote"]
    return out
