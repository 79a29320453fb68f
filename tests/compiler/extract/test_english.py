"""What the English reader finds in single sentences."""

import pytest

from compiler.extract.rules.en.sentences import EnglishReader
from compiler.extract.rules.statements import Act, Duty, End, Introduction, Rule, Skip, Statement
from compiler.text.sentences import Piece, sentences

READER = EnglishReader()


def read(text: str, actor: str | None = None) -> list[Statement]:
    """The statements of a text, sentence by sentence; every piece has to lie where it says it lies."""
    given = Piece("a", 0, len(actor), actor) if actor else None
    found = [s for sentence in sentences(Piece("b", 0, len(text), text), "en") for s in READER.read(sentence, 0, given)]
    for statement in found:
        pieces: list[Piece | None] = [
            statement.piece,
            statement.verb,
            statement.object,
            getattr(statement, "recipient", None),
            *statement.after,
        ]
        pieces += [cue.piece for cue in statement.conditions]
        pieces += [cue.piece for cue in statement.deadlines]
        assert all(text[p.start : p.end] == p.text for p in pieces if p is not None)
    return found


def acts(text: str) -> list[tuple[str, str | None]]:
    """Kind and actor of each act."""
    return [(s.step_kind, s.actor.text if s.actor else None) for s in read(text) if isinstance(s, Act)]


def only(text: str, actor: str | None = None) -> Statement:
    """The single statement of a text."""
    (statement,) = read(text, actor)
    return statement


# --- who does what ------------------------------------------------------------------------------------------------


def test_a_modal_sentence_names_its_actor() -> None:
    """The subject's words without the article are the actor."""
    assert acts("The payroll team must review the timesheet.") == [("check", "payroll team")]


def test_the_present_tense_prescribes_as_well() -> None:
    """`The clerk logs` needs no modal."""
    assert acts("The intake clerk logs the parcel.") == [("record", "intake clerk")]


def test_the_plural_verb_of_a_plural_role_is_found() -> None:
    """`Suppliers submit` has no ending that marks the verb."""
    assert acts("Suppliers submit an offer.") == [("input", "Suppliers")]


def test_a_passive_takes_its_actor_from_by() -> None:
    """The agent is the actor, the subject the object."""
    statement = only("The budget must be approved by the Finance Director before the year begins.")
    assert (statement.actor and statement.actor.text, statement.step_kind) == ("Finance Director", "approval")
    assert statement.object is not None and statement.object.text == "The budget"


def test_a_passive_without_an_agent_has_no_actor() -> None:
    """Nobody is guessed."""
    assert acts("The request should be sent to the registry.") == [("task", None)]


def test_what_comes_by_a_means_is_no_actor() -> None:
    """`by email` and `by noon` name nobody."""
    assert acts("The result is communicated by email by noon.") == [("notify", None)]


def test_an_imperative_has_the_actor_of_its_introduction() -> None:
    """Where nothing introduces it, nobody acts."""
    assert only("Isolate the pump.").actor is None
    told = only("Isolate the pump.", "shift lead").actor
    assert told is not None and told.text == "shift lead"


def test_a_list_item_in_the_third_person_needs_a_given_actor() -> None:
    """`checks the seal` below `The guard:` is an act, on its own it is not."""
    assert [s.step_kind for s in read("checks the seal", "guard")] == ["check"]
    assert read("checks the seal") == []


def test_several_acts_of_one_actor_are_parts_of_one_step() -> None:
    """The second act merges with the first."""
    first, second = read("The porter labels the box and notifies the nurse.")
    assert (first.merges, second.merges) == (False, True)
    assert second.actor == first.actor
    assert second.recipient is not None and second.recipient.text == "nurse"


def test_acts_of_different_actors_are_separate() -> None:
    """A new subject after `and` begins a new act."""
    assert acts("The nurse draws the blood, and the courier takes it to the laboratory.") == [
        ("task", "nurse"),
        ("task", "courier"),
    ]


def test_a_relative_clause_goes_on_with_the_one_named_last() -> None:
    """`who investigates` is an act of the safety officer."""
    assert acts("The foreman forwards the report to the safety officer, who investigates the cause.") == [
        ("input", "foreman"),
        ("task", "safety officer"),
    ]


def test_coordinated_passives_keep_their_own_agents() -> None:
    """`checked by A and approved by B` is two people."""
    assert acts("The bill is checked by the accountant and approved by the treasurer.") == [
        ("check", "accountant"),
        ("approval", "treasurer"),
    ]


