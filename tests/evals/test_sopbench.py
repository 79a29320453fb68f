"""SOP-Bench: rows are run with tools in a process apart, and what became of each is told for what it is."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sop_samples import SPECS, TOOLS, quoting, sop_bench

from catalog.importing import import_functions
from catalog.importing.errors import MissingExtra
from catalog.load import load_catalog
from evals.sopbench.benchmark import read_benchmarks
from evals.sopbench.names import paired
from evals.sopbench.report import BenchmarkResult, SopReport, table
from evals.sopbench.run import _outputs, run_drafts, with_signatures, write_catalog
from evals.sopbench.tools import Tools
from evals.sopbench.true_path import input_columns, needed_tools, observed_rows, with_dates, with_nones
from evals.sopbench.values import Unfit, typed
from flowc.main import main
from ir.errors import BadInputFile, CompilerError
from ir.fields import FieldSpec
from ir.walk import Outcome
from ir.workflow import Workflow

BARE = {
    "toolSpec": {
        "name": "lookUpZone",
        "description": "Look up the zone of a destination",
        "inputSchema": {"json": {"type": "object", "properties": {"destination": {"type": "string"}}, "required": []}},
    }
}


def ran(tmp_path: Path, *drafts: dict[str, Any], inputs: bool = True) -> BenchmarkResult:
    """What comes of drafts on the sample's rows."""
    (benchmark,) = read_benchmarks(sop_bench(tmp_path / "parcels", inputs=inputs))
    imported = import_functions(benchmark.path("toolspecs.json"), "tools")
    write_catalog(imported, tmp_path / "catalog")
    catalog = load_catalog(tmp_path / "catalog", "builtin")
    workflows = [Workflow.model_validate(draft) for draft in drafts]
    with Tools(benchmark.path("tools.py")) as tools:
        return run_drafts(benchmark, workflows, catalog, tuple(imported.types.values()), tools)


def statuses(result: BenchmarkResult) -> list[str]:
    """The statuses of the rows in their order."""
    return [row.status for row in result.rows]


def test_a_draft_that_says_what_the_procedure_says_is_right_on_every_row(tmp_path: Path) -> None:
    """Texts become numbers where the tool takes them, a bare result is what is read of it, ends give the verdict."""
    result = ran(tmp_path, quoting())
    assert statuses(result) == ["right", "right", "right"]
    assert result.inputs == {"parcel": "parcel_id", "destination": "destination", "packing": "packing"}
    assert (result.unbound, result.unused, result.unfound) == (("amount",), (), ())
    assert result.rows[0].found == {"price": "20.0", "verdict": "Quoted"}
    assert result.success == 1.0


def test_tools_called_are_held_against_those_that_the_row_needs(tmp_path: Path) -> None:
    """A row that ends early needs what its recorded columns are told by, and no call beyond is made."""
    result = ran(tmp_path, quoting())
    all_three = ("lookUpZone", "quote_price", "weigh_parcel")
    assert [row.needed for row in result.rows] == [all_three, all_three, ("lookUpZone", "weigh_parcel")]
    assert [row.called for row in result.rows][2] == ("weigh_parcel",)
    assert (result.needed_calls, result.needed_calls_made, result.needless_calls) == (8, 7, 0)


def test_a_task_of_a_person_counts_as_asked_though_all_else_is_right(tmp_path: Path) -> None:
    """A task that can only be done goes on; a decision of a person stops the run."""
    edge = {"from": "quote", "to": "look"}
    draft = quoting(look={"type": "human.task", "instruction": "Look at it.", "label": "Look"})
    draft["edges"] = [edge if one["to"] == "done" else one for one in draft["edges"]] + [{"from": "look", "to": "done"}]
    done = ran(tmp_path, draft)
    assert statuses(done) == ["asked", "asked", "right"]
    assert [row.right_when_done for row in done.rows] == [True, True, False]
    assert done.success == pytest.approx(1 / 3, abs=1e-3)
    draft["nodes"]["look"] |= {"outcomes": ["fine", "damaged"]}
    stopped = ran(tmp_path, draft)
    assert statuses(stopped) == ["asked", "asked", "right"]
    assert stopped.right_when_done == 0


