"""What stands in the way of publishing a version."""

from collections.abc import Callable, Iterator, Mapping

from pydantic import JsonValue

from catalog.load import Catalog
from catalog.node_type import NodeType
from ir.codec import digest
from ir.walk import performer
from ir.workflow import Node, Workflow
from registry.forms import Blocker, Pin, Report, Version
from registry.reviewed import JudgedCase, Reviewed
from store.users import APPROVER, User
from validator.checks import CheckInput, validate

Bind = Callable[[Node, NodeType | None], str | None]
"""Which executor a node has here: its name, `manual` for a task of a person, None where it has none."""


def report_of(
    workflow: Workflow,
    catalog: Catalog,
    compiler: str,
    open_questions: tuple[str, ...] = (),
    called: tuple[Workflow, ...] = (),
    reviewed: Reviewed | None = None,
    cases: tuple[JudgedCase, ...] = (),
) -> Report:
    """Validate a workflow by itself, with what is known of its draft.

    Args:
        called: what it calls, directly or not, as the registry has it.
        reviewed: its findings that come of the document are told beside those of the definition.
    """
    alone = validate(CheckInput(workflow, catalog, called))
    found = (*alone, *(reviewed.findings if reviewed is not None else ()))
    return Report(
        digest=digest(workflow),
        tier="alone" if reviewed is None else "sources",
        catalog=catalog.digest,
        compiler=compiler,
        errors=sum(one.severity == "error" for one in found),
        warnings=sum(one.severity == "warning" for one in found),
        findings=found,
        open_questions=open_questions,
        reviewed=reviewed,
        cases=cases,
    )


def pins_of(workflow: Workflow, catalog: Catalog) -> tuple[Pin, ...]:
    """The Node Types that a workflow uses, as the catalog has them; those that it lacks are left out."""
    used = sorted({node.type for node in workflow.nodes.values()} & set(catalog.node_types))
    return tuple(pin_of(catalog.node_types[name]) for name in used)


def pin_of(node_type: NodeType) -> Pin:
    """A Type with its version and what it takes and gives."""
    schema: JsonValue = {
        "inputs": {name: spec.to_json() for name, spec in node_type.inputs_schema.items()},
        "outputs": {name: spec.to_json() for name, spec in node_type.outputs_schema.items()},
    }
    return Pin(type=node_type.type, version=node_type.version, schema_hash=digest(schema))


def executors_of(workflow: Workflow, catalog: Catalog, bind: Bind) -> dict[str, str]:
    """By node who carries it out; nodes that nobody has to carry out, and those without executor, are left out."""
    found: dict[str, str] = {}
    for name, node in workflow.nodes.items():
        match performer(node):
            case "person":
                found[name] = "manual"
            case "rules":
                found[name] = "rules"
            case "workflow":
                found[name] = "workflow"
            case "system":
                bound = bind(node, catalog.node_types.get(node.type))
                if bound is not None:
                    found[name] = bound
            case _:
                pass
    return found


def blockers(version: Version, user: User, executors: Mapping[str, str], accepted: str) -> Iterator[Blocker]:
    """What has to be done before a version can be published.

    Args:
        user: who would publish it.
        accepted: why open questions may stay open; empty where they may not.
    """
    workflow, report = version.definition, version.report
    if report.digest != version.digest:
        yield Blocker(kind="report", told="its report is of another definition; submit it again")
    if report.errors:
        codes = sorted({one.error_code for one in report.findings if one.severity == "error"})
        told = f"validation finds {report.errors} errors ({', '.join(codes)}); `flowc validate` shows them"
        yield Blocker(kind="errors", told=told, names=tuple(codes))
    yield from _wrong_cases(report)
    if not accepted:
        yield from _unenforced(report)
    if report.open_questions and not accepted:
        asked = report.reviewed.open_of("question") if report.reviewed is not None else ()
        names = tuple(one.words for one in asked) or report.open_questions
        listed = ", ".join(names)
        told = (
            f"questions are open that could change what is done ({listed}); answer them, or say why not: --accept-open"
        )
        yield Blocker(kind="questions", told=told, names=names)
    if not accepted:
        for what, count in left_open(report).items():
            told = f"{_LEFT[what]}: {count}; settle that in the draft, or say why it may stay so: --accept-open"
            yield Blocker(kind="left", told=told, names=(what, str(count)))
    if workflow.execution_policy.risk_level == "high" and user.name == version.author:
        told = f"its risk is high and {user.name} submitted it; another user with the role {APPROVER} has to publish it"
        yield Blocker(kind="author", told=told, names=(user.name, APPROVER))
    for name, node in workflow.nodes.items():
        if performer(node) == "system" and name not in executors:
            told = (
                f"nothing here carries out {node.type} of the node {name}; bind it in flowc.toml, "
                f"or make it a task of a person with --manual {node.type}"
            )
            yield Blocker(kind="unbound", told=told, names=(node.type, node.label or name))


_LEFT = {
    "decision": "decisions that do not hold any more",
    "step": "steps that no Node Type fits, and that nobody accepted",
    "text": "texts that found no place",
    "case": "judged cases that do not run any more as they were judged",
    "warning": "warnings",
}


def left_open(report: Report) -> dict[str, int]:
    """What a reviewed draft leaves open beside questions and prohibitions, by sort how many; nothing that is none."""
    reviewed = report.reviewed
    if reviewed is None:
        return {}
    counts = {
        "decision": len(reviewed.open_of("decision")),
        "step": len(reviewed.open_of("step")),
        "text": len(reviewed.open_of("text")),
        "case": sum(one.outcome in ("differs", "stale") for one in report.cases),
        "warning": report.warnings,
    }
    return {what: count for what, count in counts.items() if count}


def _unenforced(report: Report) -> Iterator[Blocker]:
    """Each prohibition that nobody sees to."""
    for one in report.reviewed.open_of("prohibition") if report.reviewed is not None else ():
        told = (
            f"nothing enforces “{one.words}”, and nobody accepted that; correct the draft or accept it there, "
            "or say why it may stay so: --accept-open"
        )
        yield Blocker(kind="prohibition", told=told, names=(one.words,))


def _wrong_cases(report: Report) -> Iterator[Blocker]:
    """Each case that is wrong, which no reason lets pass."""
    for case in report.cases:
        if case.outcome == "still wrong":
            should = f" ({case.said})" if case.said else ""
            told = (
                f"{case.author} judged the case {case.id} wrong{should}, and it runs as it did; correct the draft and "
                "submit it again, or judge the case anew"
            )
            yield Blocker(kind="case", told=told, names=(case.id, case.author, case.said))
