"""Of equal places the neighbours and the order of a procedure decide, and the decision is written down."""

from wordings import document

from compiler.grounding import Grounded, QuoteFinder, ground_procedure
from ir.document import Document
from ir.procedure import Deadline, Fact, Flow, Gap, Procedure, Step
from ir.source import Evidence, Grounding, Span

DOC = "rules.txt"


def quoted(quote: str) -> tuple[Evidence, ...]:
    """Evidence that nobody has looked for yet."""
    return (Evidence(doc_id=DOC, quote=quote),)


def step(name: str, quote: str, deadline: str | None = None) -> Step:
    """A task in the words of its quote."""
    until = Deadline(duration="P3D", evidence=quoted(deadline)) if deadline else None
    return Step(id=name, text=quote, kind="task", evidence=quoted(quote), deadline=until)


def procedure(*steps: Step, flows: tuple[Flow, ...] = (), gaps: tuple[Gap, ...] = ()) -> Procedure:
    """A procedure of the document."""
    return Procedure(id="p", title="P", doc_id=DOC, language="zh", steps=steps, flows=flows, gaps=gaps)


def ground(given: Procedure, there: Document) -> tuple[Procedure, dict[str, Grounded]]:
    """The grounded procedure, and how each owner's evidence came out."""
    grounded, found = ground_procedure(given, QuoteFinder(there))
    return grounded, {one.owner: one for one in found}


def test_the_place_after_the_step_before_is_taken() -> None:
    """A repeated quote stands after the words of the step before it, and says which occurrence it is."""
    there = document("经理签字。", "出纳付款。", "经理签字。", "经理签字。")
    grounded, found = ground(procedure(step("s1", "出纳付款"), step("s2", "经理签字"), step("s3", "经理签字")), there)
    assert [s.evidence[0].block for s in grounded.steps] == ["p2", "p3", "p4"]
    assert [s.evidence[0].occurrence for s in grounded.steps] == [None, 2, 3]
    assert found["step s2"].search.decided == "order"


def test_the_first_step_stands_before_the_second() -> None:
    """Without a step before, the only place before the next step's words is taken."""
    there = document("经理签字。", "出纳付款。", "经理签字。")
    grounded, _ = ground(procedure(step("s1", "经理签字"), step("s2", "出纳付款")), there)
    assert grounded.steps[0].evidence[0].block == "p1"


def test_order_that_decides_nothing_stays_ambiguous() -> None:
    """With two places before the next step, or none after the last, no place is guessed."""
    there = document("经理签字。", "经理签字。", "出纳付款。")
    first, _ = ground(procedure(step("s1", "经理签字"), step("s2", "出纳付款")), there)
    last, _ = ground(procedure(step("s1", "出纳付款"), step("s2", "经理签字")), there)
    for evidence in (first.steps[0].evidence[0], last.steps[1].evidence[0]):
        assert evidence.status is Grounding.AMBIGUOUS
        assert evidence.block is None


def test_a_quote_inside_the_words_before_may_be_meant() -> None:
    """A part of the sentence that the step before quotes comes before a later place of the same words."""
    there = document("经理审核后，报总监审批。", "其他事项也报总监审批。")
    grounded, _ = ground(procedure(step("s1", "经理审核后，报总监审批"), step("s2", "报总监审批")), there)
    assert (grounded.steps[1].evidence[0].block, grounded.steps[1].evidence[0].start) == ("p1", 6)


def test_a_deadline_stands_with_its_step() -> None:
    """A deadline that the document gives again and again is the one beside its step's words."""
    there = document("经理在3日内签字。", "出纳在3日内付款。", "会计在3日内记账。")
    grounded, found = ground(procedure(step("s1", "出纳在3日内付款", "3日内")), there)
    deadline = grounded.steps[0].deadline
    assert deadline is not None
    assert (deadline.evidence[0].block, deadline.evidence[0].occurrence) == ("p2", 2)
    assert found["the deadline of step s1"].search.decided == "beside"


def test_flows_and_gaps_stand_with_what_they_are_about() -> None:
    """The words of a flow or gap are those beside the steps that it names."""
    there = document("经理签字后，及时通知。", "出纳付款后，及时通知。")
    flow = Flow(source="s2", target="end", evidence=quoted("及时通知"))
    gap = Gap(id="g1", kind="ambiguity", question="?", about=("s1",), evidence=quoted("及时通知"))
    given = procedure(step("s1", "经理签字"), step("s2", "出纳付款"), flows=(flow,), gaps=(gap,))
    grounded, _ = ground(given, there)
    assert grounded.flows[0].evidence[0].block == "p2"
    assert grounded.gaps[0].evidence[0].block == "p1"


def test_evidence_at_its_place_is_kept() -> None:
    """What says where it stands, and stands there, is exact at that place, even where it recurs."""
    span = Span(doc_id=DOC, block="p2", start=0, end=4, quote="经理签字")
    given = procedure(
        Step(id="s1", text="x", kind="task", evidence=(Evidence.from_span(span).model_copy(update={"status": None}),))
    )
    grounded, _ = ground(given, document("经理签字。", "经理签字。"))
    assert grounded.steps[0].evidence == (Evidence.from_span(span),)


def test_evidence_at_a_wrong_place_is_sought_anew() -> None:
    """Wrong offsets in the right block are mended; words of another block are relocated."""
    wrong = Evidence(doc_id=DOC, quote="经理签字", block="p1", start=0, end=4)
    for texts, block, status in (
        (("随后经理签字。", "无事。"), "p1", Grounding.EXACT),
        (("无事。", "随后经理签字。"), "p2", Grounding.RELOCATED),
    ):
        given = procedure(Step(id="s1", text="x", kind="task", evidence=(wrong,)))
        evidence = ground(given, document(*texts))[0].steps[0].evidence[0]
        assert (evidence.block, evidence.start, evidence.status) == (block, 2, status)


def test_evidence_of_other_documents_is_left_alone() -> None:
    """Another document's quote is neither looked for nor changed."""
    other = Evidence(doc_id="other.pdf", quote="经理签字")
    given = procedure(Step(id="s1", text="x", kind="task", evidence=(other, *quoted("出纳付款"))))
    grounded, _ = ground(given, document("经理签字。", "出纳付款。"))
    assert grounded.steps[0].evidence[0] == other
    assert grounded.steps[0].evidence[1].block == "p2"


def test_grounding_again_changes_nothing() -> None:
    """A grounded procedure is grounded: every status, also fuzzy and relocated ones, stays."""
    there = document("经理应当在3个工作日内签字。", "出纳付款。", "出纳付款。", "The Clerk signs.")
    fact = Fact(id="f", name="x", type="string", evidence=quoted("没有的话"))
    moved = Evidence(doc_id=DOC, quote="The Clerk signs", block="p1", start=0, end=3)
    given = procedure(
        step("s1", "经理应当在三个工作日内签字"), step("s2", "出纳付款"), step("s3", "the clerk signs"),
        Step(id="s4", text="x", kind="task", evidence=(moved,)),
    ).model_copy(update={"facts": (fact,)})  # fmt: skip
    once, _ = ground(given, there)
    statuses = [s.evidence[0].status for s in once.steps]
    assert statuses == [Grounding.FUZZY, Grounding.EXACT, Grounding.NORMALISED, Grounding.RELOCATED]
    assert once.facts[0].evidence[0].status is Grounding.UNGROUNDED
    assert ground(once, there)[0] == once