def test_what_no_tool_does_is_a_persons_where_it_is_read_and_passed_over_where_not(tmp_path: Path) -> None:
    """A Type of the catalog that comes with flowc has no system here."""
    noted = quoting(note={"type": "record.log", "inputs": {}})
    noted["edges"] += [{"from": "quote", "to": "note"}, {"from": "note", "to": "done"}]
    passed = ran(tmp_path, noted)
    assert (statuses(passed), passed.rows[0].noted) == (["right", "right", "right"], ("note",))
    read = quoting(zone={"type": "decision.assess_risk"})
    assert statuses(ran(tmp_path, read)) == ["asked", "asked", "right"]


def test_each_way_to_fail_has_its_own_count(tmp_path: Path) -> None:
    """Wrong, empty, undecided, an error of a tool, no draft: none of them passes for another."""
    done = {"type": "control.end", "status": "completed"}
    wrong = ran(tmp_path, quoting(done=done | {"results": {"price": 3, "verdict": "Quoted"}}))
    assert statuses(wrong) == ["wrong", "wrong", "right"]
    assert wrong.rows[0].why == "price: another value"
    assert statuses(ran(tmp_path, quoting(done=done | {"results": {"verdict": "Quoted"}})))[:2] == ["empty", "empty"]
    open_ = quoting()
    open_["edges"][0]["condition"] = {"gt": ["$.outputs.weigh.kilos", 30]}
    assert statuses(ran(tmp_path, open_)) == ["undecided"] * 3
    failing = quoting(zone={"type": "tools.look_up_zone", "inputs": {"destination": "Rome", "packing": "Box"}})
    failed = ran(tmp_path, failing)
    assert statuses(failed) == ["error", "error", "right"]
    assert failed.rows[0].why == "zone: TOOL_FAILED: KeyError: 'Rome'"
    missing = quoting(zone={"type": "tools.look_up_zone", "inputs": {"packing": "Box"}})
    assert ran(tmp_path, missing).rows[0].why == "zone: MISSING_ARGUMENT: destination has no value"
    turned_away = quoting() | {"guards": [{"condition": {"eq": ["$.inputs.packing", "Bag"]}, "error_code": "NO_BAG"}]}
    assert statuses(ran(tmp_path, turned_away)) == ["refused"] * 3
    assert statuses(ran(tmp_path)) == ["refused"] * 3


def test_the_figures_are_over_all_rows(tmp_path: Path) -> None:
    """Each row counts once; the table has a line for each procedure and one for all."""
    one, two = ran(tmp_path, quoting()), ran(tmp_path)
    assert sum(one.counts.values()) == len(one.rows)
    report = SopReport(method="by hand", benchmarks=(one, two))
    assert (report.success, report.mean_success) == (0.5, 0.5)
    assert [line[:3] for line in table(report)] == [
        ["parcels", "3", "100.0%"], ["parcels", "3", "0.0%"], ["all rows", "6", "50.0%"]
    ]  # fmt: skip
    assert json.loads(report.model_dump_json())["benchmarks"][0]["counts"]["right"] == 3