def test_an_agent_at_the_end_is_that_of_both() -> None:
    """`reviewed and approved by the CEO`."""
    assert {actor for _, actor in acts("The plan is reviewed and approved by the CEO.")} == {"CEO"}


def test_reviewing_and_approving_is_an_approval() -> None:
    """The strongest kind is that of the whole step."""
    first, *_ = read("The curator shall review and approve the loan.")
    assert first.step_kind == "approval"


def test_a_light_verb_takes_its_kind_from_its_noun() -> None:
    """To perform a review is to review."""
    assert acts("The librarian performs an audit of the stacks.") == [("check", "librarian")]


def test_a_pronoun_stands_for_the_actor_before() -> None:
    """In one sentence `it` and `they` are the one who acted."""
    first, second = read("The bank screens the payment, and it must notify the sender.")
    assert second.actor == first.actor


def test_a_modal_after_an_insertion_is_found() -> None:
    """Commas around an insertion do not end the clause."""
    assert acts("The tenant, if notified, must vacate the flat.") == [("task", "tenant")]
    statement = only("The surveyor shall, within 10 days, submit a plan to the office.")
    assert [d.duration for d in statement.deadlines] == ["P10D"]


# --- what is no act -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Evacuation route plan",
        "Contact list",
        "Access control matrix",
        "Log retention in archives",
        "Change requests, test plans and release notes",
        "email addresses, file hashes and registry keys",
        "Complete and signed form",
        "Process owner: Head of Finance",
        "“Carrier” means a person who carries goods.",
        "This procedure applies to all branches.",
        "The purpose of this manual is to describe stock control.",
        "See section 4 for details.",
        "For example, the clerk checks the date.",
        "Objective: reduce the number of faults",
        "Who must sign the form?",
        "The request has been approved.",
        "The tank is full.",
        "The tool can export the data.",
    ],
)
def test_names_definitions_and_states_are_no_acts(text: str) -> None:
    """Neither a heading nor a definition, a pointer, a question or a state is something to do."""
    assert read(text) == []


@pytest.mark.parametrize(
    "text",
    ["Staff must not share keys.", "Do not open the valve.", "Never reuse gloves.", "No goods may leave the yard."],
)
def test_prohibitions_are_constraints(text: str) -> None:
    """What is forbidden binds acts and is none."""
    assert [(type(s), s.modality) for s in read(text)] == [(Rule, "must_not")]


@pytest.mark.parametrize(
    "text",
    [
        "Employees must comply with the fire rules.",
        "The warden is responsible for keeping the keys.",
        "Drivers should ensure that the load is safe.",
        "The committee reviews the plan annually.",
        "Every quarter, the auditor must test the backups.",
    ],
)
def test_general_and_recurring_duties_are_no_steps(text: str) -> None:
    """They have no place in an order."""
    assert [type(s) for s in read(text)] == [Duty]


def test_what_a_paper_must_contain_is_a_constraint() -> None:
    """A report does not act."""
    assert [type(s) for s in read("The report must describe the damage.")] == [Rule]


def test_a_command_before_a_question_is_kept() -> None:
    """`Determine the class – is it flammable?` is a command."""
    assert only("Determine the class – is it flammable?").piece.text == "Determine the class"


def test_a_label_before_the_act_is_left_out() -> None:
    """`Step 2:` is no part of the act, and a role before the colon acts."""
    assert only("Step 2: Weigh the parcel.").piece.text == "Weigh the parcel"
    named = only("Dispatcher: Assign a driver.").actor
    assert named is not None and named.text == "Dispatcher"


def test_an_optional_act_may_be_done() -> None:
    """The label says so."""
    assert only("Optional: Print the label.").modality == "may"


# --- ways out -----------------------------------------------------------------------------------------------------


def test_a_refusal_on_a_condition_ends_the_case() -> None:
    """Nobody acts, the run is over."""
    statement = only("If the score is below 60, the application is rejected.")
    assert statement.ends == "rejected" and isinstance(statement, End)


def test_a_return_for_correction_ends_as_returned() -> None:
    """It is no step of its own: the run is over, and what comes back is a new one."""
    statement = only("If a page is missing, the clerk returns the file to the applicant for correction.")
    assert statement.ends == "returned" and isinstance(statement, End)


def test_returning_a_thing_is_no_end() -> None:
    """To give back a loan closes nothing."""
    assert only("The borrower returns the tools to the depot.").ends is None


def test_the_end_comes_after_the_last_act() -> None:
    """`is rejected and the applicant is informed` ends after telling."""
    statement = only("If the test fails, the offer is rejected and the bidder is informed.")
    assert (statement.step_kind, statement.ends) == ("notify", "rejected")


