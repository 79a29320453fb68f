"""What a node gives that applies a rule pack: what the rows say that hold, put together."""

from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from ir.base import canonical_json
from ir.formulas.evaluate import FormulaFault
from ir.formulas.rows import apply_rules, rows_holding
from ir.predicate import Always, Otherwise, Ref, Tree, evaluate
from ir.walk.forms import Ready
from ir.walk.outcome import Outcome
from ir.walk.run import Run
from ir.workflow import Node, Rule


def outcome_by_rules(run: Run, name: str, recorded: Outcome | None = None) -> Outcome | None:
    """What a node that is ready gives by its rows; None where these do not say it all.

    It fails where a formula has no value, as in a division by zero.

    Args:
        recorded: what somebody else brings: a failure stands, outputs stand beside those of the rows.
    """
    node = run.workflow.nodes[name]
    pack = run.workflow.rule_packs.get(node.rule_pack or "")
    if pack is None or not pack.computes or (recorded is not None and recorded.failed):
        return None
    found = apply_rules(pack, lambda ref: _value_in_row(run, node, ref), run.workflow.calendars)
    if isinstance(found, FormulaFault):
        return Outcome(error=found.code, message=found.why)
    return Outcome(output={**(recorded.output or {} if recorded is not None else {}), **found})


def rules_outcome(run: Run, ready: Ready) -> Outcome:
    """The outcome of a ready node by its rule pack.

    It fails with RULES_UNDECIDED where an unknown condition could change what is given, with NO_RULE where no row
    holds, with RULES_CONFLICT where two rows that hold give one field different values, with NO_RULE_PACK where the
    workflow has none of that name.
    """
    node = run.workflow.nodes[ready.node]
    pack = run.workflow.rule_packs.get(node.rule_pack or "")
    if pack is None:
        return Outcome(error="NO_RULE_PACK", message=node.rule_pack)
    computed = outcome_by_rules(run, ready.node)
    if computed is not None:
        return computed
    truths = {
        at: evaluate(rule.condition, lambda ref: _value_in_row(run, node, ref))
        for at, rule in enumerate(pack.rules)
        if isinstance(rule.condition, Tree)
    }
    holding = [rule for at, rule in enumerate(pack.rules) if isinstance(rule.condition, Always) or truths.get(at)]
    unknown = [pack.rules[at] for at, truth in truths.items() if truth is None]
    rest = [rule for rule in pack.rules if isinstance(rule.condition, Otherwise)]
    if not holding and not unknown:
        holding = rest
    given: dict[str, JsonValue] = {}
    for rule in holding:
        for name, value in rule.outcome.items():
            if name in given and canonical_json(given[name]) != canonical_json(value):
                return Outcome(error="RULES_CONFLICT", message=f"{rule.rule_id} gives {name} another value")
            given[name] = value
    doubtful = [*unknown, *(rest if unknown and not holding else [])]
    if open_ := next((rule for rule in doubtful if not _adds_nothing(rule, given)), None):
        return Outcome(error="RULES_UNDECIDED", message=f"whether {open_.rule_id} holds is unknown")
    return Outcome(output=given) if holding else Outcome(error="NO_RULE", message="no row holds")


def rules_that_hold(run: Run, name: str) -> tuple[Rule, ...]:
    """The rows that give what a node that is ready gives by its rule pack; none where it has no pack."""
    node = run.workflow.nodes[name]
    pack = run.workflow.rule_packs.get(node.rule_pack or "")
    if pack is None:
        return ()
    held = rows_holding(pack.rules, lambda tree: evaluate(tree, lambda ref: _value_in_row(run, node, ref)))
    return tuple(pack.rules[row] for row in held)


def _adds_nothing(rule: Rule, given: Mapping[str, JsonValue]) -> bool:
    return all(
        name in given and canonical_json(given[name]) == canonical_json(value) for name, value in rule.outcome.items()
    )


def _value_in_row(run: Run, node: Node, ref: Ref) -> JsonValue:
    """What a reference in a row reads: an input of the node that applies it, else what the workflow has."""
    if ref.root != "inputs" or ref.path[0] not in node.inputs:
        return run.lookup(ref)
    given = node.inputs[ref.path[0]]
    value: object = run.lookup(given) if isinstance(given, Ref) else given.value
    for key in ref.path[1:]:
        value = value.get(key) if isinstance(value, Mapping) else None
    return cast(JsonValue, value)
