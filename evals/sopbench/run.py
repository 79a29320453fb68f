"""The benchmark: each procedure is compiled once, with its tools as the catalog, and run on every row."""

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from pathlib import Path

from pydantic import JsonValue

from catalog.importing import Import, import_functions
from catalog.importing.merge import merge_into
from catalog.importing.samples import learn_outputs
from catalog.load import BUILTIN, Catalog
from catalog.node_type import NodeType
from compiler.build.builder import compile_documents
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from evals.sopbench.benchmark import SOP, SPECS, TOOLS, Benchmark, Row, read_benchmarks
from evals.sopbench.drive import Driver, Given, Ran, Record, Told
from evals.sopbench.names import known_as, paired
from evals.sopbench.report import BenchmarkResult, RowResult, RowStatus, SopReport
from evals.sopbench.tools import RESULT, Tools
from evals.sopbench.true_path import (
    input_columns,
    needed_tools,
    observed_rows,
    system_names,
    tool_name,
    with_dates,
    with_nones,
)
from evals.sopbench.values import Unfit, same, typed
from ir.fields import FieldSpec
from ir.walk import WalkResult
from ir.workflow import Workflow

SOPBENCH = "sopbench:"
NAMESPACE = "tools"
_QUESTIONS = 4  # to people, all of whose answers are tried
NO_DRAFT = "there is no draft"
SAMPLED = 5  # rows on which the tools are tried before the procedure is read
Progress = Callable[[str, int, int], None]
RunAll = Callable[[Workflow, Given, Told, str], Mapping[str, Ran]]
"""Runs a draft; the text names what the runs are of."""


@dataclass(frozen=True)
class Bound:
    """A draft and what of a benchmark stands for what of it.

    Args:
        columns: those that are to be found.
        inputs: by input the column.
        outputs: by output column the result.
    """

    workflow: Workflow
    columns: tuple[str, ...]
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]


def run_sopbench(
    folder: Path,
    settings: Settings,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
    runtime: Path | None = None,
) -> SopReport:
    """Compile the procedures of a folder and run them on their rows.

    Args:
        folder: of one benchmark, or of several.
        settings: as for a build; its catalogs are replaced by the tools and the one that comes with flowc.
        limit: at most so many rows of each.
        runtime: folder of workspaces in which the drafts are published and run as batches, one that is there being gone
            on with; None for the stepper.

    Raises:
        CompilerError: a file of the benchmark is missing or malformed, its tools cannot be loaded, the model cannot be
            asked.
    """
    found = []
    for benchmark in read_benchmarks(folder, limit):
        with Tools(benchmark.path(TOOLS)) as tools, tempfile.TemporaryDirectory(prefix="flowc-sopbench-") as place:
            imported = with_signatures(import_functions(benchmark.path(SPECS), NAMESPACE), benchmark, tools)
            benchmark = with_dates(benchmark, imported.types.values())
            imported = with_samples(benchmark, imported, tools, Path(place))
            write_catalog(imported, Path(place))
            chosen = replace(settings, catalogs=(Path(place), BUILTIN), role="policy")
            build = compile_documents(benchmark.path(SOP), chosen)
            drafts = tuple(one.workflow for one in build.procedures if one.workflow is not None)
            types = tuple(imported.types.values())
            result = run_drafts(
                benchmark,
                drafts,
                build.catalog,
                types,
                tools,
                progress,
                runtime=None if runtime is None else runtime / benchmark.folder.name,
            )
            found.append(result.model_copy(update=_reading(build, refused=not drafts)))
    method = "offline" if settings.model is None else str(getattr(settings.model, "name", None) or "model")
    return SopReport(method=method if runtime is None else f"{method}, in the runtime", benchmarks=tuple(found))


