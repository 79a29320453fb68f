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
from typing import Any

from pydantic import JsonValue

from ir.fields import Fields
from runtime.executors.contract import Call, ExecutorFault

_BETWEEN = re.compile(r"[；;、,，/|\n]+")


class ReferenceExecutor:
    """Settings: `find`, `give`, and `table` where the build brought several."""

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        name, table = _table(call)
        found = [row for row in table.get("rows", []) if _matches(row["values"], call)]
        if len(found) != 1:
            return _nothing(call, name, "ambiguous" if found else "not_found")
        row = found[0]["values"]
        outputs: dict[str, JsonValue] = {}
        for path, source in dict(call.settings.get("give", {})).items():
            if isinstance(source, str) and source not in table.get("columns", {}):
                raise ExecutorFault(
                    "NO_COLUMN", f"{name} has no column {source}; there is {', '.join(table['columns'])}"
                )
            _set(outputs, path.split("."), row.get(source) if isinstance(source, str) else source)
        return {**outputs, **_evidence(call.outputs, name, row.get(table.get("key") or ""), None)}


def _table(call: Call) -> tuple[str, dict[str, Any]]:
    wanted = call.settings.get("table")
    tables: Mapping[str, Any] = call.references
    chosen = [one for one in tables if wanted in (None, one)]
    if len(chosen) != 1:
        told = ", ".join(tables) or "none"
        raise ExecutorFault(
            "NO_TABLE", f"name one table of the build for {call.type} (`table` in flowc.toml); there is {told}"
        )
    return chosen[0], dict(tables[chosen[0]])


def _matches(row: Mapping[str, JsonValue], call: Call) -> bool:
    find: Mapping[str, Any] = call.settings.get("find", {})
    wanted = {name: _plain(call.inputs.get(name)) for name in find}
    return bool(find) and all(
        wanted[name] and wanted[name] in {_plain(one) for column in columns for one in _names(row.get(column))}
        for name, columns in find.items()
    )


def _names(cell: JsonValue) -> Iterator[JsonValue]:
    yield cell
    if isinstance(cell, str):
        yield from _BETWEEN.split(cell)


def _plain(value: JsonValue) -> str:
    return "" if value is None else str(value).strip().casefold()


def _nothing(call: Call, table: str, status: str) -> dict[str, JsonValue]:
    """What there is to give where no row can be told."""
    outputs: dict[str, JsonValue] = {}
    for name, spec in call.outputs.items():
        if name == "evidence":
            continue
        if spec.nullable:
            outputs[name] = None
        elif spec.required is True:
            raise ExecutorFault(status.upper(), f"{table}: {status.replace('_', ' ')}: {dict(call.inputs)}")
    return {**outputs, **_evidence(call.outputs, table, None, status)}


def _evidence(fields: Fields, table: str, key: JsonValue, status: str | None) -> dict[str, JsonValue]:
    """Where the row stands, as far as the Type has a place for it."""
    spec = fields.get("evidence")
    known = spec.properties or {} if spec is not None else {}
    kinds = known["source_type"].enum if "source_type" in known else None
    told: dict[str, JsonValue] = {
        "source_type": kinds[0] if kinds else "reference", "source_id": table, "doc_id": table,
        "record_id": None if key is None else str(key), "status": status,
    }  # fmt: skip
    kept: JsonValue = {name: value for name, value in told.items() if name in known and value is not None}
    return {"evidence": kept} if spec is not None else {}


def _set(record: dict[str, JsonValue], path: list[str], value: JsonValue) -> None:
    for key in path[:-1]:
        inner = record.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        record = inner
    record[path[-1]] = value
