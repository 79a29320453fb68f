"""A quote is located by statuses, ties are decided by what is given, and what is unseen never matches."""

import pytest
from wordings import document

from compiler.grounding import QuoteFinder, locate
from ir.document import Block, BlockTag, Cell, Document
from ir.source import Grounding


def tagged(*blocks: tuple[str, BlockTag | None]) -> Document:
    """A document whose paragraphs have tags."""
    made = tuple(
        Block(address=f"b{n}", kind="paragraph", text=t, tag=tag) for n, (t, tag) in enumerate(blocks, start=1)
    )
    return document().model_copy(update={"blocks": made})


TABLE = Block(
    address="t1",
    kind="table",
    cells=(
        Cell(address="t1-r1c1", row=1, column=1, text="Step"),
        Cell(address="t1-r1c2", row=1, column=2, text="The clerk signs"),
    ),
)


def test_verbatim_words_are_exact_with_code_points() -> None:
    """An exact quote has its place in code points, and no other words are claimed."""
    evidence = locate("报总监审批", document("𠮷经理审核后，报总监审批。"))
    assert (evidence.status, evidence.block, evidence.start, evidence.end) == (Grounding.EXACT, "p1", 7, 12)
    assert evidence.claimed is None


def test_folded_words_are_normalised_and_keep_the_claim() -> None:
    """The quote becomes the document's own text, with its odd spacing; the claimed words are kept."""
    evidence = locate("must not approve", document("The clerk MUST not ap-\nprove it."))
    assert evidence.status is Grounding.NORMALISED
    assert (evidence.quote, evidence.claimed) == ("MUST not ap-\nprove", "must not approve")


def test_cells_are_searched() -> None:
    """A quote in a table is located in its cell; the table's own address counts as the claimed block."""
    table = document().model_copy(update={"blocks": (TABLE,)})
    evidence = locate("the clerk signs", table, near="t1")
    assert (evidence.block, evidence.status) == ("t1-r1c2", Grounding.NORMALISED)


def test_another_block_than_claimed_is_relocated() -> None:
    """The words are found, but not where they were claimed; an unknown address counts as another block."""
    there = document("A first rule.", "The clerk signs.")
    for near in ("p1", "p9"):
        evidence = locate("The clerk signs", there, near=near)
        assert (evidence.block, evidence.status) == ("p2", Grounding.RELOCATED)


def test_equal_places_are_ambiguous() -> None:
    """Several places and nothing to decide: no place is given, and nothing is supported."""
    search = QuoteFinder(document("The clerk signs.", "Then the clerk signs.")).search("clerk signs")
    assert search.evidence.status is Grounding.AMBIGUOUS
    assert search.evidence.block is None
    assert not search.evidence.supports
    assert [hit.place.address for hit in search.hits] == ["p1", "p2"]


def test_occurrence_near_and_order_decide() -> None:
    """Each of the three ways to tell equal places apart, and the occurrence that results."""
    there = document("经理签字，经理签字。", "总监到场。", "经理签字。")
    assert locate("经理签字", there, occurrence=2).start == 5
    near = locate("经理签字", there, near="p3")
    assert (near.block, near.occurrence, near.status) == ("p3", 3, Grounding.EXACT)
    later = locate("经理签字", there, after=("p1", 1))
    assert (later.block, later.start, later.occurrence) == ("p1", 5, 2)
    assert locate("经理签字", there, after=("p3", 1)).status is Grounding.AMBIGUOUS
    assert locate("经理签字", there, near="p1").status is Grounding.AMBIGUOUS
    assert locate("经理签字", there, near="p1", after=("p1", 2)).start == 5


def test_a_heading_that_was_named_decides() -> None:
    """Of equal places the one under the claimed heading is taken, as relocated."""
    blocks = (
        Block(address="s1", kind="heading", text="Orders", level=1),
        Block(address="s1-p1", kind="paragraph", text="The clerk signs.", parent="s1"),
        Block(address="s2", kind="heading", text="Refunds", level=1),
        Block(address="s2-p1", kind="paragraph", text="The clerk signs.", parent="s2"),
    )
    evidence = locate("The clerk signs", document().model_copy(update={"blocks": blocks}), near="s2")
    assert (evidence.block, evidence.status, evidence.occurrence) == ("s2-p1", Grounding.RELOCATED, 2)


