"""What the deterministic passes read from the shipped primers."""

from typing import get_args

import pytest
from pydantic import ValidationError

from catalog.node_type import Category
from primers.load import load_primers
from primers.params import (
    ApprovalParams,
    EndParams,
    ExitParams,
    OutcomeParams,
    PolicyParams,
    RejectionParams,
    RiskWordParams,
    fill,
    in_language,
)

PRIMERS = load_primers()


def test_every_outcome_asks_in_both_languages() -> None:
    """Each kind of null output leads to a human.input with a question that names the step and the facts."""
    params = PRIMERS.primer("exception-paths").params(OutcomeParams)
    assert set(params.outcomes) == {"not_found", "unavailable", "ambiguous"}
    for outcome in params.outcomes.values():
        for language in ("zh", "en"):
            question = fill(in_language(outcome.question, language), step="STEP", fields="FACTS")
            assert "STEP" in question
            assert "FACTS" in question
            assert "{" not in question


def test_outcome_by_category() -> None:
    """A lookup's null is “not found”, a system's “unavailable”; of a person's answer nothing is asked again."""
    params = PRIMERS.primer("exception-paths").params(OutcomeParams)
    kinds = {category: params.outcome_of(category) for category in ("ontology", "io", "decision", "human", "control")}
    assert {name: found[0] if found else None for name, found in kinds.items()} == {
        "ontology": "not_found",
        "io": "unavailable",
        "decision": "ambiguous",
        "human": None,
        "control": None,
    }


def test_every_category_has_an_outcome() -> None:
    """No category of Node Types is left without a question but those whose nodes are people or ends."""
    params = PRIMERS.primer("exception-paths").params(OutcomeParams)
    without = {category for category in get_args(Category) if params.outcome_of(category) is None}
    assert without == {"human", "control"}


def test_exits() -> None:
    """Asked paths return with what was supplied, refused ones are rejected, others complete."""
    exit_, end = (
        PRIMERS.primer("exception-paths").params(ExitParams),
        PRIMERS.primer("joins-and-branches").params(EndParams),
    )
    rejection = PRIMERS.primer("governance").params(RejectionParams)
    assert (exit_.status, exit_.input, rejection.status, end.status) == ("returned", "details", "rejected", "completed")


def test_policies_follow_risk() -> None:
    """Only high risk demands an approval before every completing end, and never starts by itself."""
    policies = PRIMERS.primer("governance").params(PolicyParams).policies
    assert (policies["high"].allow_auto, policies["high"].require_approval) == ("never", True)
    assert [level for level, policy in policies.items() if "completing_end" in policy.approval_before] == ["high"]
    assert all("allowlisted_side_effect" in policy.approval_before for policy in policies.values())


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("危险化学品运输", "high"),
        ("剧毒物品的付款审批", "high"),
        ("出纳付款", "medium"),
        ("员工考勤", None),
        ("Transport of Dangerous Goods", "high"),
        ("The refund is paid", "medium"),
        ("The refunder's complianceless note", None),
    ],
)
def test_risk_words(text: str, level: str | None) -> None:
    """The highest risk word counts, whatever the case, and English words only as whole words."""
    found = PRIMERS.primer("governance").params(RiskWordParams).found(text)
    assert (found[0] if found else None) == level


def test_approval_has_roles_and_questions() -> None:
    """Where the document names nobody there is a role to ask, in both languages."""
    params = PRIMERS.primer("governance").params(ApprovalParams)
    assert all(params.approvers[language] for language in ("zh", "en"))
    assert "{title}" in in_language(params.question.conclusion, "zh")
    assert "{step}" in in_language(params.question.action, "en")


def test_unknown_placeholder_is_refused() -> None:
    """A template with a placeholder that nobody fills is a fault of the primer."""
    with pytest.raises(ValidationError, match="placeholders"):
        ExitParams(kind="exit", status="returned", input="details", label={"en": "Ask {whom}"})


def test_category_in_two_outcomes_is_refused() -> None:
    """One null output cannot mean two things."""
    params = PRIMERS.primer("exception-paths").params(OutcomeParams)
    twice = params.model_dump()
    twice["outcomes"]["ambiguous"]["categories"] = ["io"]
    with pytest.raises(ValidationError, match="io"):
        OutcomeParams.model_validate(twice)


def test_missing_params_say_so() -> None:
    """Asking a primer for what it does not have names primer and kind."""
    with pytest.raises(KeyError, match=r"extraction@1\.4\.0 has no EndParams"):
        PRIMERS.primer("extraction").params(EndParams)
