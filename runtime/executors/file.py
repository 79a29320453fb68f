"""Writes a record, or a document that an input holds, to a folder.

    [executors."record.create"]
    kind = "file"
    folder = "records"                       # beside flowc.toml
    name = "{{system}}.jsonl"                # inputs in it are cleaned; all records of a file are its lines
    give = {record_id = "key", created_at = "at"}

A record is a line of JSON with the inputs, the execution, the node, the moment and the key of the call; a call that is
made again finds its line. With `write = "document"` the file holds what `content` names, and a name is written once.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import JsonValue, model_validator

from ir.base import canonical_json
from runtime.executors.contract import Call
from runtime.executors.folder import NameSetting, append_once, name_of, write_once
from runtime.executors.giving import given_outputs
from runtime.executors.settings import Settings, settings_of, settled
from runtime.executors.texts import value_of
from store.clock import now

FACTS = ("path", "file", "sha256", "at", "key")


class FileSettings(Settings):
    """What the executor is told.

    Args:
        folder: where it writes.
        name: of the file in it; may hold `{{input}}`.
        content: the input that a document holds.
        give: by output what it gives of `FACTS`, or a value.
    """

    folder: str
    name: NameSetting
    write: Literal["record", "document"] = "record"
    content: str | None = None
    give: dict[str, JsonValue] = {}

    @model_validator(mode="after")
    def _has_content(self) -> "FileSettings":
        if (self.write == "document") != (self.content is not None):
            raise ValueError('content names the input that is written, with write = "document" and only there')
        return self


class FileExecutor:
    """Writes to a folder."""

    def settle(self, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
        """See `Settling`."""
        return settled(FileSettings, settings, root, ("folder",))

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        told = settings_of(FileSettings, call)
        given_outputs(told.give, {}, FACTS, "a written file")
        root, name = Path(told.folder), name_of(told.name, call)
        if told.content is not None:
            content = value_of(told.content, call.inputs).encode()
            found = write_once(root, name, call.key, content, call.timeout)
        else:
            record: dict[str, JsonValue] = {
                "key": call.key, "at": now(), "execution": call.execution, "node": call.node, "type": call.type,
                "inputs": dict(call.inputs),
            }  # fmt: skip
            line = append_once(root, name, record, call.timeout)
            digest = hashlib.sha256(canonical_json(line).encode()).hexdigest()
            found = {"key": line["key"], "at": line["at"], "path": name, "sha256": digest}
        return given_outputs(told.give, {**found, "file": str(root / found["path"])}, FACTS, "a written file")