def test_a_called_workflow_is_run_with_the_same_tools(tmp_path: Path) -> None:
    """What it gives is the call's output; a person in it is a person here."""
    call = {
        "type": "control.call",
        "call": {"workflow_id": "weighing", "version": "v1"},
        "inputs": {"id": "$.inputs.parcel"},
    }
    weigh = {"type": "tools.weigh_parcel", "inputs": {"parcel_id": "$.inputs.id"}}
    inner: dict[str, Any] = {
        "workflow_id": "weighing",
        "version": "v1",
        "inputs": {"id": {"type": "string"}},
        "outputs": {"weight_kg": "$.outputs.w.weight_kg"},
        "nodes": {"w": weigh, "e": {"type": "control.end", "status": "completed"}},
        "edges": [{"from": "w", "to": "e"}],
        "execution_policy": {"risk_level": "low"},
    }
    assert statuses(ran(tmp_path, quoting(weigh=call), inner)) == ["right"] * 3
    asking = inner | {
        "nodes": inner["nodes"] | {"w": {"type": "human.input", "requested_fields": {"weight_kg": {"type": "number"}}}}
    }
    assert statuses(ran(tmp_path, quoting(weigh=call), asking)) == ["asked"] * 3


@pytest.mark.parametrize("inputs", [True, False])
def test_a_run_is_given_nothing_that_it_has_to_find_out(tmp_path: Path, inputs: bool) -> None:
    """Where the benchmark does not say what is given, it is what tools take and no tool tells: not zone or weight."""
    (benchmark,) = read_benchmarks(sop_bench(tmp_path, inputs=inputs))
    types = tuple(import_functions(benchmark.path("toolspecs.json"), "tools").types.values())
    with Tools(benchmark.path("tools.py")) as tools:
        filled = with_nones(benchmark, types)
        assert filled.rows[1].values["packing"] == "None"
        columns = input_columns(filled, types, tools)
        assert columns == ("parcel_id", "destination", "packing")
        assert len(needed_tools(filled, observed_rows(filled, columns, types, tools), columns)[1]) == 3


def test_tools_are_apart_from_us(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They print nowhere, know nothing of our environment, work elsewhere, and draw the same lots in any order."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    file = sop_bench(tmp_path) / "tools.py"
    with Tools(file) as tools:
        first = tools.call("draw_lot", {"parcel_id": "P1"}, "1")
        known = tools.call("environment", {}, "1").output
        assert known is not None
        assert "OPENAI_API_KEY" not in known["names"]  # type: ignore[operator]
        assert known["folder"] != str(Path.cwd())
    with Tools(file) as again:
        again.call("draw_lot", {"parcel_id": "P2"}, "2")
        assert again.call("draw_lot", {"parcel_id": "P1"}, "1") == first
        assert again.call("draw_lot", {"parcel_id": "P1"}, "2") != first
    assert capfd.readouterr() == ("", "")


def test_a_tool_that_hangs_or_dies_costs_one_call(tmp_path: Path) -> None:
    """The process is ended and begun anew; an unknown tool is a failure with its code."""
    with Tools(sop_bench(tmp_path) / "tools.py", seconds=1) as tools:
        assert tools.call("sleep", {"seconds": 30}, "1").error == "TOOL_TIMEOUT"
        assert tools.call("weigh_parcel", {"parcel_id": "P1"}, "1").output == {"parcel_id": "P1", "weight_kg": 10.0}
        assert tools.call("exit", {}, "1").error == "TOOL_FAILED"
        assert tools.call("lookUpZone", {"destination": "Oslo", "packing": "Box"}, "1") == Outcome(
            output={"result": "far"}
        )
        assert tools.call("fly", {}, "1") == Outcome(error="NO_SUCH_TOOL", message="fly")


def test_what_code_requires_and_a_specification_leaves_out_is_taken_from_the_columns(tmp_path: Path) -> None:
    """Of what no column gives, nor of what is to be found, nothing is made an input."""
    (benchmark,) = read_benchmarks(sop_bench(tmp_path / "parcels", toolspecs_json=json.dumps([BARE])))
    with Tools(benchmark.path("tools.py")) as tools:
        found = with_signatures(import_functions(benchmark.path("toolspecs.json"), "tools"), benchmark, tools)
        assert tools.required("lookUpZone") == ("destination", "packing")
        assert tools.required("fly") == ()
    (one,) = found.types.values()
    assert set(one.inputs_schema) == {"destination", "packing"}
    assert one.inputs_schema["packing"].required and one.inputs_schema["destination"].required


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (("3/1/23", "12/20/22", ""), ("2023-03-01", "2022-12-20", "")),
        (("3/1/23", "20/12/2022", ""), ("3/1/23", "20/12/2022", "")),
        (("3/1/23", "4/1/23", ""), ("3/1/23", "4/1/23", "")),
    ],
)
def test_dates_are_read_by_the_way_in_which_their_column_writes_them(
    tmp_path: Path, written: tuple[str, ...], read: tuple[str, ...]
) -> None:
    """Where the column leaves open which number is the month, or writes in several ways, nothing is made of it."""
    taken = {"type": "object", "properties": {"zone": {"type": "string", "format": "date"}}}
    spec = {"toolSpec": {"name": "book", "description": "Book a day", "inputSchema": {"json": taken}}}
    (benchmark,) = read_benchmarks(sop_bench(tmp_path / "parcels", toolspecs_json=json.dumps([spec])))
    rows = tuple(
        replace(row, values={**row.values, "zone": text, "destination": text})
        for row, text in zip(benchmark.rows, written, strict=True)
    )
    types = import_functions(benchmark.path("toolspecs.json"), "tools").types.values()
    found = with_dates(replace(benchmark, rows=rows), types)
    assert tuple(row.values["zone"] for row in found.rows) == read
    assert tuple(row.values["destination"] for row in found.rows) == written


