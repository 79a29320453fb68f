"""Whether the parts of a procedure that a person corrected fit together: checked before the build goes on from it."""

import difflib
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter

from ir.errors import BadInputFile
from ir.predicate import references
from ir.procedure import END, START, Procedure


def check_corrected(procedures: Sequence[Procedure]) -> None:
    """Refuse procedures whose parts do not fit together.

    Raises:
        BadInputFile: a flow or condition names a step, condition or fact that is not there, or an id stands twice; the
            message has the JSON pointer of each fault.
    """
    faults = [f"/{at}{fault}" for at, procedure in enumerate(procedures) for fault in faults_of(procedure)]
    if faults:
        raise BadInputFile("; ".join(faults) + "; correct the file and compile again")


def faults_of(procedure: Procedure) -> Iterator[str]:
    """What in a procedure names a part that is not there, each with its JSON pointer."""
    steps, facts = [s.id for s in procedure.steps], [f.id for f in procedure.facts]
    results = [r.id for r in procedure.results]
    conditions = [c.id for c in procedure.conditions]
    for what, ids in (("steps", steps), ("facts", facts), ("conditions", conditions)):
        for at, name in enumerate(ids):
            if name in ids[:at]:
                yield f"/{what}/{at}/id: {name!r} stands twice"
    for at, flow in enumerate(procedure.flows):
        if flow.source not in (START, *steps):
            yield f"/flows/{at}/from: there is no step {_named(flow.source, steps)}"
        if flow.target not in (END, *steps):
            yield f"/flows/{at}/to: there is no step {_named(flow.target, steps)}"
        if flow.condition not in (None, "otherwise", *conditions):
            yield f"/flows/{at}/condition: there is no condition {_named(str(flow.condition), conditions)}"
    for at, condition in enumerate(procedure.conditions):
        for ref in references(condition.predicate) if condition.predicate is not None else ():
            known = {"facts": facts, "steps": steps, "results": results}.get(ref.root)
            if known is None or ref.path[0] not in known:
                yield f"/conditions/{at}/predicate: {ref.text} is no fact, step or result of the procedure"
    yield from _circles(procedure)


def _circles(procedure: Procedure) -> Iterator[str]:
    """Flows lead forward only: what is sent back ends with `returned`."""
    after: dict[str, set[str]] = {}
    for flow in procedure.flows:
        after.setdefault(flow.target, set()).add(flow.source)
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        yield f"/flows: they lead in a circle: {' → '.join(reversed(error.args[1]))}"


def _named(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"{name!r}" + (f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(known) or 'none'}")
