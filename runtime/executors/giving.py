"""How what was found becomes the outputs of a Type: `give` in the settings, and evidence of where it stands."""

from collections.abc import Collection, Mapping

from pydantic import JsonValue

from ir.fields import Fields
from runtime.executors.contract import ExecutorFault


def given_outputs(
    give: Mapping[str, JsonValue], found: Mapping[str, JsonValue], names: Collection[str], of: str
) -> dict[str, JsonValue]:
    """The outputs that settings name: from what was found where a name stands, else the value as it is.

    Args:
        give: by output, whose parts are joined by dots, a name or a value.
        names: of what there is to find.
        of: what has these names, for messages.

    Raises:
        ExecutorFault: there is no such name.

    >>> given_outputs({"entity.cas": "cas", "known": True}, {"cas": "7664-93-9"}, ["cas"], "the table")
    {'entity': {'cas': '7664-93-9'}, 'known': True}
    """
    outputs: dict[str, JsonValue] = {}
    for path, source in give.items():
        if isinstance(source, str) and source not in names:
            raise ExecutorFault("NO_COLUMN", f"{of} has no column {source}; there is {', '.join(names)}")
        _set(outputs, path.split("."), found.get(source) if isinstance(source, str) else source)
    return outputs


def null_outputs(fields: Fields, code: str, message: str) -> dict[str, JsonValue]:
    """What there is to give where nothing was found.

    Raises:
        ExecutorFault: an output may not be null; it has the code.
    """
    outputs: dict[str, JsonValue] = {}
    for name, spec in fields.items():
        if name == "evidence":
            continue
        if spec.nullable:
            outputs[name] = None
        elif spec.required is True:
            raise ExecutorFault(code, message)
    return outputs


def evidence(fields: Fields, told: Mapping[str, JsonValue], otherwise: str) -> dict[str, JsonValue]:
    """Where something stands, as far as the Type has a place for it.

    Args:
        told: what can be said.
        otherwise: the kind of source where the Type names none.
    """
    spec = fields.get("evidence")
    if spec is None:
        return {}
    known = spec.properties or {}
    kinds = known["source_type"].enum if "source_type" in known else None
    all_told: dict[str, JsonValue] = {"source_type": kinds[0] if kinds else otherwise, **told}
    return {"evidence": {name: value for name, value in all_told.items() if name in known and value is not None}}


def with_evidence(outputs: dict[str, JsonValue], found: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Outputs with evidence; what the settings say of it goes before.

    >>> with_evidence({"evidence": {"record_id": "7"}}, {"evidence": {"system": "register"}})
    {'evidence': {'system': 'register', 'record_id': '7'}}
    """
    said, told = outputs.get("evidence", {}), found.get("evidence", {})
    if isinstance(said, dict) and isinstance(told, dict) and found:
        return {**outputs, "evidence": {**told, **said}}
    return outputs


def _set(record: dict[str, JsonValue], path: list[str], value: JsonValue) -> None:
    for key in path[:-1]:
        inner = record.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        record = inner
    record[path[-1]] = value