def test_a_date_that_a_tool_cannot_take_is_none() -> None:
    """It is told, rather than handed on as if it were one."""
    spec = FieldSpec(type="date")
    assert typed("2023-03-01", spec) == "2023-03-01" and typed("", spec) is None
    with pytest.raises(Unfit, match="'3/1/23' is no date"):
        typed("3/1/23", spec)


def test_what_does_not_need_a_person_goes_on_while_one_is_waited_for(tmp_path: Path) -> None:
    """The tools beside a decision are called, and the run ends nowhere."""
    draft = quoting(look={"type": "human.task", "instruction": "Look.", "label": "Look", "outcomes": ["fine", "bad"]})
    draft["nodes"]["met"] = {"type": "control.end", "status": "completed"}
    draft["edges"] += [{"from": "weigh", "to": "look"}, {"from": "look", "to": "met"}]
    draft["nodes"]["weigh"]["split"] = "inclusive"
    result = ran(tmp_path, draft)
    assert statuses(result) == ["asked"] * 3
    assert result.rows[0].called == ("weigh_parcel", "lookUpZone", "quote_price")


def test_a_column_of_another_name_is_the_one_result_that_is_left(tmp_path: Path) -> None:
    """Whatever the tools gave beside it; of two results neither is taken."""
    about = {"name": "parcels", "output_columns": ["verdict"], "input_columns": ["parcel_id", "destination", "packing"]}
    (benchmark,) = read_benchmarks(sop_bench(tmp_path / "parcels", metadata_json=json.dumps(about)))
    draft = json.loads(json.dumps(quoting()).replace('"verdict"', '"outcome"'))
    both = _outputs(benchmark, Workflow.model_validate(draft), load_catalog("builtin"))
    assert both == {}
    draft["results"].pop("price")
    draft["nodes"]["done"]["results"].pop("price")
    draft["outputs"] = {"zone": "$.outputs.zone.name"}
    assert _outputs(benchmark, Workflow.model_validate(draft), load_catalog("builtin")) == {"verdict": "outcome"}