def with_signatures(imported: Import, benchmark: Benchmark, tools: Tools) -> Import:
    """The tools with what their code requires, where their specification says otherwise and a column gives it.

    An agent is told so by the error of its first call.
    """
    given = set(benchmark.columns) - set(benchmark.outputs)
    types = dict(imported.types)
    for name, one in imported.types.items():
        known = {there: key for key, there in system_names(one).items()}
        fields = dict(one.inputs_schema)
        for argument in tools.required(tool_name(one)):
            key = known.get(argument, argument)
            if argument in given:
                spec = fields.get(key) or FieldSpec(type="string")
                fields[key] = spec.model_copy(update={"required": True})
        types[name] = one.model_copy(update={"inputs_schema": fields})
    return replace(imported, types=types)


def with_samples(benchmark: Benchmark, imported: Import, tools: Tools, place: Path) -> Import:
    """The tools with the outputs that they give in the first rows, as who imports them would try them first.

    No column that is to be found is looked at, nor any later row.

    Args:
        place: a folder for the samples.
    """
    types = tuple(imported.types.values())
    tried = with_nones(replace(benchmark, rows=benchmark.rows[:SAMPLED]), types)
    given: dict[str, list[JsonValue]] = {}
    for one in observed_rows(tried, input_columns(benchmark, types, tools), types, tools):
        for tool, output in one.results.items():
            given.setdefault(tool, []).append(output[RESULT] if set(output) == {RESULT} else dict(output))
    file = place / "samples.json"
    file.write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
    return learn_outputs(imported, file) if given else imported


def write_catalog(imported: Import, folder: Path) -> None:
    """Write imported Types as a catalog's folder, as `flowc catalog import` does."""
    for name, text in merge_into(imported, folder).files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _reading(build: Build, *, refused: bool) -> dict[str, str | int]:
    """What a build says of its reading: what a model was asked, and why there is no draft."""
    told: dict[str, str | int] = {}
    if build.spent is not None:
        spent = build.spent
        told["calls"] = spent.calls + spent.kept
        told["tokens"] = spent.sent + spent.received + spent.kept_sent + spent.kept_received
    if refused:
        why = [str(one.refused) for one in build.documents if one.refused is not None]
        told["refusal"] = why[0] if why else build.no_answer or "no procedure was found"
    return told


def run_drafts(
    benchmark: Benchmark,
    drafts: Sequence[Workflow],
    catalog: Catalog,
    types: Sequence[NodeType],
    tools: Tools,
    progress: Progress | None = None,
    *,
    runtime: Path | None = None,
) -> BenchmarkResult:
    """Run the draft that fits a benchmark best on its rows; the others are there to be called.

    Args:
        types: of the tools, which the catalog has too.
        runtime: see `run_sopbench`.
    """
    benchmark = with_nones(benchmark, types)
    columns = input_columns(benchmark, types, tools)
    needed = needed_tools(benchmark, observed_rows(benchmark, columns, types, tools), columns)
    bound = _chosen(benchmark, columns, drafts, catalog)
    driver = Driver(catalog, tools, {one.type: one for one in types}, {one.workflow_id: one for one in drafts})
    ran = _ran(benchmark, bound, _way(driver, runtime), progress)
    rows = [
        _told(row, bound, ran.get(row.number)).model_copy(update={"needed": tuple(sorted(needed[row.number]))})
        for row in benchmark.rows
    ]
    result = BenchmarkResult(
        name=benchmark.name,
        workflow=None,
        drafts=len(drafts),
        tools=len(types),
        unfound=benchmark.outputs,
        rows=tuple(rows),
    )
    if bound is None:
        return result
    known = {one.type for one in types}
    resolved = [catalog.resolve(node.type) for one in drafts for node in one.nodes.values()]
    return result.model_copy(
        update={
            "workflow": bound.workflow.workflow_id,
            "inputs": dict(bound.inputs),
            "unbound": tuple(name for name in bound.workflow.inputs if name not in bound.inputs),
            "unused": tuple(name for name in columns if name not in bound.inputs.values()),
            "outputs": dict(bound.outputs),
            "unfound": tuple(name for name in benchmark.outputs if name not in bound.outputs),
            "called_anywhere": tuple(sorted({tool_name(one) for one in resolved if one and one.type in known})),
        }
    )


