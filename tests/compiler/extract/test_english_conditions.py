"""When English sentences hold: conditions, times and deadlines, and what they mean as trees."""

import pytest

from catalog.load import load_catalog
from compiler.extract.rules.conditions import ConditionReader
from compiler.extract.rules.en.sentences import EnglishReader
from compiler.extract.rules.en.time import compares, duration
from compiler.extract.rules.statements import ConditionCue, Statement
from compiler.text.lexicon import lexicon
from compiler.text.mentions import Mentions
from compiler.text.sentences import Piece
from ir.predicate import Compare, Junction, Literally, Not, Ref, Tree

READER = EnglishReader()


def read(text: str) -> Statement:
    """The single statement of a sentence."""
    (statement,) = READER.read(Piece("b", 0, len(text), text), 0)
    return statement


def conditions(text: str) -> list[tuple[str, str, bool]]:
    """Mode, words and vagueness of each condition."""
    return [(cue.mode, cue.piece.text, cue.vague) for cue in read(text).conditions]


def tree(text: str, earlier: list[tuple[str, Statement]] | None = None, mode: str = "when") -> Tree:
    """What a condition means."""
    reader = ConditionReader(Mentions(load_catalog()), lexicon("en"), "d.md")
    cue = ConditionCue(Piece("b", 0, len(text), text), "unless" if mode == "unless" else "when")
    return reader.read(cue, earlier or [])


# --- finding conditions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("If the bag is torn, the clerk repacks it.", "the bag is torn"),
        ("The clerk repacks the bag if it is torn.", "it is torn"),
        ("In case of fire, leave the hall.", "fire"),
        ("Provided that the fee is paid, the office issues the permit.", "the fee is paid"),
        ("Should the guest complain, the manager offers a refund.", "the guest complain"),
        ("Where the dose is unclear, the nurse calls the physician.", "the dose is unclear"),
        ("When the lamp is red, stop the press.", "the lamp is red"),
        ("Orders above $900 must be approved by the buyer.", "Orders above $900"),
        ("For orders over 40 kg, the foreman books a truck.", "orders over 40 kg"),
        ("Any driver who sees a leak must call the depot.", "sees a leak"),
        ("If the form, the photo, or the fee is missing, call him.", "the form, the photo, or the fee is missing"),
    ],
)  # fmt: skip
def test_a_condition_is_found_without_its_cue(text: str, words: str) -> None:
    """Before, after or inside the main clause."""
    assert conditions(text) == [("when", words, False)]


@pytest.mark.parametrize(
    "text",
    ["Unless the buyer objects, ship the goods.", "Ship the goods unless the buyer objects."],
)
def test_unless_excludes(text: str) -> None:
    """The words are the exception's own."""
    assert conditions(text) == [("unless", "the buyer objects", False)]


def test_otherwise_is_the_rest() -> None:
    """The condition before is denied."""
    assert conditions("Otherwise, the clerk files the form.") == [("otherwise", "Otherwise", False)]


@pytest.mark.parametrize("words", ["necessary", "appropriate", "possible"])
def test_what_is_left_to_judgement_is_vague(words: str) -> None:
    """`if necessary` says nothing definite."""
    assert conditions(f"If {words}, the warden calls the police.") == [("when", words, True)]


def test_if_applicable_is_definite() -> None:
    """Whether it applies can be known."""
    assert conditions("If applicable, attach the permit.") == [("when", "applicable", False)]


def test_fixed_phrases_are_no_conditions() -> None:
    """`unless otherwise stated` excludes nothing."""
    assert conditions("Unless otherwise stated, the clerk signs the form.") == []


def test_what_is_asked_is_no_condition() -> None:
    """`determine if` opens what is to be determined."""
    statement = read("Determine if the tank leaks.")
    assert (statement.conditions, statement.outcomes) == ((), ("pass", "fail"))


def test_a_definite_subject_with_a_relative_clause_is_no_condition() -> None:
    """`the clerk who took the call` is one person."""
    assert conditions("The clerk who took the call writes a note.") == []


def test_a_condition_after_and_is_that_of_the_next_act() -> None:
    """`and, if approved, files it`."""
    text = "The officer reviews the claim and, if it is approved, pays the sum."
    first, second = READER.read(Piece("b", 0, len(text), text), 0)
    assert (first.conditions, [c.piece.text for c in second.conditions]) == ((), ["it is approved"])


def test_a_condition_holds_for_all_acts_of_its_clause() -> None:
    """Both acts stand under the opening condition."""
    text = "If the seal is broken, the guard stops the truck and calls the depot."
    assert [len(s.conditions) for s in READER.read(Piece("b", 0, len(text), text), 0)] == [1, 1]


# --- times --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "opening",
    [
        "Upon receipt of the parcel",
        "After the interview",
        "Once the form is completed",
        "As soon as the goods arrive",
        "When the invoice is received",
    ],
)
def test_what_comes_before_is_no_condition(opening: str) -> None:
    """An event says after what, not whether."""
    statement = read(f"{opening}, the clerk signs the list.")
    assert ([p.text for p in statement.after], statement.conditions) == ([opening], ())


def test_once_approved_is_a_condition() -> None:
    """It may be refused."""
    assert conditions("Once approved, the buyer places the order.") == [("when", "approved", False)]


@pytest.mark.parametrize(
    ("text", "iso", "start"),
    [
        ("The bank must reply within 3 business days.", "P3BD", None),
        ("The bank must reply within five (5) business days of receipt.", "P5BD", "receipt"),
        ("The bank must reply no later than 2 weeks after the hearing.", "P2W", "hearing"),
        ("Within 24 hours of discovery, the analyst informs the manager.", "PT24H", "discovery"),
        ("Report the loss within an hour.", "PT1H", None),
        ("Reply immediately.", None, None),
        ("Send the list by close of business.", None, None),
    ],
)
def test_deadlines_have_their_length(text: str, iso: str | None, start: str | None) -> None:
    """Words without a value give a deadline without one."""
    assert [(d.duration, d.start) for d in read(text).deadlines] == [(iso, start)]