@pytest.mark.parametrize(("price", "status"), [("$.outputs.quote.price", "asked"), (0, "undecided")])
def test_a_question_that_changes_nothing_of_the_result_is_asked_beside_it(
    tmp_path: Path, price: str | int, status: str
) -> None:
    """Every answer is tried; where the result hangs on it the row is undecided."""
    draft = quoting()
    draft["inputs"]["insured"] = {"type": "boolean", "required": False}
    told = {"price": price, "verdict": "Quoted"}
    draft["nodes"]["also"] = {"type": "control.end", "status": "completed", "results": told}
    draft["edges"][-1:] = [
        {"from": "quote", "to": "also", "condition": {"eq": ["$.inputs.insured", True]}},
        {"from": "quote", "to": "done", "condition": "otherwise"},
    ]
    result = ran(tmp_path, draft)
    assert statuses(result) == [status, status, "right"]
    if status == "asked":
        assert result.rows[0].right_when_done
        assert "insured" in (result.rows[0].why or "")


def test_tools_that_type_one_thing_apart_have_it_of_one_column(tmp_path: Path) -> None:
    """The draft has an input for each, named after the node."""
    draft = quoting()
    draft["inputs"]["zone_destination"] = {"type": "string"}
    draft["nodes"]["zone"]["inputs"]["destination"] = "$.inputs.zone_destination"
    result = ran(tmp_path, draft)
    assert result.inputs["zone_destination"] == result.inputs["destination"] == "destination"
    assert statuses(result) == ["right", "right", "right"]


def test_names_that_two_could_mean_are_left_out() -> None:
    """Spelling does not tell names apart; nobody is guessed at."""
    assert paired({"barcodeMatch": ["barcodeMatch"]}, ["barcode_match"]) == {"barcodeMatch": "barcode_match"}
    assert paired({"score": ["score", "total score"]}, ["total_score", "score_total"]) == {}
    assert paired({"weight": ["weight"]}, ["colour"]) == {}
    assert paired({"weight": ["weight"]}, ["weight"], lambda name, other: False) == {}


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"tools_py": ""}, "found no tools.py"),
        ({"metadata_json": "["}, "cannot be read as JSON"),
        ({"metadata_json": '{"output_columns": ["colour"]}'}, "'colour' is no column"),
        ({"metadata_json": "{}"}, "found no output_columns"),
    ],
)
def test_a_broken_benchmark_says_what_is_missing(tmp_path: Path, files: dict[str, str], fault: str) -> None:
    """The file, what was found, what was expected."""
    with pytest.raises(BadInputFile, match=fault):
        read_benchmarks(sop_bench(tmp_path, **files))


@pytest.mark.parametrize(
    ("source", "error"), [("import nothing_like_it", MissingExtra), ("1 / 0", BadInputFile)], ids=["module", "crash"]
)
def test_tools_that_cannot_be_loaded_are_said_so(tmp_path: Path, source: str, error: type[CompilerError]) -> None:
    """A module that is missing names the extra."""
    folder = sop_bench(tmp_path, tools_py=source + "\n" + TOOLS)
    with pytest.raises(error, match=r"nothing_like_it|ZeroDivisionError"), Tools(folder / "tools.py"):
        pass


def test_the_command_measures_the_offline_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every row is accounted for, the tools were the catalog, and the report lies where it was asked for."""
    folder = sop_bench(tmp_path / "bench" / "parcels").parent
    assert main(["eval", "run", f"sopbench:{folder}", "--offline", "-o", str(tmp_path / "out")]) == 0
    assert "parcels" in capsys.readouterr().out
    report = json.loads((tmp_path / "out" / "sopbench.json").read_text("utf-8"))
    (result,) = report["benchmarks"]
    assert sum(result["counts"].values()) == 3
    assert (result["tools"], result["drafts"]) == (len(SPECS), 1)


@pytest.mark.parametrize(
    ("more", "said"),
    [(["fixtures/cases"], "run the two apart"), (["--replay"], "name one with --replies")],
    ids=["mixed", "without recordings"],
)
def test_what_does_not_go_together_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    """Before anything is compiled."""
    assert main(["eval", "run", f"sopbench:{sop_bench(tmp_path)}", *more]) == 2
    assert said in capsys.readouterr().err
