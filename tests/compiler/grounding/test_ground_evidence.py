"""The pass: every quote located or marked, faults reported, nothing dropped, and fast."""

import random
import time

import pytest

from catalog.index import NodeIndex
from catalog.load import load_catalog
from compiler.context import Context
from compiler.grounding.ground_evidence import ground_evidence
from ir.diagnostics import Diagnostic, Severity
from ir.document import Block, Document
from ir.procedure import Procedure, Step
from ir.source import Evidence, Grounding, Source
from primers.load import load_primers


def no_index() -> NodeIndex:
    """Grounding searches no catalog."""
    raise AssertionError


@pytest.fixture
def ctx() -> Context:
    """A context over the shipped catalog and primers."""
    return Context(load_catalog(), load_primers(), no_index, subject="rules.pdf")


def document(*texts: str) -> Document:
    """A document of one page with a paragraph a text."""
    source = Source(path="rules.pdf", sha256="0" * 64, size=1, kind="pdf")
    blocks = tuple(Block(address=f"p1-para{n}", kind="paragraph", text=t, page=1) for n, t in enumerate(texts, start=1))
    return Document(doc_id="rules.pdf", title="Rules", source=source, language="und", blocks=blocks)


def procedure(*quotes: str) -> Procedure:
    """A procedure with a step a quote."""
    steps = tuple(
        Step(id=f"s{n}", text=q, kind="task", evidence=(Evidence(doc_id="rules.pdf", quote=q),))
        for n, q in enumerate(quotes, start=1)
    )
    return Procedure(id="rules", title="Rules", doc_id="rules.pdf", language="en", steps=steps)


def reported(ctx: Context, code: str) -> Diagnostic:
    """The only diagnostic, which has this code."""
    (diagnostic,) = ctx.diagnostics
    assert diagnostic.error_code == code
    return diagnostic


def test_what_is_there_is_not_reported(ctx: Context) -> None:
    """Located quotes give no diagnostic."""
    grounded = ground_evidence(ctx, procedure("clerk signs", "CLERK  signs"), document("The clerk signs."))
    assert [s.evidence[0].status for s in grounded.steps] == [Grounding.EXACT, Grounding.NORMALISED]
    assert ctx.diagnostics == []


def test_ungrounded_evidence_says_what_differs(ctx: Context) -> None:
    """The message quotes the words, names the nearest passage, and says what the document says instead."""
    given = procedure("Staff report within 3 days")
    grounded = ground_evidence(ctx, given, document("Other.", "Staff report within 30 days of the event."))
    fault = reported(ctx, "ungrounded-evidence")
    assert fault.severity is Severity.WARNING
    assert str(fault.location) == "rules.pdf: p1-para2 (page 1)"
    assert '"Staff report within 3 days"' in fault.message
    assert 'the quote says "3 days", the document says "30 days"' in fault.message
    assert grounded.steps[0].evidence[0].quote == "Staff report within 3 days"
    assert not grounded.steps[0].evidence[0].supports


def test_words_that_are_like_nothing(ctx: Context) -> None:
    """Where nothing is near, the message says so, and the location is the document."""
    ground_evidence(ctx, procedure("退回申请人补正材料"), document("The clerk signs."))
    fault = reported(ctx, "ungrounded-evidence")
    assert "nothing in it is like them" in fault.message
    assert str(fault.location) == "rules.pdf"


def test_ambiguous_evidence_names_the_places(ctx: Context) -> None:
    """The message names the places with their numbers and asks for `occurrence`."""
    ground_evidence(ctx, procedure("clerk signs"), document("The clerk signs.", "A clerk signs."))
    fault = reported(ctx, "ambiguous-evidence")
    assert fault.severity is Severity.WARNING
    assert "1: p1-para1 (page 1), 2: p1-para2 (page 1)" in fault.message
    assert "give `occurrence`" in fault.message


def test_a_place_told_by_order_is_information(ctx: Context) -> None:
    """A choice that the order made is said, with what to do where it is wrong."""
    ground_evidence(
        ctx, procedure("board meets", "clerk signs"), document("A clerk signs.", "The board meets.", "A clerk signs.")
    )
    note = reported(ctx, "evidence-placed-by-order")
    assert note.severity is Severity.INFO
    assert "number 2 was taken, in p1-para3" in note.message


def test_nothing_is_dropped(ctx: Context) -> None:
    """Every element and every piece of evidence is still there, in order."""
    given = procedure("clerk signs", "nobody there", "。", "")
    grounded = ground_evidence(ctx, given, document("The clerk signs."))
    assert [(s.id, s.text, len(s.evidence)) for s in grounded.steps] == [(s.id, s.text, 1) for s in given.steps]
    assert len(ctx.diagnostics) == 3


def test_many_quotes_of_a_long_document_are_quick(ctx: Context) -> None:
    """2,000 exact quotes in 1,000 blocks: about one second on the machine that it was written on, four at most."""
    chance = random.Random(3)
    words = (
        "采购",
        "部门",
        "经理",
        "审核",
        "申请",
        "材料",
        "登记",
        "通知",
        "供应商",
        "归档",
        "合同",
        "金额",
        "付款",
        "验收",
    )
    texts = ["，".join("".join(chance.choices(words, k=8)) for _ in range(12)) + f"，编号{n}。" for n in range(1000)]
    quotes = [chance.choice(chance.choice(texts).split("，")[:-1]) for _ in range(2000)]
    given, there = procedure(*quotes), document(*texts)
    began = time.process_time()
    grounded = ground_evidence(ctx, given, there)
    assert time.process_time() - began < 4
    assert all(step.evidence[0].status is Grounding.EXACT for step in grounded.steps)
