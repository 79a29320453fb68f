"""One word changed is another rule: such quotes are refused; harmless variants are found."""

import pytest
from wordings import HARMLESS_EN, HARMLESS_ZH, changed, document, sentences

from compiler.grounding import QuoteFinder, locate

LANGUAGES = ("zh", "en")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("language", LANGUAGES)
def test_changed_quotes_support_nothing(language: str, seed: int) -> None:
    """A quote with one number, unit, modal, comparator, role or other value changed is never accepted."""
    accepted = []
    for wording in changed(language, seed, 100):
        evidence = locate(wording.claimed, document(wording.sentence))
        if evidence.supports and wording.claimed not in wording.sentence:
            accepted.append((wording.slot, wording.sentence, wording.claimed, evidence.status))
    assert accepted == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_generator_changes_what_is_quoted(language: str) -> None:
    """Nearly all generated quotes differ from their sentence, so that the test above tests something."""
    made = list(changed(language, 0, 200))
    assert sum(wording.claimed not in wording.sentence for wording in made) > 190
    assert len({wording.slot for wording in made}) >= 12


@pytest.mark.parametrize(("language", "name"), [*(("zh", n) for n in HARMLESS_ZH), *(("en", n) for n in HARMLESS_EN)])
def test_harmless_variants_are_found(language: str, name: str) -> None:
    """A quote that differs in spacing, width, marks, hyphenation or articles is found whole, where it stands."""
    vary = (HARMLESS_ZH if language == "zh" else HARMLESS_EN)[name]
    texts = list(dict.fromkeys(sentences(language, 7, 25)))
    library = QuoteFinder(document(*texts))
    for number, text in enumerate(texts, start=1):
        evidence = library.search(vary(text)).evidence
        assert evidence.supports, (vary(text), evidence)
        assert evidence.block == f"p{number}"
        assert evidence.quote.strip("。. ") == text[evidence.start : evidence.end].strip("。. ")
        assert len(evidence.quote) >= len(text) - 4


@pytest.mark.parametrize(("language", "name"), [*(("zh", n) for n in HARMLESS_ZH), *(("en", n) for n in HARMLESS_EN)])
def test_plain_quotes_are_found_in_a_document_so_written(language: str, name: str) -> None:
    """The same the other way round: the document has the odd spacing, and the quote is plain."""
    vary = (HARMLESS_ZH if language == "zh" else HARMLESS_EN)[name]
    texts = list(dict.fromkeys(sentences(language, 11, 25)))
    odd = [vary(text) for text in texts]
    library = QuoteFinder(document(*odd))
    for number, text in enumerate(texts, start=1):
        evidence = library.search(text).evidence
        assert evidence.supports, (odd[number - 1], text, evidence)
        assert evidence.block == f"p{number}"
        assert odd[number - 1][evidence.start : evidence.end] == evidence.quote