def test_an_occurrence_that_is_not_there() -> None:
    """A second place that the document does not have is not replaced by the first."""
    search = QuoteFinder(document("The clerk signs.")).search("The clerk signs", occurrence=2)
    assert search.evidence.status is Grounding.UNGROUNDED
    assert search.reason == "the document has them only once"


def test_the_claimed_block_goes_before_the_same_spelling_elsewhere() -> None:
    """Words in the claimed block in another case are meant, not the same letters in another block."""
    evidence = locate("The clerk signs", document("The clerk signs.", "THE CLERK SIGNS."), near="p2")
    assert (evidence.block, evidence.status) == ("p2", Grounding.NORMALISED)


@pytest.mark.parametrize("tag", ["hidden", "deleted"])
def test_unseen_text_never_matches(tag: BlockTag) -> None:
    """Hidden and deleted words support nothing, and the reason says so."""
    search = QuoteFinder(tagged(("The clerk signs.", tag), ("Nothing else.", None))).search("The clerk signs")
    assert search.evidence.status is Grounding.UNGROUNDED
    assert search.reason == f"they stand only in {tag} text, which supports nothing"


@pytest.mark.parametrize("tag", ["header", "footer"])
def test_furniture_matches_only_when_nothing_else_does(tag: BlockTag) -> None:
    """A running header is searched last, and does not make a quote of the body ambiguous."""
    there = tagged(("Travel rules 2024", tag), ("These travel rules 2024 apply.", None))
    assert locate("travel rules 2024", there).block == "b2"
    assert locate("Travel rules 2024", tagged(("Travel rules 2024", tag), ("Other.", None))).block == "b1"


@pytest.mark.parametrize("quote", ["", "  \n", "。", "——……", "a", "是。", "5"])
def test_empty_quotes_support_nothing(quote: str) -> None:
    """Nothing, marks only and single characters are no quotes, wherever they stand."""
    search = QuoteFinder(document("a 是。——…… 5")).search(quote)
    assert search.evidence.status is Grounding.UNGROUNDED
    assert search.reason is not None


def test_a_quote_over_two_blocks_is_ungrounded() -> None:
    """A span has one block; the reason names both."""
    search = QuoteFinder(document("The clerk signs", "and the manager approves.")).search("clerk signs and the manager")
    assert search.evidence.status is Grounding.UNGROUNDED
    assert search.reason == "they run over p1 and p2; quote the words of one of them"


def test_the_nearest_passage_says_what_differs() -> None:
    """For words that are not there, the place that comes nearest and where the two part."""
    library = QuoteFinder(document("Staff report within 30 days of the event.", "库存超过12.5吨的，报批。"))
    nearest = library.search("report within 3 days of the event").nearest
    assert nearest is not None
    assert nearest.parts == (("3 days", "30 days"),)
    nearest = library.search("库存超过125吨").nearest
    assert nearest is not None
    assert nearest.parts == (("125吨", "12.5吨"),)


def test_a_cut_number_names_the_whole() -> None:
    """`3 days` out of `13 days` is refused, and the document's number is shown."""
    nearest = QuoteFinder(document("within 13 days")).search("3 days").nearest
    assert nearest is not None
    assert nearest.parts == (("3 days", "13 days"),)


def test_the_unnegated_place_is_the_only_one() -> None:
    """Where words stand once negated and once not, the place that says what the quote says is found."""
    evidence = locate("符合条件", document("不符合条件的，退回。符合条件的，受理。"))
    assert (evidence.status, evidence.start) == (Grounding.EXACT, 10)


def test_words_that_only_look_negated() -> None:
    """`除非` opens a condition and negates no word after it; a modal before the quote may be left off."""
    assert locate("情况紧急", document("除非情况紧急，否则应当报批。")).supports
    assert locate("转包给他人", document("不得转包给他人。")).supports
    assert locate("exceed the limit", document("Nobody shall exceed the limit.")).supports