def _chosen(
    benchmark: Benchmark, columns: Sequence[str], workflows: Iterable[Workflow], catalog: Catalog
) -> Bound | None:
    """The draft that gives the most of the output columns, then takes the most of the inputs, then has most nodes."""
    bound = [
        Bound(one, benchmark.outputs, _inputs(benchmark, columns, one, catalog), _outputs(benchmark, one, catalog))
        for one in workflows
    ]
    return max(bound, key=lambda b: (len(b.outputs), len(b.inputs), len(b.workflow.nodes)), default=None)


def _inputs(benchmark: Benchmark, columns: Sequence[str], workflow: Workflow, catalog: Catalog) -> dict[str, str]:
    """By input of a workflow the column that gives it: alike in name, alias or description, in all rows of its type."""
    wanted = {name: known_as(name, spec, catalog) for name, spec in workflow.inputs.items()}

    def may_be(name: str, column: str) -> bool:
        return all(_fits(row.values[column], workflow.inputs[name]) for row in benchmark.rows)

    found = paired(wanted, columns, may_be)
    for name in workflow.inputs:  # two tools that call one thing alike and type it apart have an input each
        of = [column for column in columns if name.endswith(f"_{column}") and may_be(name, column)]
        if name not in found and len(of) == 1:
            found[name] = of[0]
    return found


def _fits(text: str, spec: FieldSpec) -> bool:
    try:
        typed(text, spec)
    except Unfit:
        return False
    return True


def _outputs(benchmark: Benchmark, workflow: Workflow, catalog: Catalog) -> dict[str, str]:
    """By output column the result or output of a workflow that stands for it: by name, or as the only one left.

    What a run tells as a result of the document goes before what its tools gave on the way.
    """
    names = list(dict.fromkeys((*workflow.results, *workflow.outputs)))
    wanted = {name: known_as(name, workflow.results.get(name), catalog) for name in names}
    exact = paired({column: [column] for column in benchmark.outputs}, names)
    rest = {name: told for name, told in wanted.items() if name not in exact.values()}
    alike = paired(rest, [column for column in benchmark.outputs if column not in exact])
    found = exact | {column: name for name, column in alike.items()}
    left = [column for column in benchmark.outputs if column not in found]
    spare = [name for name in workflow.results or names if name not in found.values()]
    return found | {left[0]: spare[0]} if len(left) == len(spare) == 1 else found


def _way(driver: Driver, runtime: Path | None) -> RunAll:
    """The stepper, or the runtime with workspaces in a folder."""
    if runtime is None:
        return lambda workflow, given, told, _: driver.step(workflow, given, told)
    from evals.sopbench.in_runtime import Runtime  # what runs workflows is an extra

    return Runtime(driver, runtime).run


def _ran(benchmark: Benchmark, bound: Bound | None, way: RunAll, progress: Progress | None) -> dict[int, Ran]:
    """By row what became of it; nothing where there is no draft.

    A run that hangs on yes-or-no questions to people is tried with all answers.
    """
    if bound is None:
        return {}
    done = count(1)

    def told() -> None:
        if progress is not None:
            progress(benchmark.name, next(done), len(benchmark.rows))

    given = {str(row.number): _given(row, bound) for row in benchmark.rows}
    ran = dict(way(bound.workflow, given, told, "rows"))
    tried = {name: _with_answers(bound, given[name], one) for name, one in ran.items()}
    again = {f"{name}/{at}": inputs for name, all_ in tried.items() for at, inputs in enumerate(all_)}
    found = way(bound.workflow, again, lambda: None, "answers") if again else {}
    for name, all_ in tried.items():
        same_result = _whatever_is_answered(bound, [found[f"{name}/{at}"] for at in range(len(all_))])
        ran[name] = same_result or ran[name]
    return {int(name): one for name, one in ran.items()}


