"""Sums up what was found by rows of a table: the verdict and what is missing, the facts and evidence it rests on.

    [executors."utility.compliance_summary"]
    kind = "summary"
    evidence = {evidence_bundle = ["identify", "level"]}   # inputs; of each the reference to its evidence
    [executors."utility.compliance_summary".facts.facts]   # by output and name: an input, a part of one, or a condition
    hazard_level = "level.hazard_level"
    filing_required = 'mode_check.required_checks contains "filing_required"'
    [[executors."utility.compliance_summary".rows]]
    when = "filing.has_filing == false"                    # the first row that holds gives; none of it: always
    give = {compliant = false, decision_code = "NOT_COMPLIANT_MISSING_FILING"}

A row that could hold, with an unknown in the way, fails the node: what nobody knows is neither yes nor no.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import Field, JsonValue

from ir.base import Model
from ir.infix import InfixError, parse_infix
from ir.predicate import Ref, evaluate
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.settings import Settings, settings_of, settled


class SummaryRow(Model):
    """What is given where a condition over the inputs holds; without one, always."""

    when: str | None = None
    give: dict[str, JsonValue]


class SummarySettings(Settings):
    """The settings of a summary."""

    rows: tuple[SummaryRow, ...] = Field(min_length=1)
    facts: dict[str, dict[str, str]] = {}
    evidence: dict[str, tuple[str, ...]] = {}


class SummaryExecutor:
    """See `SummarySettings`."""

    def settle(self, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
        """See `Settling`."""
        return settled(SummarySettings, settings)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        told = settings_of(SummarySettings, call)
        outputs = self._row(call, told)
        for output, named in told.facts.items():
            outputs[output] = {name: _value(call, said) for name, said in named.items()}
        for output, inputs in told.evidence.items():
            outputs[output] = [_reference(call, name) for name in inputs]
        return outputs

    def _row(self, call: Call, told: SummarySettings) -> dict[str, JsonValue]:
        for number, row in enumerate(told.rows, 1):
            holds = True if row.when is None else _holds(call, row.when)
            if holds is None:
                message = f"whether row {number} holds ({row.when}) is unknown"
                raise ExecutorFault("RULES_UNDECIDED", message, made=False)
            if holds:
                return dict(row.give)
        raise ExecutorFault("NO_RULE", f"no row of the summary of {call.type} in flowc.toml holds", made=False)


def _holds(call: Call, text: str) -> bool | None:
    try:
        tree = parse_infix(text, {name: f"$.inputs.{name}" for name in call.inputs})
    except InfixError as error:
        raise ExecutorFault("BAD_CONDITION", f"{text}: {error}", made=False) from error
    return evaluate(tree, lambda ref: _part(call.inputs, ref.path))


def _value(call: Call, text: str) -> JsonValue:
    """An input or a part of one where the words are a path; else whether a condition holds, null where unknown."""
    path = tuple(text.split("."))
    if path[0] in call.inputs and all(part.isidentifier() for part in path):
        return _part(call.inputs, path)
    return _holds(call, text)


def _part(inputs: Mapping[str, JsonValue], path: tuple[str, ...]) -> JsonValue:
    value: object = inputs
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return cast(JsonValue, value)


def _reference(call: Call, name: str) -> JsonValue:
    """Where the evidence of what an input was filled from stands; `skipped` where that node gave nothing."""
    source = call.sources.get(name)
    if source is None:
        raise ExecutorFault("NO_SOURCE", f"{name} of {call.node} is filled from no node", made=False)
    found: dict[str, Any] = {"ref": f"{Ref(source).text}.evidence"}
    return found if call.inputs.get(name) is not None else {**found, "status": "skipped"}
