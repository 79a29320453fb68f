"""Whole English procedures in different styles, from Markdown to steps and flows."""

from functools import cache

from catalog.load import load_catalog
from compiler.extract.rules.document_reader import DocumentReader
from compiler.extract.rules.procedures import Extractor
from compiler.extract.rules.segments import segments
from compiler.parsers import parse
from compiler.text.mentions import Mentions
from ir.procedure import Procedure

BANK = """# Account Opening

## 1. Purpose

This procedure describes how branches open accounts. The manager must read it once a year.

## 2. Procedure

2.1 The applicant submits the application form to the branch clerk.

2.2 The branch clerk checks whether the documents are complete. If the documents are incomplete, the clerk returns the
application to the applicant for correction.

2.3 The compliance officer screens the applicant against the sanctions list within 2 business days of receipt of the
application. If a match is found, the application is rejected and the applicant is informed in writing.

2.4 If the opening deposit exceeds $50,000, the regional manager must approve the application; otherwise the branch
manager approves it.

2.5 Staff must not disclose the reasons for a rejection.

2.6 The operations team reviews dormant accounts quarterly.
"""

RUNBOOK = """# Lost Laptop

Follow these steps when a laptop is lost:

1. Report the loss to the service desk immediately.
2. The security analyst must:
   - lock the user account,
   - wipe the device remotely, and
   - record the serial number in the asset register.
3. Determine whether the disk was encrypted. If so, go to step 5.
4. Notify the data protection officer within 24 hours of discovery.
5. Order a replacement device.

## Contacts

- Call the helpdesk on 555 0100.
"""

LABORATORY = """# Sample Handling

1. Put on gloves.
2. Centrifuge the tubes for 10 minutes at 3,000 rpm.
3. Inspect the supernatant. If it is cloudy, repeat step 2. If not, transfer it to a clean tube.
4. Store the tubes at -20 °C within 30 minutes. Never reuse gloves.

Incident response plan
"""

LEAVE = """# Leave

## Responsibilities

- Managers must treat all requests fairly.

## Requesting leave

Employees must submit a leave request through the HR portal at least ten days before the first day of leave. The line
manager reviews the request and approves or declines it within three working days. If the request is declined, the
manager explains the decision to the employee. Employees may not carry over more than five days.
"""

PURCHASING = """# Purchasing

For purchases between $1,000 and $10,000, the requester obtains three quotations. The requester forwards the quotations
to the budget holder for approval. The purchase order is then sent to the supplier by the procurement department. Upon
delivery, the warehouse clerk inspects the goods. If the goods are damaged, they are returned to the supplier. Finance
pays the invoice within 30 days after receipt of the invoice.
"""

WARD = """# Medication Errors

If a medication error occurs:

a) Assess the patient.
b) Notify the physician on duty.

The nurse in charge completes an incident report, unless one has already been filed. The report is forwarded to the
pharmacy director, who investigates the cause. Where necessary, the pharmacy director convenes a meeting. Reports must
include the time of the error.
"""


@cache
def read(text: str) -> Procedure:
    """The procedure of a Markdown document."""
    document = parse(text.encode(), "procedure.md").document
    assert document is not None
    (segment,) = segments(document, DocumentReader(document).read())
    return Extractor(Mentions(load_catalog()), document).procedure("p", segment)


def steps(text: str) -> list[tuple[str, str | None]]:
    """Kind and actor of each step."""
    return [(step.kind, step.actor) for step in read(text).steps]


def ways(text: str, source: str) -> set[tuple[str, str | None, str | None]]:
    """Target, condition's words (or `otherwise`) and ending of the flows out of a step."""
    procedure = read(text)
    said = {condition.id: condition.text for condition in procedure.conditions}
    return {
        (flow.target, said.get(flow.condition or "", flow.condition), flow.ends)
        for flow in procedure.flows
        if flow.source == source
    }


def test_a_bank_procedure_has_its_steps_in_order() -> None:
    """Prohibitions, recurring duties and the purpose are none."""
    assert steps(BANK) == [
        ("input", "applicant"),
        ("check", "branch clerk"),
        ("check", "compliance officer"),
        ("notify", None),
        ("approval", "regional manager"),
        ("approval", "branch manager"),
    ]


