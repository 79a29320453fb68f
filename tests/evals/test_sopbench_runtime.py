"""SOP-Bench in the runtime: what is published runs in a batch to what the stepper comes to."""

import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sop_samples import TOOLS, quoting, sop_bench

from catalog.importing import Import, import_functions
from catalog.load import load_catalog
from compiler.build.scheduler import Settings
from evals.sopbench.benchmark import read_benchmarks
from evals.sopbench.report import BenchmarkResult
from evals.sopbench.run import run_drafts, run_sopbench, with_samples, write_catalog
from evals.sopbench.tools import Tools
from flowc.main import main
from ir.workflow import Workflow
from store import audit
from store.tables import CALLS
from store.workspace import find_workspace

pytestmark = pytest.mark.slow


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from evals.sopbench.drive import Driver
from test_sopbench_runtime import priced, run_in
by_system = Driver.by_system
def until_the_second_quote(driver, workflow, ready, seed, record):
    if (ready.node, seed) == ("quote", "2"):
        os.kill(os.getpid(), signal.SIGKILL)
    return by_system(driver, workflow, ready, seed, record)
Driver.by_system = until_the_second_quote
run_in(Path({root!r}), priced(), repeatable={repeatable}, runtime=True)
"""
"""A batch whose process is killed in the midst of a call."""


def looked_at(imported: Import, *, repeatable: bool) -> Import:
    """The tools as they are once a person has said that they only look things up, and whether that may be repeated."""
    types = {
        name: one.model_copy(
            update={
                "capabilities": one.capabilities.model_copy(
                    update={"side_effect": False, "idempotent_default": repeatable}
                ),
                "governance": one.governance.model_copy(update={"risk_level_default": "low"}),
            }
        )
        for name, one in imported.types.items()
    }
    return replace(imported, types=types)


def run_in(root: Path, *drafts: dict[str, Any], repeatable: bool = False, runtime: bool) -> BenchmarkResult:
    """What comes of drafts on the rows of the sample in a folder: in the runtime, or by the stepper."""
    (benchmark,) = read_benchmarks(root / "parcels")
    with Tools(benchmark.path("tools.py")) as tools:
        imported = looked_at(import_functions(benchmark.path("toolspecs.json"), "tools"), repeatable=repeatable)
        imported = with_samples(benchmark, imported, tools, root)
        write_catalog(imported, root / "catalog")
        catalog = load_catalog(root / "catalog", "builtin")
        workflows = [Workflow.model_validate(draft) for draft in drafts]
        types = tuple(imported.types.values())
        return run_drafts(benchmark, workflows, catalog, types, tools, runtime=root / "runs" if runtime else None)


def both(tmp_path: Path, *drafts: dict[str, Any]) -> tuple[BenchmarkResult, BenchmarkResult]:
    """What comes of drafts on the sample's rows: by the stepper, and in the runtime."""
    sop_bench(tmp_path / "parcels")
    return run_in(tmp_path, *drafts, runtime=False), run_in(tmp_path, *drafts, runtime=True)


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


def test_names_inside_a_result_are_those_of_the_type(tmp_path: Path) -> None:
    """The tool has words with spaces there, which the Type cannot have."""
    plain = 'return {"price": str('
    nested = TOOLS.replace(plain, 'return {"terms": {"Paid By (whom)": "sender"}, "price": str(')
    assert nested != TOOLS
    sop_bench(tmp_path / "parcels", tools_py=nested)
    stepped, ran = run_in(tmp_path, priced(), runtime=False), run_in(tmp_path, priced(), runtime=True)
    assert statuses(ran) == ["right"] * 3 and ran == stepped


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


def test_a_run_that_lacks_an_input_waits_for_a_person_in_both(tmp_path: Path) -> None:
    """Before anything is done; a question of yes or no that changes nothing is asked beside the result."""
    draft = priced()
    draft["inputs"]["amount"] = {"type": "number"}
    stepped, ran = both(tmp_path / "number", draft)
    assert statuses(ran) == ["asked"] * 3 and ran.right_when_done == 0 and ran.needed_calls_made == 0
    assert ran.rows[0].why == "amount: inputs that nothing gives"
    assert ran == stepped
    draft["inputs"]["amount"] = {"type": "boolean"}
    stepped, ran = both(tmp_path / "truth", draft)
    assert statuses(ran) == ["asked"] * 3 and ran.right_when_done == 2
    assert ran == stepped


@pytest.mark.parametrize("repeatable", [False, True])
def test_killed_in_a_call_it_goes_on_to_the_same_and_calls_nothing_twice(tmp_path: Path, repeatable: bool) -> None:
    """But the call that was cut off, which is made again by itself, or once it is said that it was not done."""
    sop_bench(tmp_path / "parcels")
    stepped = run_in(tmp_path, priced(), repeatable=repeatable, runtime=False)
    script = KILLED.format(here=str(Path(__file__).parent), root=str(tmp_path), repeatable=repeatable)
    killed = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = run_in(tmp_path, priced(), repeatable=repeatable, runtime=True)
    assert statuses(resumed) == ["right"] * 3 and resumed == stepped
    assert run_in(tmp_path, priced(), repeatable=repeatable, runtime=True) == resumed
    (place,) = (tmp_path / "runs").iterdir()
    with find_workspace(place).transaction() as connection:
        kinds = Counter(one.kind for one in audit.events(connection))
        calls = connection.execute(sa.select(CALLS.c.execution, CALLS.c.node).where(CALLS.c.state == "done")).all()
    assert kinds["began"] == 3 and len(calls) == len(set(calls)) == 7
    assert (kinds["call-repeated"], kinds["settled"]) == ((1, 0) if repeatable else (0, 1))


@pytest.mark.skipif(find_spec("pandas") is None, reason="the tools need the bench extra")
@pytest.mark.parametrize("runtime", [False, True])
def test_the_benchmark_itself(repository: Path, tmp_path: Path, runtime: bool) -> None:
    """Where it lies beside the repository: each row is told, by the stepper and in the runtime."""
    folder = repository.parent / "shared" / "bench" / "sopbench" / "order_fulfillment"
    if not folder.is_dir():
        pytest.skip("no SOP-Bench beside the repository")
    report = run_sopbench(folder, Settings(), limit=2, runtime=tmp_path if runtime else None)
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