def test_a_minimum_time_is_no_deadline() -> None:
    """`at least ten days before` says how early."""
    assert read("Staff must submit the form at least ten days before the trip.").deadlines == ()


def test_durations_need_a_unit() -> None:
    """A thing of thirty days is no length of time to keep."""
    assert (duration("thirty (30) days"), duration("half an hour"), duration("30 copies")) == ("P30D", "PT30M", None)


def test_a_comparison_needs_a_comparator() -> None:
    """A sum alone limits nothing."""
    cues = lexicon("en")
    assert [compares(cues, text) for text in ("claims over $50", "a fee of $50", "5 kg or more")] == [True, False, True]


# --- what conditions mean -----------------------------------------------------------------------------------------


def step(text: str) -> Statement:
    """The first statement of a sentence, as an earlier step."""
    return READER.read(Piece("a", 0, len(text), text), 0)[0]


def test_a_limit_is_a_comparison() -> None:
    """The fact bears the words before the comparator."""
    found = tree("the amount exceeds $5,000")
    assert isinstance(found, Compare)
    assert found.op == "gt"
    assert isinstance(found.right, Literally)
    assert found.right.value == 5000


def test_a_range_is_two_comparisons_of_one_fact() -> None:
    """`between A and B` includes both."""
    found = tree("purchases between $1,000 and $10,000")
    assert isinstance(found, Junction)
    assert [leaf.op for leaf in found.items if isinstance(leaf, Compare)] == ["gte", "lte"]
    assert len({leaf.left for leaf in found.items if isinstance(leaf, Compare)}) == 1


@pytest.mark.parametrize(
    ("words", "outcome"),
    [("approved", "approved"), ("the loan is denied", "rejected"), ("the loan is not approved", "rejected")],
)
def test_a_verdict_reads_the_approval_before(words: str, outcome: str) -> None:
    """Not the check, which cannot refuse."""
    earlier = [
        ("s1", step("The teller checks whether the loan form is complete.")),
        ("s2", step("The bank manager must approve the loan.")),
    ]
    found = tree(words, earlier)
    assert isinstance(found, Compare)
    assert (found.left, found.right.value if isinstance(found.right, Literally) else None) == (
        Ref("$.steps.s2.outcome"),
        outcome,
    )


@pytest.mark.parametrize(("words", "outcome"), [("so", "pass"), ("not", "fail"), ("the form is incomplete", "fail")])
def test_a_verdict_reads_the_check_before(words: str, outcome: str) -> None:
    """`if so`, `if not`, or the check's own words."""
    found = tree(words, [("s1", step("The teller checks whether the form is complete."))])
    assert isinstance(found, Compare)
    assert isinstance(found.right, Literally)
    assert (found.left, found.right.value) == (Ref("$.steps.s1.outcome"), outcome)


def test_a_verdict_on_another_matter_is_a_fact() -> None:
    """What no step judged is known otherwise."""
    found = tree("the driver's licence is valid", [("s1", step("The teller checks whether the form is complete."))])
    assert isinstance(found, Compare)
    assert isinstance(found.left, Ref)
    assert found.left.root == "facts"


def test_a_proposition_and_its_denial_are_one_fact() -> None:
    """So that the two branches exclude each other."""
    reader = ConditionReader(Mentions(load_catalog()), lexicon("en"), "d.md")
    found = []
    for text in ("the host is infected", "the host is not infected"):
        found.append(reader.read(ConditionCue(Piece("b", 0, len(text), text)), []))
    left, right = found
    assert isinstance(left, Compare)
    assert isinstance(right, Compare)
    assert left.left == right.left
    assert [c.right.value for c in (left, right) if isinstance(c.right, Literally)] == [True, False]


def test_unless_denies() -> None:
    """The tree is negated."""
    found = tree("the buyer objects", mode="unless")
    assert isinstance(found, Not) or (isinstance(found, Compare) and isinstance(found.right, Literally))


def test_vague_conditions_are_facts_of_their_own() -> None:
    """`if necessary` at two places is not one fact."""
    reader = ConditionReader(Mentions(load_catalog()), lexicon("en"), "d.md")
    first, second = (reader.read(ConditionCue(Piece(b, 0, 9, "necessary"), vague=True), []) for b in ("a", "b"))
    assert isinstance(first, Compare)
    assert isinstance(second, Compare)
    assert first.left != second.left


def test_a_sentence_that_breaks_off_after_by() -> None:
    """A page's end may cut a sentence; nothing stands after it."""
    read = list(EnglishReader().read(Piece("b", 0, 51, "The clerk checks the form; the report is signed by"), 0))
    assert read


def test_a_time_beside_a_word_for_a_value_is_not_dropped() -> None:
    """`Unpaid for 30 days` is more than unpaid: it is answered with yes or no, on all its words."""
    found = tree("the fee remains unpaid for 30 days")
    assert isinstance(found, Compare) and isinstance(found.right, Literally)
    assert found.right.quote == "the fee remains unpaid for 30 days"


@pytest.mark.parametrize(
    ("text", "name"),
    [("the tool is more than 10 days late", "tool_late"), ("the file is over 5 years old", "file_old")],
)
def test_a_quantity_is_of_what_it_measures(text: str, name: str) -> None:
    """How late a tool is, is no length of the tool."""
    found = tree(text)
    assert isinstance(found, Compare) and found.left == Ref(f"$.facts.{name}")
