"""SOP-Bench in the runtime: what is published runs in a batch to what the stepper comes to."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from sop_samples import quoting, sop_bench

from catalog.importing import Import, import_functions
from catalog.load import load_catalog
from compiler.build.scheduler import Settings
from evals.sopbench.benchmark import read_benchmarks
from evals.sopbench.report import BenchmarkResult
from evals.sopbench.run import run_drafts, run_sopbench, with_samples, write_catalog
from evals.sopbench.tools import Tools
from flowc.main import main
from ir.workflow import Workflow

pytestmark = pytest.mark.slow


def looked_at(imported: Import) -> Import:
    """The tools as they are once a person has said that they only look things up."""
    types = {
        name: one.model_copy(
            update={
                "capabilities": one.capabilities.model_copy(update={"side_effect": False}),
                "governance": one.governance.model_copy(update={"risk_level_default": "low"}),
            }
        )
        for name, one in imported.types.items()
    }
    return replace(imported, types=types)


def both(tmp_path: Path, *drafts: dict[str, Any]) -> tuple[BenchmarkResult, BenchmarkResult]:
    """What comes of drafts on the sample's rows: by the stepper, and in the runtime."""
    (benchmark,) = read_benchmarks(sop_bench(tmp_path / "parcels"))
    with Tools(benchmark.path("tools.py")) as tools:
        imported = looked_at(import_functions(benchmark.path("toolspecs.json"), "tools"))
        imported = with_samples(benchmark, imported, tools, tmp_path)
        write_catalog(imported, tmp_path / "catalog")
        catalog = load_catalog(tmp_path / "catalog", "builtin")
        workflows = [Workflow.model_validate(draft) for draft in drafts]
        types = tuple(imported.types.values())
        stepped = run_drafts(benchmark, workflows, catalog, types, tools)
        return stepped, run_drafts(benchmark, workflows, catalog, types, tools, runtime=True)


def priced(**changes: Any) -> dict[str, Any]:
    """The sample's procedure, with the names and kinds that the tools' first answers show."""
    draft = quoting(**changes)
    draft["results"]["price"]["type"] = "string"
    draft["nodes"]["quote"]["inputs"]["zone"] = "$.outputs.zone.result"
    return draft


def statuses(result: BenchmarkResult) -> list[str]:
    """The statuses of the rows in their order."""
    return [row.status for row in result.rows]


def test_the_runtime_comes_to_what_the_stepper_comes_to(tmp_path: Path) -> None:
    """Row by row: what is found, which tools are called, and in all figures."""
    stepped, ran = both(tmp_path, priced())
    assert statuses(ran) == ["right", "right", "right"] and ran.rows[0].found == {"price": "20.0", "verdict": "Quoted"}
    assert [one.status for one in stepped.rows] == statuses(ran)
    assert ran == stepped


def test_a_task_that_can_only_be_done_is_done_and_a_choice_waits(tmp_path: Path) -> None:
    """Asked in both; right once it is done only where it can only be done."""
    draft = priced(look={"type": "human.task", "instruction": "Look at it.", "label": "Look"})
    onward = {"from": "look", "to": "done"}
    draft["edges"] = [{**one, "to": "look"} if one["to"] == "done" else one for one in draft["edges"]] + [onward]
    stepped, ran = both(tmp_path / "done", draft)
    assert statuses(ran) == ["asked", "asked", "right"] and ran.right_when_done == 2
    assert ran == stepped
    draft["nodes"]["look"] |= {"outcomes": ["fine", "damaged"]}
    stepped, ran = both(tmp_path / "choice", draft)
    assert (statuses(ran), ran.right_when_done) == (["asked", "asked", "right"], 0)
    assert ran == stepped


def test_what_no_tool_does_and_nothing_reads_is_passed_over(tmp_path: Path) -> None:
    """In both; the runtime gives an example of what its Type gives."""
    draft = priced(note={"type": "record.log", "inputs": {"log_entry": "quoted"}})
    draft["edges"] += [{"from": "quote", "to": "note"}, {"from": "note", "to": "done"}]
    draft["edges"] = [one for one in draft["edges"] if (one["from"], one["to"]) != ("quote", "done")]
    stepped, ran = both(tmp_path, draft)
    assert statuses(ran) == ["right"] * 3 and ran.rows[0].noted == ("note",)
    assert ran == stepped


def test_a_tool_that_fails_is_an_error_in_both(tmp_path: Path) -> None:
    """With the tool's own words."""
    failing = {"type": "tools.look_up_zone", "inputs": {"destination": "Rome", "packing": "Box"}}
    stepped, ran = both(tmp_path, priced(zone=failing))
    assert statuses(ran) == ["error", "error", "right"]
    assert ran.rows[0].why == "zone: TOOL_FAILED: KeyError: 'Rome'"
    assert ran == stepped


def test_what_the_registry_does_not_publish_runs_no_row(tmp_path: Path) -> None:
    """The stepper runs it; the runtime says what stands in the way, on each row."""
    stepped, ran = both(tmp_path, quoting())
    assert statuses(stepped) != statuses(ran) == ["refused"] * 3
    assert "cannot be published: validation finds" in ran.rows[0].why and "unknown-output-field" in ran.rows[0].why


def test_inputs_that_no_column_gives_are_refused(tmp_path: Path) -> None:
    """The stepper takes them for null; a run does not begin without them."""
    draft = priced()
    draft["inputs"]["amount"] = {"type": "number"}
    stepped, ran = both(tmp_path, draft)
    assert statuses(stepped) == ["right"] * 3 and statuses(ran) == ["refused"] * 3
    assert ran.rows[0].why.startswith("bad-inputs: ") and "amount: missing" in ran.rows[0].why


@pytest.mark.skipif(find_spec("pandas") is None, reason="the tools need the bench extra")
@pytest.mark.parametrize("runtime", [False, True])
def test_the_benchmark_itself(repository: Path, runtime: bool) -> None:
    """Where it lies beside the repository: each row is told, by the stepper and in the runtime."""
    folder = repository.parent / "shared" / "bench" / "sopbench" / "order_fulfillment"
    if not folder.is_dir():
        pytest.skip("no SOP-Bench beside the repository")
    report = run_sopbench(folder, Settings(), limit=2, runtime=runtime)
    (result,) = report.benchmarks
    assert sum(result.counts.values()) == 2 and report.method == "offline" + (", in the runtime" if runtime else "")


def test_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report names the way; it is for this benchmark alone."""
    sop_bench(tmp_path / "parcels")
    words = [f"sopbench:{tmp_path / 'parcels'}", "--offline", "--runtime", "--json"]
    assert main(["eval", "run", *words]) == 0
    assert '"method": "offline, in the runtime"' in capsys.readouterr().out
    assert main(["eval", "run", str(tmp_path), "--offline", "--runtime"]) == 2
    assert "error[bad-setting]" in capsys.readouterr().err
