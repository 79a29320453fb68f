"""What a run gives: what the ends say to which it came, else the workflow's outputs, else what the text presumes."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from pydantic import JsonValue

from ir.base import canonical_json
from ir.predicate import Operand, Ref
from ir.source import Evidence
from ir.walk.forms import GRAVITY, Given, WalkResult
from ir.workflow import CONTROL_END, Workflow

Words = Callable[[str | None], tuple[Evidence, ...]]


def given_by(
    workflow: Workflow, ends: Iterable[WalkResult], value_of: Callable[[Operand], JsonValue], words: Words
) -> dict[str, Given]:
    """By name each output and result of a workflow that a run gives, null included.

    Where several ends give one result, the worst of them counts, the first of equals; of an array each gives members,
    none twice. A default stands only where the run came to an end.

    Args:
        ends: those to which the run came, in topological order, each with what it gives.
        words: the evidence of a node and of how the run came to it.
    """
    reached = [end for end in ends if end.node is not None and workflow.nodes[end.node].type == CONTROL_END]
    found: dict[str, Given] = {}
    for name in dict.fromkeys((*workflow.outputs, *workflow.results)):
        spec = workflow.results.get(name)
        own = spec.evidence if spec else ()
        giving = [end for end in reached if name in end.outputs]
        if giving and spec is not None and spec.type == "array":
            at = tuple(dict.fromkeys(end.node for end in giving if end.node))
            value: JsonValue = list(_members(end.outputs[name] for end in giving))
            found[name] = Given(value, "end", at, (*own, *(one for node in at for one in words(node))))
            continue
        if giving:
            worst = max(giving, key=lambda end: GRAVITY[end.status])
            found[name] = Given(worst.outputs[name], "end", (worst.node or "",), (*own, *words(worst.node)))
            continue
        operand = workflow.outputs.get(name)
        value = None if operand is None else value_of(operand)
        if value is None and spec is not None and spec.default is not None and reached:
            found[name] = Given(spec.default, "default", (), own)
            continue
        node = operand.node if isinstance(operand, Ref) else None
        at = (node,) if node in workflow.nodes else ()
        found[name] = Given(value, "output", at, (*own, *(words(node) if at else ())))
    return found


def values(given: Mapping[str, Given]) -> dict[str, JsonValue]:
    """The values alone."""
    return {name: one.value for name, one in given.items()}


def _members(given: Iterable[JsonValue]) -> Iterator[JsonValue]:
    """The members of what several ends give, each once; null gives none."""
    seen = set[str]()
    for value in given:
        for member in value if isinstance(value, list) else [] if value is None else [value]:
            if (text := canonical_json(member)) not in seen:
                seen.add(text)
                yield member
