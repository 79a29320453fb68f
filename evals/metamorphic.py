"""Does a draft follow its words? One number, negation, class or role of a document is changed, and so must the draft.

`python -m evals.metamorphic` draws changes from the sentences that drafts of cases rest on, compiles each changed
document, and says of each: `changed` (what rests on the words says the new thing), `asked` (a question shows the new
words), `listed` (they are now without a place, which is said), or `silent` (the draft says what it said before).
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from pydantic import JsonValue

from compiler import pipeline
from compiler.build.scheduler import Scheduler, Settings
from compiler.draft.compiled import Compiled
from compiler.extract.readers import reader_for
from evals.cases import read_suite
from ir.document import Block, Cell, Document
from ir.predicate import AnyCondition, Compare, Literally, leaves
from ir.quantities.units import find_quantities
from ir.source import Evidence
from ir.verdict import StatementFate
from ir.workflow import Node

Kind = Literal["number", "negation", "class", "role"]
KINDS: tuple[Kind, ...] = ("number", "negation", "class", "role")
Result = Literal["changed", "asked", "listed", "silent"]
RESULTS: tuple[Result, ...] = ("changed", "asked", "listed", "silent")
_RESTED = frozenset({"carried", "enforced", "unenforced", "question"})
_CLASSES = re.compile(r"(?P<zh>[一二三])(?=类|级)|(?<=[Cc]lass )(?P<en>[1-3A-C])\b")
_NEXT = dict(zip("一二三123ABC", "二三一231BCA", strict=True))
_FORBIDS = {"zh": (re.compile("不得"), "可以"), "en": (re.compile(r"\b(?:must|shall|may) not\b"), "may")}
_DIGITS = re.compile(r"(?<![\d.,A-Za-z])\d{1,3}(?:,\d{3})+(?![\d.,])|(?<![\d.,A-Za-z第])\d+(?:\.\d+)?(?![\d,]|\.\d)")


@dataclass(frozen=True)
class Change:
    """Words of a document, and what stands in their place."""

    case: str
    kind: Kind
    block: str
    start: int
    end: int
    old: str
    new: str
    sentence: StatementFate


def compiled(document: Document) -> tuple[Compiled, ...]:
    """The drafts of a document by itself, without a model."""
    with Scheduler(Settings(), 1, lambda record: None) as work:
        ctx = work.context(document.doc_id)
        reader = reader_for(ctx, syntax=True)
        shown, role = pipeline.classify(ctx, document, reader)
        procedures = pipeline.find_procedures(ctx, document, shown, role, reader)
        drafts = tuple(pipeline.compile_procedure(work.context(p.id), p, (document,)) for p in procedures)
        return pipeline.judge(ctx, document, drafts, None)


def changes(case: str, document: Document, drafts: tuple[Compiled, ...], kind: Kind) -> Iterator[Change]:
    """Every change of a kind that can be made to sentences on which drafts rest."""
    labels = {block.address: block.label.end if block.label and not block.label.generated else 0
              for block in document.blocks}  # fmt: skip
    named = [who for one in drafts for node in one.workflow.nodes.values() for who in names(node)]
    roles = sorted({who for who in named if named.count(who) > 1})  # one that is named once may be half a sentence
    for said in (said for one in drafts for said in one.statements):
        if said.fate not in _RESTED:
            continue
        for start, end, new in _spots(said.text, document.language, kind, roles):
            at = said.start + start
            if at >= labels.get(said.block, 0):
                yield Change(case, kind, said.block, at, said.start + end, said.text[start:end], new, said)


def _spots(text: str, language: str, kind: Kind, roles: list[str]) -> Iterator[tuple[int, int, str]]:
    if kind == "number":
        for quantity in find_quantities(text):
            match = _DIGITS.search(text, quantity.start, quantity.end)
            if match is not None:
                yield match.start(), match.end(), _doubled(match[0])
    elif kind == "negation":
        pattern, new = _FORBIDS["zh" if language == "zh" else "en"]
        yield from ((match.start(), match.end(), new) for match in pattern.finditer(text))
    elif kind == "class":
        for match in _CLASSES.finditer(text):
            yield match.start(), match.end(), _NEXT[match[0]]
    else:
        for at, who in enumerate(roles):
            match = re.search(re.escape(who), text, re.IGNORECASE)
            if match is not None and len(who) > 1:
                yield match.start(), match.end(), roles[(at + 1) % len(roles)]


def _doubled(digits: str) -> str:
    plain = digits.replace(",", "")
    if "." in plain:
        return f"{float(plain) * 2:g}"
    return f"{int(plain) * 2:,}" if "," in digits else str(int(plain) * 2)


def changed(document: Document, change: Change) -> Document:
    """The document with the change made."""

    def text(own: str) -> str:
        return own[: change.start] + change.new + own[change.end :]

    def cell(one: Cell) -> Cell:
        return one.model_copy(update={"text": text(one.text)}) if one.address == change.block else one

    def block(one: Block) -> Block:
        if one.address == change.block:
            return one.model_copy(update={"text": text(one.text)})
        return one.model_copy(update={"cells": tuple(map(cell, one.cells))}) if one.cells else one

    return document.model_copy(update={"blocks": tuple(map(block, document.blocks))})


# --- what a draft says about words ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    """What drafts say where they rest on a sentence.

    Args:
        values: what is compared, given by rules, or allowed as time, with the words for it.
        people: who acts, approves, is asked.
        texts: what people read: labels, instructions, questions.
        asked: the questions and their quotes.
        refused: how many rules with a no, and guards, rest on it.
    """

    values: frozenset[tuple[str, str]]
    people: frozenset[str]
    texts: tuple[str, ...]
    asked: tuple[str, ...]
    refused: int
    forbids: bool
    unplaced: bool


def said_about(drafts: Iterable[Compiled], block: str, start: int, end: int) -> Said:
    """What drafts say that rests on a stretch of a document."""
    values: set[tuple[str, str]] = set()
    people: set[str] = set()
    texts: list[str] = []
    asked: list[str] = []
    refused, forbids, unplaced = 0, False, False

    def here(evidence: Iterable[Evidence]) -> bool:
        return any(e.block == block and (e.start or 0) < end and start < (e.end or 0) for e in evidence)

    for one in drafts:
        workflow = one.workflow
        for node in workflow.nodes.values():
            if here(node.evidence):
                people |= names(node)
                texts += [text for text in (node.label, node.instruction, node.question) if text]
            if node.deadline and here(node.deadline.evidence):
                values.add((node.deadline.duration, " ".join(e.quote for e in node.deadline.evidence)))
        for edge in workflow.edges:
            if here(edge.evidence):
                values |= _compared(edge.condition, edge.evidence)
        for guard in workflow.guards:
            if here(guard.evidence):
                values |= _compared(guard.condition, guard.evidence)
                refused += 1
        for rule in (rule for pack in workflow.rule_packs.values() for rule in pack.rules):
            if here(rule.evidence):
                values |= _compared(rule.condition, rule.evidence)
                refused += False in rule.outcome.values()
        for gap in workflow.gaps:
            if here(gap.evidence):
                asked += [gap.question, *(e.quote for e in gap.evidence)]
        for fate in one.statements:
            if fate.block == block and fate.start < end and start < fate.end:
                forbids |= fate.prohibition is not None
                unplaced |= fate.fate in ("unplaced", "unenforced")
    return Said(frozenset(values), frozenset(people), tuple(texts), tuple(asked), refused, forbids, unplaced)


def _compared(condition: AnyCondition, evidence: tuple[Evidence, ...]) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for leaf in leaves(condition):
        for side in (leaf.left, leaf.right) if isinstance(leaf, Compare) else ():
            if isinstance(side, Literally) and not isinstance(side.value, bool):
                words = side.quote or " ".join(one.quote for one in evidence)
                found |= {
                    (_text(value), words) for value in (side.value if isinstance(side.value, list) else [side.value])
                }
    return found


def _text(value: JsonValue) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def names(node: Node) -> set[str]:
    """Who is named at a node."""
    return {who for who in (node.actor, node.assignee, *(node.approvers or ())) if who and who != "?"}


def result(change: Change, before: Said, after: Said) -> Result:
    """What became of a change."""
    asked = any(change.new.lower() in text.lower() for text in after.asked)
    if change.kind == "negation":
        follows = not after.forbids and after.refused < max(before.refused, 1)
    elif change.kind == "role":
        told = (*after.people, *after.texts)
        follows = any(change.new.lower() in each.lower() for each in told)
    else:
        old = {value for value, words in before.values if change.old in words}
        new = {value for value, words in after.values if change.new in words}
        in_words = any(change.new in text for text in after.texts)
        follows = bool(new) and new != old if old else bool(new - old) or in_words
    if follows:
        return "changed"
    return "asked" if asked else "listed" if after.unplaced else "silent"


def tried(change: Change, document: Document, drafts: tuple[Compiled, ...]) -> Result:
    """Make a change, compile, and say what became of it."""
    said, grown = change.sentence, len(change.new) - (change.end - change.start)
    before = said_about(drafts, said.block, said.start, said.end)
    after = said_about(compiled(changed(document, change)), said.block, said.start, said.end + grown)
    return result(change, before, after)


def drawn(cases: Path, count: int, seed: int) -> list[tuple[Change, Document, tuple[Compiled, ...]]]:
    """Changes of each kind, as many of one as of another as far as there are, spread over the cases."""
    from compiler.parsers import parse

    pool: dict[Kind, list[tuple[Change, Document, tuple[Compiled, ...]]]] = {kind: [] for kind in KINDS}
    random = Random(seed)  # noqa: S311 - no secret
    for case in read_suite(cases):
        for one in case.file.documents:
            document = parse((case.folder / one.path).read_bytes(), Path(one.path).name).document
            if one.role != "policy" or document is None or not case.file.procedures:
                continue
            drafts = compiled(document)
            for kind in KINDS:
                found = list(changes(case.slug, document, drafts, kind))
                pool[kind] += [(each, document, drafts) for each in random.sample(found, min(len(found), 3))]
    for members in pool.values():
        random.shuffle(members)
    taken: list[tuple[Change, Document, tuple[Compiled, ...]]] = []
    while len(taken) < count and any(pool.values()):
        taken += [pool[kind].pop() for kind in KINDS if pool[kind]]
    return taken[:count]


def main() -> int:
    """Print what became of each change; 1 where a draft kept silent."""
    parser = argparse.ArgumentParser(prog="python -m evals.metamorphic", description=__doc__)
    parser.add_argument("cases", type=Path, nargs="?", default=Path("fixtures/cases"))
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    results: list[Result] = []
    for change, document, drafts in drawn(args.cases, args.count, args.seed):
        results.append(tried(change, document, drafts))
        place = f"{change.case} {change.block} {change.kind} “{change.old}” → “{change.new}”"
        print(f"{results[-1]:8} {place}: {change.sentence.text[:100]}", flush=True)  # noqa: T201
    print(", ".join(f"{results.count(each)} {each}" for each in RESULTS), f"of {len(results)}")  # noqa: T201
    return int("silent" in results)


if __name__ == "__main__":
    sys.exit(main())
