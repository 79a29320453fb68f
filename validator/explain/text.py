"""The answers of `validator.explain.explanation` as plain text."""

import json

from pydantic import JsonValue

from validator.analysis.locations import arrows
from validator.explain.explanation import Explanation
from validator.runs.example_runs import Run

COUNTED = "Routes whose conditions cannot hold together are not counted."
COUNTED_COARSELY = (
    "Some of them may contradict themselves: their conditions are too many to be held against each other."
)
_ABLE = {
    True: "It can complete without a person",
    False: "It cannot complete without a person",
    None: "It was not found out whether it can complete without a person",
}


def render_text(explanation: Explanation) -> str:
    """The answers as plain text for a terminal."""
    lines = [f"{explanation.title or explanation.workflow_id} (risk {explanation.risk_level})", "", "Steps"]
    for step in explanation.steps:
        who = step.who or {"person": "a person", "system": "system", "control": ""}[step.by]
        rest = " · ".join(part for part in (step.type, who, f"risk {step.risk}" if step.risk != "low" else "") if part)
        lines.append(f"  {step.node}: {step.label + ' · ' if step.label else ''}{rest}")
    bound = "" if explanation.exact else "at most "
    lines += ["", f"Routes ({bound}{explanation.route_count}, {explanation.routes_with_person} of them with a person)"]
    lines.append("  " + (COUNTED if explanation.exact else COUNTED_COARSELY))
    lines += ["  A run may take several of them side by side."] if explanation.side_by_side else []
    for route in explanation.routes:
        lines.append(f"  {arrows(route.nodes)} [{route.ends}]" + (" · person" if route.people else ""))
        if route.conditions:
            lines.append("      if " + "; ".join(route.conditions))
    if len(explanation.routes) < explanation.route_count:
        lines.append(f"  … and {explanation.route_count - len(explanation.routes)} more")
    lines += ["", "People"]
    for person in explanation.people:
        lines.append(f"  {person.node}: {person.who or 'a person'} {person.what} ({person.why})")
    lines += ["  nobody is needed"] if not explanation.people else []
    start = "may" if explanation.may_start_by_itself else "may not"
    lines += ["", f"{_ABLE[explanation.completes_without_person]}, and it {start} start by itself."]
    lines += _example(explanation.without_person) if explanation.without_person else []
    lines += ["", "What decides"]
    for deciding in explanation.deciding:
        how = "" if deciding.directly else ", through what is found out from it"
        lines.append(f"  input {deciding.input} at {', '.join(deciding.at)}{how}")
    lines += [f"  {text}" for text in explanation.learnt]
    lines += ["  nothing: every run takes the same way"] if not (explanation.deciding or explanation.learnt) else []
    lines += ["", "Results"] if explanation.results else []
    for result in explanation.results:
        values = " or ".join(_short(value) for value in result.can_be)
        lines.append(f"  {result.name}: {result.type}" + (f", {values}" if values else ""))
        lines += [f"      in the report {result.report}"] if result.report else []
        lines += [f"      {by}: {value}" for by, value in result.given.items()]
        lines += [f"      else {_short(result.default)}"] if result.default is not None else []
    lines += ["", "What is computed"] if explanation.computed else []
    for one in explanation.computed:
        when = f" (when {one.when})" if one.when else ""
        lines.append(f"  {one.node}.{one.output} = {one.formula}{when}")
        lines += [f"      “{quote}”" for quote in one.quotes]
    return "\n".join(lines) + "\n"


def _example(run: Run) -> list[str]:
    """A run, value by value."""
    values = [f"$.inputs.{name} = {_short(value)}" for name, value in run.inputs.items()]
    for node, record in run.outputs.items():
        values += [f"$.outputs.{node}.{name} = {_short(value)}" for name, value in record.items()]
    return ["  for example with " + ", ".join(values)] if values else []


def _short(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
