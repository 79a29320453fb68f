"""Plays the first case from documents to an answer, with real commands, and shows each: `make demo`.

Three documents are compiled (by recorded answers of a model); two corrections that a person made are shown and applied;
one user submits, another publishes; a run is started without its shipment id and asks for it; a filing system answers
it; the process is killed in the middle of that call, and started again; the safety director approves; the answer is
told, replayed, and a tampered row of the audit is found. Ends with exit status 1 where any of it does not hold.
"""

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from demo.filings import SLOW, serve
from validator.fixes.json_patch import apply_patch

CASE = Path(__file__).resolve().parent.parent / "fixtures" / "cases" / "hazmat-transport"
HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parent / "fixtures" / "examples" / "EX-28.json"
INPUTS = {"substance_name": "硫酸", "transport_mode": "公路", "quantity": "5000"}
NODES = {
    "identify_substance": "identify", "lookup_hazard_level": "level", "check_transport_mode": "mode_check",
    "check_filing_status": "filing",
}  # fmt: skip


class Demo:
    """The commands of the demo in a folder, each shown as it would be typed.

    Args:
        folder: where it is played: `out/` for the build, `plant/` for the workspace.
        port: of the filing system.
    """

    def __init__(self, folder: Path, port: int) -> None:
        self.out, self.plant, self.port = folder / "out", folder / "plant", port

    def flowc(self, *words: object, at: Path | None = None, quiet: bool = False, fails: bool = False) -> str:
        """Run a command in the workspace, show it with what it printed, and give that.

        Raises:
            SystemExit: its exit status is not as it should be.
        """
        arguments = [str(word) for word in words]
        show(f"\n$ flowc {' '.join(map(_quoted, arguments))}")
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "flowc", *arguments], cwd=at or self.plant, env=_environment(), check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        text = (done.stdout if quiet else done.stdout + done.stderr).rstrip()
        if text and not quiet:
            show("  " + "\n  ".join(text.splitlines()[:24]))
        if (done.returncode != 0) != fails:
            raise SystemExit(f"exit status {done.returncode}: {done.stderr}")
        return done.stdout

    def told(self, *words: object) -> Any:
        """What a command prints with `--json`."""
        return json.loads(self.flowc(*words, "--json", quiet=True))

    def prepare(self) -> str:
        """Compile, correct, submit and publish; gives the name of the version."""
        say("The company's documents become a draft (recorded answers of a model stand in for one)")
        self.flowc("compile", CASE / "documents", "-o", self.out, "--replay", CASE / "replies", at=self.out.parent)
        (draft,) = self.out.rglob("*.workflow.json")
        say("What a person corrects: the draft says what the text says, not how the company's rules are applied")
        workflow = json.loads(draft.read_text("utf-8"))
        for correction in json.loads((HERE / "corrections.json").read_text("utf-8")):
            show(f"\n  {correction['why']['en']} ({correction['why']['zh']})")
            for operation in correction["patch"]:
                show(f"    {operation['op']:8} {operation['path']}")
            workflow = apply_patch(workflow, correction["patch"])
        draft.write_text(json.dumps(workflow, ensure_ascii=False, indent=1), "utf-8")
        self.flowc("validate", draft, at=self.out.parent)
        say("Li submits it, Zhao publishes it: approver and author are two people")
        self.flowc("workspace", "init", self.plant, "--user", "wen", at=self.out.parent)
        settings = (HERE / "flowc.toml").read_text("utf-8").replace("PORT", str(self.port))
        (self.plant / "flowc.toml").write_text(settings, "utf-8")
        for name, *roles in (("li", "author", "operator"), ("zhao", "approver", "安全总监")):
            self.flowc(
                "users", "add", name, *(w for role in roles for w in ("--role", role)), "--as", "wen", quiet=True
            )
        self.flowc("registry", "submit", draft, "--as", "li")
        version = str(self.told("registry", "list")[0]["version"])
        self.flowc("registry", "review", version, "--as", "li")
        self.flowc("registry", "publish", version, "--accept-open", "asked the safety department", "--as", "zhao")
        return version

    def begin(self, version: str, *more: str) -> str:
        """Start a run without its shipment id; gives its id once it has asked for it."""
        given = [word for name, value in INPUTS.items() for word in ("--input", f"{name}={value}")]
        self.flowc("run", "start", version, *given, *more, "--ask", "--as", "li")
        return str(self.told("run", "list")[0]["execution"])

    def killed_while_it_calls(self, task: str, book: Path) -> None:
        """Answer a task, and kill the process while the filing system is being asked."""
        words = ["task", "do", task, "--set", f"shipment_id={SLOW}", "--as", "li"]
        show(f"\n$ flowc {' '.join(words)}\n$ kill -9 $!")
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "flowc", *words], cwd=self.plant, env=_environment(), stdout=subprocess.DEVNULL
        )
        end = time.monotonic() + 60
        while not book.exists() and time.monotonic() < end and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        show("  killed while the filing system was asked")


