"""Which sentences demand an approval: what a reading by a model is held against."""

import pytest

from compiler.extract.rules.required_approvals import demanded_approvals, silent_approvals
from compiler.parsers import parse
from ir.document import Document
from ir.procedure import Procedure, Step
from ir.source import Evidence


def document(text: str) -> Document:
    """A document of one paragraph."""
    read = parse(f"{text}\n".encode(), "policy.md").document
    assert read is not None
    return read


def demanded(text: str) -> list[tuple[str, str | None]]:
    """The words of each demanded approval, and who gives it."""
    return [(said.piece.text, said.actor.text if said.actor else None) for said in demanded_approvals(document(text))]


@pytest.mark.parametrize(
    ("text", "words", "who"),
    [
        ("申请须经总监批准。", "申请须经总监批准", "总监"),
        ("采购金额超过5万元的，由总监审批。", "由总监审批", "总监"),
        ("经总监批准后，采购部签订合同。", "经总监批准", "总监"),
        ("采购部提交申请表，总监应当审批。", "总监应当审批", "总监"),
        ("The director shall approve the request.", "The director shall approve the request", "director"),
        ("The request shall be approved by the director.", "The request shall be approved by the director", "director"),
        ("Approval by the director is required.", "Approval by the director is required", "director"),
        (
            "The purchase requires the approval of the director.",
            "The purchase requires the approval of the director",
            "director",
        ),
        (
            "The form is sent to the director for approval.",
            "The form is sent to the director for approval",
            "director",
        ),
    ],
)
def test_a_sentence_demands_an_approval(text: str, words: str, who: str) -> None:
    """In the active, in the passive, as a noun, as a step on the way to another; with the one who gives it."""
    assert demanded(text) == [(words, who)]


@pytest.mark.parametrize(
    "text",
    [
        "批准后，采购部签订合同。",
        "经省药监局批准、在省内上市销售的药品的生产企业，应当报名。",
        "收到批准文件后，采购部应当签订合同。",
        "未经总监批准，不得采购。",
        "申请未获批准的，采购部应当退回申请人。",
        "总监审批时，应当核对金额。",
        "审批人应当对审批结果负责。",
        "采购部应当将审批结果通知申请人。",
        "采购部应当保存审批记录。",
        "Approved requests are filed by the clerk.",
        "After the director has approved the request, the clerk files it.",
        "If the director approves the request, the clerk files it.",
        "No order is issued without the approval of the director.",
        "The clerk records the approval of the director.",
        "The clerk informs the approval committee of the date.",
        "The approval is valid for one year.",
    ],
)
def test_a_sentence_only_mentions_an_approval(text: str) -> None:
    """As what came before, as a condition, in a prohibition, as a thing that is kept or told, as a name."""
    assert demanded(text) == []


@pytest.mark.parametrize("paper", ["设备报废审批", "建设用地批准", "采购审批表", "批准通知书"])
def test_the_name_of_a_paper_is_no_approval(paper: str) -> None:
    """Whatever it ends with; a paper that is approved, or that somebody approves on, is one all the same."""
    assert demanded(f"采购部凭《{paper}》签订合同。") == []
    assert demanded(f"采购部持《合同》和《{paper}》办理采购。") == []
    for text in (f"总监应当批准《{paper}》", f"采购部应当将《{paper}》报总监批准"):
        assert [words for words, _ in demanded(f"{text}。")] == [text]
    assert demanded(f"采购部凭《{paper}》办理报废，总监应当批准合同。") == [("总监应当批准合同", "总监")]


@pytest.mark.parametrize(
    "text",
    [
        "The researcher shall obtain the consent of each participant.",
        "The buyer seeks consent from the owner.",
        "The participant shall consent to the interview.",
        "Consent of the patient is required.",
        "经办人应当征得当事人同意。",
    ],
)
def test_a_consent_is_no_approval(text: str) -> None:
    """The person concerned gives it, and no authority; the same sentence with an approval demands one."""
    assert demanded(text) == []
    replaced = text.replace("consent to", "approve").replace("onsent", "pproval").replace("cpproval", "approval")
    replaced = replaced.replace("Cpproval", "Approval").replace("征得当事人同意", "报总监批准")
    assert len(demanded(replaced)) == 1, replaced


def test_the_words_of_tables_demand_nothing_by_themselves() -> None:
    """Their sentences are put together from cells, so that a model may word them otherwise."""
    table = "| Amount | Approved by |\n|---|---|\n| up to 500 EUR | manager |\n| over 500 EUR | director |\n"
    assert demanded(f"# Purchases\n\nThe buyer shall submit each request.\n\n{table}") == []


def test_an_approval_that_no_procedure_speaks_of_is_listed() -> None:
    """Once, in the words of its sentence with their place; one that a step carries is not."""
    text = "The buyer submits the request. The director shall approve the request."
    given = document(text)
    (listed,) = silent_approvals(given, ())
    (evidence,) = listed.evidence
    assert (listed.text, evidence.quote) == ("The director shall approve the request.", listed.text)
    assert given.text_at(evidence.block or "") == text
    said = next(said for said in demanded_approvals(given))
    span = given.span(said.sentence.block, said.sentence.start, said.sentence.end)
    step = Step(id="s1", text="approve", kind="task", evidence=(Evidence.from_span(span),))
    carrying = Procedure(id="p", title="p", doc_id=given.doc_id, language="en", steps=(step,), method="m")
    assert silent_approvals(given, (carrying,)) == ()
