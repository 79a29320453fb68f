"""Policies made for trying out the way to a model, and how a stub reads them: each clause of a duty is a step."""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from evals.chat_stub import Answer, mode_of

_DUTY = re.compile(r"The (\w+) shall (.*)\.")
_CHOICE = re.compile(r"^Choose for: (.+)\.$", re.MULTILINE)


def write_policies(folder: Path, number: int) -> None:
    """So many small policies, no two alike."""
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(number):
        text = f"""# Rules for form {n}

1. The buyer shall send request {n} to the clerk.

2. The clerk shall check form {n} within {n % 9 + 2} days.

3. The archivist shall check the deadline of form {n}.
"""
        (folder / f"form-{n:03}.md").write_text(text, encoding="utf-8")


def answer_to(body: dict[str, Any]) -> Answer:
    """The answer to the trial of a mode, or to what is asked about the policies; any other question is refused."""
    question = body["messages"][-1]["content"]
    value = {"answer": 5} if "two plus three" in question else answered(question)
    return Answer(status=404) if value is None else _in_mode(body, value)


def answered(question: str) -> dict[str, Any] | None:
    """What the policies prescribe; for steps that need a Node Type, a person; None for any other question."""
    if "Which procedures" in question:
        return extracted(question)
    asked = _CHOICE.search(question)
    return {"steps": [{"step": step, "type": "human"} for step in asked[1].split(", ")]} if asked else None


def extracted(question: str) -> dict[str, Any]:
    """The procedure that stands in a question about part of a policy, in the form of `compiler.extract.model.form`."""
    lines = [json.loads(line) for line in question.splitlines() if line.startswith('{"b"')]
    clauses = [(line["b"], found) for line in lines if (found := _DUTY.search(line.get("t", "")))]
    steps = [
        {"id": f"s{n}", "kind": "task", "actor": found[1], "at": [{"b": block, "q": found[2]}]}
        for n, (block, found) in enumerate(clauses, 1)
    ]
    ways = ["start", *(step["id"] for step in steps), "end"]
    flows = [{"a": a, "z": z} for a, z in pairwise(ways)]
    return {"procedures": [{"title": lines[0]["t"], "steps": steps, "flows": flows}]}


def _in_mode(body: dict[str, Any], value: dict[str, Any]) -> Answer:
    text = json.dumps(value)
    mode = mode_of(body)
    return Answer(tool=text) if mode == "tools" else Answer(f"```json\n{text}\n```" if mode == "md_json" else text)