BY_HAND = [
    ("Refunds are paid within 3 days.", "Refunds are paid within 30 days."),
    ("Refunds are paid within 30 business days.", "Refunds are paid within 3 business days."),
    ("Refunds are paid within 13 days.", "3 days"),
    ("Loads over 12.5 t are refused.", "Loads over 125 t are refused."),
    ("Loads over 12.5 t are refused.", "2.5 t are refused"),
    ("Loads over 1, 200 kg and more.", "Loads over 1,200 kg and more."),
    ("The dose is 10² units.", "The dose is 102 units."),
    ("Keep at -5 °C at all times.", "Keep at 5 °C at all times."),
    ("Add .5 kg of salt.", "Add 5 kg of salt."),
    ("Shares of 5 % or more.", "Shares of 5 or more."),
    ("The plant delivers 5 MW to the grid.", "The plant delivers 5 mW to the grid."),
    ("A fee of $500 is due.", "A fee of €500 is due."),
    ("Requests must not be approved.", "Requests must be approved."),
    ("Goods that do not comply are returned.", "Goods that do comply are returned."),
    ("Goods that do not comply are returned.", "comply are returned"),
    ("The request was disapproved by the board.", "approved by the board"),
    ("Non-compliant goods are returned.", "compliant goods are returned"),
    ("Staff can't sign alone.", "Staff can sign alone."),
    ("The deputy manager signs the order.", "manager signs the order"),
    ("The employer informs the employee.", "The employee informs the employer."),
    ("Submitted by the manager for review.", "Submitted to the manager for review."),
    ("Approval by A or B is enough.", "Approval by A and B is enough."),
    ("Pay before the goods arrive.", "Pay after the goods arrive."),
    ("Every order is checked.", "Some order is checked."),
    ("Reports are due on 1 May 2024.", "Reports are due on 1 May 2025."),
    ("Reports are due on 2024-05-01.", "Reports are due on 2024-05-11."),
    ("Employees re-sign the contract yearly.", "Employees resign the contract yearly."),
    ("See form SOP-12 for details.", "See form SOP-1"),
    ("Within 30 calendar days of receipt.", "Within 30 business days of receipt."),
    ("Pressure of x ≥ 5 bar is safe.", "Pressure of x ≤ 5 bar is safe."),
    ("The manager (except in May) approves leave.", "The manager approves leave."),
    ("The manager ... does not approve leave in winter.", "The manager ... approve leave in winter"),
    ("应当在三十日内办结。", "应当在十日内办结"),
    ("应当在三十日内办结。", "十日内办结"),
    ("应当在3个工作日内办结。", "应当在3日内办结"),
    ("应当在3日内办结。", "应当在3个月内办结"),
    ("未经批准不得转包。", "经批准不得转包"),
    ("未经批准不得转包。", "未经批准得转包"),
    ("不符合条件的，退回申请人。", "符合条件的，退回申请人"),
    ("审核不同意的，终止办理。", "同意的，终止办理"),
    ("应当报副经理审批。", "应当报经理审批"),
    ("应当报总经理审批。", "经理审批"),
    ("由财务部审核后付款。", "由法务部审核后付款"),
    ("超过5万元的须报批。", "不超过5万元的须报批"),
    ("不超过5万元的自行采购。", "超过5万元的自行采购"),
    ("5人以上联名提出。", "5人以下联名提出"),
    ("运输一类危险品须备案。", "运输二类危险品须备案"),
    ("甲方或者乙方可以解除合同。", "甲方和乙方可以解除合同"),
    ("除紧急情况外，应当事先报批。", "紧急情况，应当事先报批"),
    ("付款之前核对发票。", "付款之后核对发票"),
    ("自2024年5月1日起施行。", "自2024年5月11日起施行"),
    ("数量为5。3日内送达。", "数量为5.3日内送达"),
    ("罚款1,200元。", "罚款200元"),
    ("由部门负责人（财务部除外）审批。", "由部门负责人审批"),
    ("仅限正式员工申请。", "正式员工可申请"),
    ("经理可以批准休假。", "经理应当批准休假"),
]


@pytest.mark.parametrize(("text", "claimed"), BY_HAND)
def test_changes_by_hand(text: str, claimed: str) -> None:
    """Cases that letters alone, or a plain search, would accept."""
    assert not locate(claimed, document(text)).supports


SAME_BY_HAND = [
    ("Loads over 1,200 kg are refused", "loads over 1200 kg are refused"),
    ("Refunds are paid in three business days", "Refunds paid in 3 business days"),
    ("The Supplier (hereinafter “the Seller”) delivers", "The Supplier delivers."),
    ("Each case needs a follow-up visit", "each case needs a follow up visit"),
    ("The authorisation of labour costs", "the authorization of labor costs"),
    ("The manager, who knows the case, signs the form", "The manager … signs the form"),
    ("The rule [3] applies to travel", "The rule applies to travel"),
    ("应当在三十日内办结", "应当在30日内办结"),
    ("由财务部（以下简称“甲方”）审核", "由财务部审核"),
    ("对申请材料进行审核", "对申请材料审核"),
    ("数量不超过12.5㎏", "数量不超过 12.5 kg"),
    ("⼯作⽇内办结", "工作日内办结"),
]


@pytest.mark.parametrize(("there", "claimed"), SAME_BY_HAND)
def test_the_same_in_other_letters(there: str, claimed: str) -> None:
    """Another notation, an aside left out, an open ellipsis: found, with the document's own words as the quote."""
    evidence = locate(claimed, document(f"{there}."))
    assert evidence.supports
    assert evidence.quote.rstrip(".。") == there
    assert evidence.claimed == claimed