def _given(row: Row, bound: Bound) -> dict[str, JsonValue]:
    """The inputs that a row gives a draft."""
    inputs = {name: typed(row.values[column], bound.workflow.inputs[name]) for name, column in bound.inputs.items()}
    return {name: value for name, value in inputs.items() if value is not None}


def _open(bound: Bound) -> list[str]:
    """The yes-or-no questions of a draft to people."""
    spec = bound.workflow.inputs
    return [name for name in spec if name not in bound.inputs and spec[name].type == "boolean"]


def _with_answers(bound: Bound, inputs: Mapping[str, JsonValue], ran: Ran) -> list[dict[str, JsonValue]]:
    """The inputs with all answers to such questions, where a run hangs on nothing else; none where it does not."""
    open_, record = _open(bound), ran.record
    waits = bool(record.wanting) and set(record.wanting) <= set(open_)
    undecided = ran.result is not None and ran.result.status == "undecided"
    if not (waits or undecided) or not 0 < len(open_) <= _QUESTIONS:
        return []
    return [
        {**inputs, **dict(zip(open_, answers, strict=True))} for answers in product((False, True), repeat=len(open_))
    ]


def _whatever_is_answered(bound: Bound, runs: Sequence[Ran]) -> Ran | None:
    """The run of a row whose questions to people change nothing of what it gives; None where they may.

    They count as asked all the same.
    """
    results = [one.result for one in runs if one.result is not None and one.result.status == "completed"]
    if not runs or len(results) < len(runs) or any(one.outputs != results[0].outputs for one in results):
        return None
    record = replace(runs[0].record, asked=[*runs[0].record.asked, *_open(bound)])
    return Ran(record, results[0])


def _told(row: Row, bound: Bound | None, ran: Ran | None) -> RowResult:
    if bound is None or ran is None:
        return RowResult(row=row.number, status="refused", why=NO_DRAFT)
    if ran.refused:
        return RowResult(row=row.number, status="refused", why=ran.refused)
    record = ran.record
    common = {"row": row.number, "called": tuple(record.called), "noted": tuple(record.noted)}
    if record.wanting:
        return RowResult(status="asked", why=f"{', '.join(record.wanting)}: inputs that nothing gives", **common)
    if ran.result is None:
        return RowResult(status="asked", why=f"{record.asked[-1]} is a person's", **common)
    return _judged(row, bound, record, ran.result).model_copy(update=common)


def _judged(row: Row, bound: Bound, record: Record, result: WalkResult) -> RowResult:
    found = {column: result.outputs.get(name) for column, name in bound.outputs.items()}
    told = RowResult(row=row.number, status="right", found=found)
    if result.status == "undecided":
        return told.model_copy(update=_is("undecided", f"the way out of {result.node or 'a guard'} is open"))
    if result.status == "failed":
        fault = record.faults.get(result.node or "", result.reason_code or "")
        return told.model_copy(update=_is("error", f"{result.node}: {fault}"))
    if result.status != "completed" and result.node is None:
        return told.model_copy(update=_is("refused", f"a guard turned it away: {result.reason_code}"))
    missing = [name for name in bound.columns if row.values[name] and found.get(name) is None]
    wrong = [name for name in bound.columns if not same(found.get(name), row.values[name])]
    if record.asked:
        told = told.model_copy(update={"right_when_done": not wrong})
        return told.model_copy(update=_is("asked", f"{', '.join(record.asked)}: tasks of people"))
    if missing:
        return told.model_copy(update=_is("empty", f"{', '.join(missing)}: no value"))
    return told.model_copy(update=_is("wrong", f"{', '.join(wrong)}: another value")) if wrong else told


def _is(status: RowStatus, why: str) -> dict[str, str]:
    return {"status": status, "why": why}