def test_what_fails_a_check_is_returned() -> None:
    """The condition reads the outcome of the check before it."""
    assert ways(BANK, "s2") == {
        (
            "end",
            "the documents are incomplete，the clerk returns the application to the applicant for correction",
            "returned",
        ),
        ("s3", "otherwise", None),
    }


def test_a_rejection_ends_after_telling_the_applicant() -> None:
    """The act comes first, then the end."""
    assert ways(BANK, "s4") == {("end", None, "rejected")}


def test_rules_without_a_place_are_constraints() -> None:
    """A prohibition and a recurring duty bind, and the purpose stays unplaced."""
    procedure = read(BANK)
    assert [k.modality for k in procedure.constraints] == ["must_not", "must"]
    assert [u.text for u in procedure.unplaced] == ["The manager must read it once a year."]


def test_every_quote_occurs_where_it_says() -> None:
    """Steps, conditions and constraints are located exactly."""
    for text in (BANK, RUNBOOK, LABORATORY, LEAVE, PURCHASING, WARD):
        document = parse(text.encode(), "procedure.md").document
        assert document is not None
        blocks = {block.address: block.text for block in document.blocks}
        procedure = read(text)
        for element in (*procedure.steps, *procedure.conditions, *procedure.constraints, *procedure.gaps):
            for evidence in element.evidence:
                assert blocks[evidence.block or ""][evidence.start : evidence.end] == evidence.quote


def test_the_members_of_a_nested_list_have_the_actor_of_its_introduction() -> None:
    """`The security analyst must:` leads the list inside the list."""
    assert [actor for _, actor in steps(RUNBOOK)][1:4] == ["security analyst"] * 3


def test_a_jump_skips_the_steps_between() -> None:
    """`go to step 5` leads past the notification; a list of contacts is no procedure."""
    named = {step.text: step.id for step in read(RUNBOOK).steps}
    check = named["Determine whether the disk was encrypted"]
    notify = named["Notify the data protection officer within 24 hours of discovery"]
    order = named["Order a replacement device"]
    assert ways(RUNBOOK, check) == {(order, "so", None), (notify, "otherwise", None)}
    assert ways(RUNBOOK, order) == {("end", None, "completed")}


def test_a_step_back_ends_the_run_with_a_question() -> None:
    """A flow has no loops."""
    procedure = read(LABORATORY)
    inspect = next(step.id for step in procedure.steps if step.text == "Inspect the supernatant")
    assert ("end", "it is cloudy", "returned") in ways(LABORATORY, inspect)
    assert "loop" in [gap.kind for gap in procedure.gaps]


def test_commands_of_a_laboratory_are_steps() -> None:
    """A title without a verb is none."""
    assert [step.text.split()[0] for step in read(LABORATORY).steps] == [
        "Put",
        "Centrifuge",
        "Inspect",
        "transfer",
        "Store",
    ]
    assert [step.deadline.duration for step in read(LABORATORY).steps if step.deadline] == ["PT30M"]


def test_reviewing_and_deciding_is_one_approval() -> None:
    """With both outcomes, and the refusal as a way out."""
    assert steps(LEAVE) == [("input", "Employees"), ("approval", "line manager"), ("notify", "manager")]
    assert read(LEAVE).steps[1].outcomes == ("approved", "rejected")
    assert ("s3", "the request is declined", None) in ways(LEAVE, "s2")


def test_a_request_for_approval_is_two_steps() -> None:
    """The one who asks, and the one who approves."""
    assert steps(PURCHASING) == [
        ("task", "requester"),
        ("input", "requester"),
        ("approval", "budget holder"),
        ("task", "procurement department"),
        ("check", "warehouse clerk"),
        ("task", "Finance"),
    ]


def test_a_range_of_sums_leads_in() -> None:
    """Below and above it the step is not taken."""
    (first, *_) = read(PURCHASING).conditions
    assert first.text == "purchases between $1,000 and $10,000"
    assert {target for target, _, _ in ways(PURCHASING, "start")} == {"s1", "s2"}


def test_a_relative_clause_is_a_step_of_its_own() -> None:
    """`who investigates the cause` is the director's."""
    assert steps(WARD) == [
        ("check", None),
        ("notify", None),
        ("task", "nurse in charge"),
        ("input", None),
        ("task", "pharmacy director"),
        ("task", "pharmacy director"),
    ]


def test_judgement_is_asked_about() -> None:
    """`Where necessary` leaves open who judges."""
    assert [gap.kind for gap in read(WARD).gaps] == ["unclear_condition"]
