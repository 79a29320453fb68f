"""Looks a row up in a table of data that the build brought along, and gives its cells as outputs.

    [executors."ontology.identify_substance"]
    kind = "reference"
    find = {substance_name = ["名称", "别名"]}
    give = {is_hazardous = true, "entity.cas_number" = "cas_number", "entity.canonical_name" = "名称"}

`find` names for each input the columns whose cells it is held against; a cell may list several names. `give` names for
each output the column it comes from, or a value that it has wherever a row is found. Where none is found, or several
are, what may be null is null, and the evidence says which; an output that may not be null fails the node.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, JsonValue

from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.giving import evidence, given_outputs, null_outputs
from runtime.executors.settings import Settings, settings_of, settled

_BETWEEN = re.compile(r"[；;、,，/|\n]+")


class ReferenceSettings(Settings):
    """What the executor is told.

    Args:
        find: by input the columns that it is held against.
        give: by output the column that it comes from, or a value.
        table: which one, where the build brought several.
    """

    find: dict[str, tuple[str, ...]] = Field(min_length=1)
    give: dict[str, JsonValue] = {}
    table: str | None = None


class ReferenceExecutor:
    """Looks a row up in a table of the version."""

    def settle(self, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
        """See `Settling`."""
        return settled(ReferenceSettings, settings)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        told = settings_of(ReferenceSettings, call)
        name, table = _table(call, told.table)
        found = [row for row in table.get("rows", []) if _matches(row["values"], told.find, call)]
        if len(found) != 1:
            status = "ambiguous" if found else "not_found"
            outputs = null_outputs(
                call.outputs, status.upper(), f"{name}: {status.replace('_', ' ')}: {dict(call.inputs)}"
            )
            return {**outputs, **_evidence(call, name, None, status)}
        row = found[0]["values"]
        outputs = given_outputs(told.give, row, table.get("columns", {}), name)
        return {**outputs, **_evidence(call, name, row.get(table.get("key") or ""), None)}


def _table(call: Call, wanted: str | None) -> tuple[str, dict[str, Any]]:
    tables: Mapping[str, Any] = call.references
    chosen = [one for one in tables if wanted in (None, one)]
    if len(chosen) != 1:
        told = ", ".join(tables) or "none"
        raise ExecutorFault(
            "NO_TABLE", f"name one table of the build for {call.type} (`table` in flowc.toml); there is {told}"
        )
    return chosen[0], dict(tables[chosen[0]])


def _matches(row: Mapping[str, JsonValue], find: Mapping[str, tuple[str, ...]], call: Call) -> bool:
    wanted = {name: _plain(call.inputs.get(name)) for name in find}
    return all(
        wanted[name] and wanted[name] in {_plain(one) for column in columns for one in _names(row.get(column))}
        for name, columns in find.items()
    )


def _names(cell: JsonValue) -> Iterator[JsonValue]:
    yield cell
    if isinstance(cell, str):
        yield from _BETWEEN.split(cell)


def _plain(value: JsonValue) -> str:
    return "" if value is None else str(value).strip().casefold()


def _evidence(call: Call, table: str, key: JsonValue, status: str | None) -> dict[str, JsonValue]:
    record = None if key is None else str(key)
    told = {"source_id": table, "doc_id": table, "record_id": record, "status": status}
    return evidence(call.outputs, told, "reference")
