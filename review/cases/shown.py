"""Kept cases as a reviewer looks at them: in which order, what differs, which words of the documents decide."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from compiler.report.words import Words
from ir.document import Document
from ir.kept_case import KeptCase
from ir.workflow import CONTROL_END, Workflow
from review.cases.differing import difference_words
from review.cases.judging import stamp
from review.cases.tested import Decider, Tested
from validator.examples.changed import ChangedCase, changed_cases
from validator.examples.kept import FAILING, CheckedCase, Outcome, check_kept

_BESIDE = 200
"""How many characters beside a quote are shown."""


@dataclass(frozen=True)
class ShownClause:
    """A clause with its words, as they stand in the document.

    Args:
        document: its title; the id where it does not lie there.
        before, after: what stands beside the quote in its block.
    """

    name: str
    quote: str
    document: str
    doc_id: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class ShownCase:
    """A case with all that is shown of it.

    Args:
        stamp: by which a judgement says what was shown.
        kind: what sort of thing it tests; `point` says which one, None where the workflow has no such target any more.
        differences, gone: what is not as it was.
        deciders: the elements that decide it now, where it is not as it was judged.
        wishes: how a wrong case should end, and which steps should run or not, in words.
    """

    case: KeptCase
    stamp: str
    outcome: Outcome
    kind: str
    point: str | None
    clauses: tuple[ShownClause, ...]
    differences: tuple[str, ...]
    gone: tuple[str, ...]
    deciders: tuple[Decider, ...]
    wishes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ShownChange:
    """A case that corrections change.

    Args:
        differences: from the run before to the run after, in words.
    """

    case_id: str
    told: str
    before: Outcome
    after: Outcome
    differences: tuple[str, ...]
    gone: tuple[str, ...]


def shown_cases(tested: Tested, checked: Iterable[CheckedCase], words: Words) -> tuple[ShownCase, ...]:
    """The cases, those first that differ from what was judged or name what is gone.

    Args:
        words: of the reader's language, in which differences are told.
    """
    labels = {name: anchor.label or name for name, anchor in (tested.kept.nodes if tested.kept else {}).items()}
    every = [_shown(tested, one, words, labels) for one in checked]
    return tuple(sorted(every, key=lambda one: one.outcome not in FAILING))


def steps_of(workflow: Workflow, tested: Tested) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """The ends and the other steps of a workflow, by id; in words, with the id where another is called the same."""
    words = {name: tested.teller.reader.node_name(name) for name in workflow.nodes}
    called = Counter(words.values())
    named = [(name, text if called[text] == 1 else f"{text} ({name})") for name, text in words.items()]
    ends = {name for name, node in workflow.nodes.items() if node.type == CONTROL_END}
    return tuple(one for one in named if one[0] in ends), tuple(one for one in named if one[0] not in ends)


def shown_changes(tested: Tested, before: Workflow, words: Words) -> tuple[ShownChange, ...]:
    """The cases that differ between a workflow before and the one that is tested.

    Raises:
        ValueError: a graph has a cycle, or an edge names a node that does not exist.
    """
    if tested.kept is None or before == tested.workflow:
        return ()
    return tuple(_change(tested, one, words) for one in changed_cases(before, tested.workflow, tested.kept))


def checked_cases(tested: Tested) -> tuple[CheckedCase, ...]:
    """The kept cases, run on the workflow as it is now; none where there is no file."""
    return () if tested.kept is None else tuple(check_kept(tested.kept, tested.workflow))


def _change(tested: Tested, one: ChangedCase, words: Words) -> ShownChange:
    told = tuple(difference_words(tested, each, words) for each in one.differences)
    return ShownChange(one.after.case.id, one.after.case.told, one.before.outcome, one.after.outcome, told, one.gone)


def _shown(tested: Tested, one: CheckedCase, words: Words, labels: Mapping[str, str]) -> ShownCase:
    case, said = one.case, one.case.judgement
    wishes = []
    if said is not None and said.result is not None:
        wishes.append(("end", words(f"end.{said.result.status}")))
    if said is not None:
        wishes += [("must", labels.get(name, name)) for name in said.must]
        wishes += [("must_not", labels.get(name, name)) for name in said.must_not]
    return ShownCase(
        case=case,
        stamp=stamp(case),
        outcome=one.outcome,
        kind=case.point.partition("/")[0],
        point=tested.point_words(case),
        clauses=tuple(_clause(tested.documents, each.name, each.quote, each.doc_id) for each in case.clauses),
        differences=tuple(difference_words(tested, each, words) for each in one.differences),
        gone=tuple(labels.get(name, name.removeprefix("$.inputs.")) for name in one.gone),
        deciders=tested.deciding(one) if one.outcome in ("differs", "still wrong") else (),
        wishes=tuple(wishes),
    )


def _clause(documents: Sequence[Document], name: str, quote: str, doc_id: str) -> ShownClause:
    """A clause with what stands beside its quote; without, where the document or the quote is not found."""
    document = next((one for one in documents if one.doc_id == doc_id), None)
    if document is None:
        return ShownClause(name, quote, doc_id, doc_id)
    for block in document.blocks:
        before, found, after = block.text.partition(quote)
        if found:
            short = "…" + before[-_BESIDE:] if len(before) > _BESIDE else before
            rest = after[:_BESIDE] + "…" if len(after) > _BESIDE else after
            return ShownClause(name, quote, document.title, doc_id, short, rest)
    return ShownClause(name, quote, document.title, doc_id)
