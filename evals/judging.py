"""Statements drawn for readers to judge: `python -m evals.judging PATH… --count 100 --seed 0 -o sheet.md`.

For each of them the sheet has its words with those around them, and what the draft says became of them: carried by
which step or way, enforced by what, asked in which words, listed as without a place, or set aside. A reader who has
the document and this sheet alone says whether that is true.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from compiler.build.builder import compile_documents
from compiler.build.results import Build
from ir.document import Document
from ir.infix import to_infix
from ir.predicate import Always, Otherwise
from ir.verdict import StatementFate
from ir.workflow import Workflow

AROUND = 160  # characters shown before and after a statement


@dataclass(frozen=True)
class Drawn:
    """A statement with its document and the draft that says what became of it."""

    document: Document
    draft: Workflow
    fate: StatementFate


def drawn(build: Build, count: int, seed: int) -> Sequence[Drawn]:
    """Statements of the documents of a build, each as likely as any other; the same for a seed."""
    told = [
        Drawn(document, one.workflow, each)
        for one in build.procedures
        if (document := build.document(one.procedure.doc_id)) is not None
        for each in one.statements
    ]
    random = Random(seed)  # noqa: S311 - no secret
    return random.sample(told, min(count, len(told)))


def sheet(statements: Sequence[Drawn]) -> Iterator[str]:
    """The sheet, line by line."""
    for number, each in enumerate(statements, 1):
        one, text = each.fate, each.document.text_at(each.fate.block) or ""
        yield f"## {number}. {each.document.doc_id}"
        yield f"…{text[max(0, one.start - AROUND) : one.start]}【{one.text}】{text[one.end : one.end + AROUND]}…"
        yield f"- fate: {one.fate}" + (f"; prohibition: {one.prohibition}" if one.prohibition else "")
        yield from (f"- by {_said(name, each.draft)}" for name in one.by)
        if one.reason:
            yield f"- reason: {one.reason}"


def _said(name: str, draft: Workflow) -> str:
    """What a bearer is, in words."""
    kind, _, which = name.partition(":")
    match kind:
        case "node":
            return f"step {_called(draft, which)}"
        case "edge":
            edge = draft.edges[int(which)]
            plain = isinstance(edge.condition, Always | Otherwise)
            when = "" if plain else f" if {to_infix(edge.condition)}"  # type: ignore[arg-type]
            return f"way from {_called(draft, edge.source)} to {_called(draft, edge.target)}{when}"
        case "guard":
            return f"guard of the run: {to_infix(draft.guards[int(which)].condition)}"
        case "gap":
            return "question: " + next((gap.question for gap in draft.gaps if gap.id == which), which)
    return name


def _called(draft: Workflow, node: str) -> str:
    one = draft.nodes[node]
    who = f"{one.actor}: " if one.actor else ""
    return f"“{who}{one.label or one.instruction or one.question or node}” ({one.type})"


def main() -> int:
    """Compile, draw and write the sheet."""
    parser = argparse.ArgumentParser(prog="python -m evals.judging", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--out", type=Path, required=True)
    args = parser.parse_args()
    build = compile_documents(args.paths)
    args.out.write_text("\n".join(sheet(drawn(build, args.count, args.seed))) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
