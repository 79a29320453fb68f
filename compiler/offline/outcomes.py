"""How steps come out: what occasions the first one, what a refusal leads to, which outcomes conditions tell apart."""

from collections.abc import Mapping
from dataclasses import replace

from compiler.offline.flows import Item, Route
from compiler.offline.harvest import Draft, Harvest
from compiler.offline.logic import OUTCOMES
from ir.predicate import Compare, Junction, Literally, Ref, Tree, leaves, references
from ir.procedure import Fact


def take_occasion(harvest: Harvest, facts: Mapping[str, Fact]) -> None:
    """What has to be the case for the first step to be taken at all is the trigger, not a branch."""
    steps = [item for item in harvest.items if item.kind != "skip"]
    guard = steps[0].guard if steps else None
    left = guard.left if isinstance(guard, Compare) and guard.op == "eq" else None
    fact = facts.get(left.path[0]) if isinstance(left, Ref) else None
    unconditional = [item for item in steps if item.kind == "step" and item.guard != guard]
    if fact is None or fact.type != "boolean" or fact.concept or _chooses(steps, guard, unconditional):
        return
    harvest.items = [replace(item, guard=None) if item.guard == guard else item for item in harvest.items]


def _chooses(steps: list[Item], guard: Tree | None, others: list[Item]) -> bool:
    """Whether the first condition only chooses one act: what follows it is done in any case, or on another condition.

    Two or more acts on the first condition say that the procedure is about that case; a single one may be a branch.
    """
    first = [item for item in steps if item.guard == guard]
    return bool(others) and len(first) < 2


def spread_refusals(harvest: Harvest) -> None:
    """What is to be done when `审批` is refused holds for every approval before it of which nothing is said."""
    approvals = [draft.id for draft in harvest.drafts if draft.first.step_kind == "approval"]
    said = {ref.node for item in harvest.items if item.guard for ref in references(item.guard)}
    silent = [name for name in approvals if name not in said]
    order = [item.id for item in harvest.items]
    for at, item in enumerate(harvest.items):
        guard = item.guard
        if not isinstance(guard, Compare) or not isinstance(guard.left, Ref) or not isinstance(guard.right, Literally):
            continue
        others = [name for name in silent if order.index(name) < at]
        refused = guard.op == "eq" and guard.right.value == "rejected" and guard.left.node in approvals
        if refused and others:
            each = tuple(replace(guard, left=Ref(f"$.steps.{name}.outcome")) for name in others)
            harvest.items[at] = replace(item, guard=Junction("or", (*each, guard)))


def name_outcomes(drafts: list[Draft], routes: list[Route]) -> None:
    """Give the steps whose outcome a condition reads the outcomes that it tells apart."""
    for route in routes:
        for leaf in leaves(route.condition) if route.condition else ():
            if isinstance(leaf, Compare) and isinstance(leaf.left, Ref) and isinstance(leaf.right, Literally):
                pair = next((pair for pair in OUTCOMES if leaf.right.value in pair), ())
                for draft in drafts:
                    if leaf.left.root == "steps" and leaf.left.node == draft.id and not draft.outcomes:
                        draft.outcomes = pair