def play(folder: Path) -> None:
    """Play it from the beginning to the end.

    Raises:
        SystemExit: something does not come out as it should.
    """
    book = folder / "filings.jsonl"
    with serve(0, book, wait=8) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        demo = Demo(folder, server.server_address[1])
        version = demo.prepare()
        say("A run without a shipment id asks for it")
        execution = demo.begin(version)
        (task,) = demo.told("task", "list")
        demo.killed_while_it_calls(task["id"], book)
        say("Started again, it goes on where it was; asking twice does no harm here, and is told")
        demo.flowc("run", "resume", execution, "--as", "li")
        (approval,) = demo.told("task", "list")
        say("The safety director sees what was found, and approves what was shown")
        demo.flowc("task", "show", approval["id"])
        shown = ("--shown", approval["digest"])
        demo.flowc("task", "do", approval["id"], "--set", "approved=true", *shown, "--as", "zhao")
        say("The answer, from the record alone")
        demo.flowc("run", "explain", execution)
        told = demo.told("run", "explain", execution)
        replayed = demo.told("run", "replay", execution)
        check(
            summary(told["outputs"]) == json.loads(EXAMPLE.read_text("utf-8")), f"the summary is that of {EXAMPLE.name}"
        )
        check(
            "不合规" in told["text"] and "危险化学品公路运输备案缺失" in told["text"], "the answer says what is missing"
        )
        check(replayed["differences"] == [] and replayed["outputs"] == told["outputs"], "the replay gives the same")
        keys = [json.loads(line)["key"] for line in book.read_text("utf-8").splitlines()]
        check(len(set(keys)) == 1, "the filing system was asked under one key")
        demo.flowc("run", "replay", execution)
        say("Somebody changes a row of the audit")
        demo.flowc("audit", "verify")
        with sqlite3.connect(demo.plant / ".flowc" / "workspace.db") as connection:
            changed = connection.execute("update audit set principal = 'wang' where principal = 'zhao'").rowcount
        connection.close()
        check(changed > 0, "a row of the audit was changed")
        demo.flowc("audit", "verify", fails=True)
        server.shutdown()
    say(f"All of it holds. The workspace is {demo.plant}")


def summary(outputs: dict[str, Any]) -> dict[str, Any]:
    """What a run gave, as the example of the design has it: there the nodes have shorter names."""
    refs = [ref["ref"].split(".") for ref in outputs["evidence_bundle"]]
    bundle = [{"ref": ".".join((*ref[:2], NODES[ref[2]], *ref[3:]))} for ref in refs]
    kept = ("compliant", "decision_code", "missing_requirements", "facts")
    return {**{name: outputs[name] for name in kept}, "evidence_bundle": bundle}


def say(words: str) -> None:
    """A heading."""
    show(f"\n── {words}")


def show(text: str) -> None:
    """A line of what is played, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def check(holds: bool, what: str) -> None:
    """End the demo where something does not hold.

    Raises:
        SystemExit: it does not.
    """
    if not holds:
        raise SystemExit(f"does not hold: {what}")


def _environment() -> dict[str, str]:
    root = str(HERE.parent)
    return {**os.environ, "PYTHONPATH": os.pathsep.join((root, os.environ.get("PYTHONPATH", ""))).rstrip(os.pathsep)}


def _quoted(word: str) -> str:
    return f"'{word}'" if " " in word or "$" in word else word


def main() -> None:
    """Play it in a new folder, or in the one that is named."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="a folder that is empty or not there yet")
    folder = parser.parse_args().folder or Path(tempfile.mkdtemp(prefix="flowc-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    play(folder)


if __name__ == "__main__":
    main()