def test_the_process_may_end() -> None:
    """It ends completed, or rejected where the condition is a refusal."""
    assert only("If nothing is found, the process ends.").ends == "completed"
    assert only("If the request is denied, the process ends.").ends == "rejected"


def test_a_jump_names_its_place() -> None:
    """`go to step 4` and `proceed to section 3.2`."""
    assert [s.target for s in read("If the seal is broken, go to step 4.")] == ["step 4"]
    assert [s.target for s in read("If the seal is whole, proceed to section 3.2.")] == ["section 3.2"]


def test_what_is_not_needed_is_skipped() -> None:
    """`no approval is needed` on a condition, or for a case."""
    first = only("If the price is below $100, no approval is needed.")
    second = only("No inspection is required for sealed boxes.")
    assert [(type(s), s.target) for s in (first, second)] == [(Skip, "approval"), (Skip, "inspection")]
    assert second.conditions[0].piece.text == "sealed boxes"


def test_an_approval_named_by_a_noun_is_an_act_of_the_one_who_approves() -> None:
    """To obtain, to require and to forward for approval."""
    assert acts("Travellers must obtain prior approval from the dean.") == [("approval", "dean")]
    assert acts("Overtime above 10 hours requires CFO approval.") == [("approval", "CFO")]
    assert acts("The form is forwarded to the bursar for approval.") == [("approval", "bursar")]
    assert acts("The clerk submits the form to the bursar for approval.") == [
        ("input", "clerk"),
        ("approval", "bursar"),
    ]


def test_whether_a_thing_holds_is_an_outcome() -> None:
    """A check that asks whether ends in pass or fail."""
    assert only("Determine whether the valve leaks.").outcomes == ("pass", "fail")
    first, second = read("The steward approves or rejects the entry.")
    assert (first.outcomes, second.merges) == (("approved", "rejected"), True)


# --- introductions --------------------------------------------------------------------------------------------------


def test_an_introduction_says_who_acts_and_when() -> None:
    """The list below takes both."""
    statement = only("If the alarm sounds, the guard must:")
    assert isinstance(statement, Introduction)
    assert statement.actor and statement.actor.text == "guard"
    assert [c.piece.text for c in statement.conditions] == ["the alarm sounds"]


def test_a_pronoun_means_who_acted_last() -> None:
    """Across sentences of one paragraph; `you` acts under that name."""
    assert acts("The Compliance Desk checks the list. Otherwise it grants clearance.") == [
        ("check", "Compliance Desk"),
        ("task", "Compliance Desk"),
    ]
    assert acts("You fill in the form at the end of the month.") == [("input", "You")]


def test_where_opens_a_condition_but_not_after_a_place() -> None:
    """`refuses clearance where the instrument is listed` against `at the place where the goods are`."""
    assert [c.piece.text for c in read("The desk refuses clearance where the instrument is listed.")[0].conditions] == [
        "the instrument is listed"
    ]
    assert read("The clerk inspects the place where the goods are stored.")[0].conditions == ()


def test_a_command_to_ensure_a_state_is_a_check() -> None:
    """`Ensure that the valve is closed` is done once; `Ensure compliance` is a general duty."""
    assert acts("Ensure that the valve is closed before draining.") == [("check", None)]
    assert acts("Ensure compliance with this policy.") == []


# --- duties with a time -----------------------------------------------------------------------------------------------


def test_a_distance_in_time_before_the_subject_hides_no_actor() -> None:
    """`Two days before the visit the guard …` is the guard's act, with or without a comma."""
    assert acts("Three weeks before the end of the contract the tenant shall confirm the date.") == [
        ("check", "tenant")
    ]


def test_a_function_of_two_words_acts() -> None:
    """`Infection control` names a department, though `control` alone names none."""
    assert acts("Infection control shall inspect the ward.") == [("check", "Infection control")]
    assert acts("At the end Internal Audit puts the form in the file.") == [("record", "Internal Audit")]


def test_a_thing_named_for_its_period_is_made_once() -> None:
    """`The annual plan` is a thing; `an annual plan` and `every year` say that something recurs."""
    assert acts("The bursar drafts the annual plan.") == [("task", "bursar")]
    planned = only("The bursar drafts an annual plan.")
    assert isinstance(planned, Duty) and planned.kind == "recurring"
    assert only("The operator shall read the gauge every hour.").kind == "recurring"  # type: ignore[union-attr]


def test_following_up_is_an_act() -> None:
    """`Follow them up`, unlike `follow the rules`."""
    assert len(acts("The nurse records the complaints and follows them up.")) == 2
