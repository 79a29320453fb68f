"""What passes read from a primer's rules: questions, reason codes, risk words, where approvals stand."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from ir.base import Model
from ir.procedure import EndStatus
from ir.workflow import RiskLevel

PLACEHOLDERS = ("step", "fields", "title")
OutcomeKind = Literal["not_found", "unavailable", "ambiguous"]
ApprovalPlace = Literal["high_risk_node", "allowlisted_side_effect", "completing_end"]
ReasonCode = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")]


def _checked(text: str) -> str:
    unknown = [name for name in re.findall(r"\{([^{}]*)\}", text) if name not in PLACEHOLDERS]
    if unknown or not text.strip():
        raise ValueError(f"a text may hold the placeholders {PLACEHOLDERS} and no others, and is not empty")
    return text


Template = Annotated[str, AfterValidator(_checked)]
Texts = dict[Literal["zh", "en"], Template]
"""A text by language; both languages are given wherever a draft may need it."""


def in_language(texts: Texts, language: str) -> str:
    """The text in a language; English where there is none in it.

    >>> in_language({"zh": "审批", "en": "Approval"}, "zh"), in_language({"en": "Approval"}, "und")
    ('审批', 'Approval')
    """
    return next(
        (text for name, text in texts.items() if name == language), texts.get("en") or next(iter(texts.values()))
    )


def fill(template: str, *, step: str = "", fields: str = "", title: str = "") -> str:
    """The template with its placeholders replaced.

    >>> fill("“{step}” did not find {fields}.", step="Identify", fields="the CAS number")
    '“Identify” did not find the CAS number.'
    """
    values = {"step": step, "fields": fields, "title": title}
    return re.sub(r"\{(step|fields|title)\}", lambda match: values[match[1]], template)


class Outcome(Model):
    """One way in which a step can fail to give a value, and how a person is asked about it.

    Args:
        categories: categories of Node Types whose null means this.
        reason_code: why the run ends after the asking.
        question: template with `{step}` and `{fields}`.
    """

    categories: tuple[str, ...] = Field(min_length=1)
    reason_code: ReasonCode
    label: Texts
    question: Texts


class OutcomeParams(Model):
    """What a null output of which Types means, and how a person is asked about it."""

    kind: Literal["outcomes"]
    outcomes: dict[OutcomeKind, Outcome]

    @model_validator(mode="after")
    def _one_outcome_per_category(self) -> "OutcomeParams":
        named = [category for outcome in self.outcomes.values() for category in outcome.categories]
        twice = sorted({category for category in named if named.count(category) > 1})
        if twice:
            raise ValueError(f"each category belongs to one outcome; these belong to more: {', '.join(twice)}")
        return self

    def outcome_of(self, category: str) -> tuple[OutcomeKind, Outcome] | None:
        """What null means for Types of a category; None where nothing is to be asked (human and control Types)."""
        return next(((kind, item) for kind, item in self.outcomes.items() if category in item.categories), None)


class ExitParams(Model):
    """How a path ends after a person has supplied facts; the end's `input` takes the human node's whole output."""

    kind: Literal["exit"]
    status: EndStatus
    input: str
    label: Texts


class RiskWordParams(Model):
    """Words by which a document raises the risk; `unmapped` is what a step without a Node Type counts."""

    kind: Literal["risk_words"]
    unmapped: RiskLevel
    words: dict[Literal["medium", "high"], dict[Literal["zh", "en"], tuple[str, ...]]]

    def found(self, text: str) -> tuple[RiskLevel, str] | None:
        """The highest risk that a text's words speak of, with the word; English words count only as whole words.

        >>> words = {"high": {"en": ("explosive",)}, "medium": {"zh": ("付款",)}}
        >>> params = RiskWordParams(kind="risk_words", unmapped="medium", words=words)
        >>> params.found("Explosive goods"), params.found("财务付款"), params.found("non-explosives")
        (('high', 'explosive'), ('medium', '付款'), None)
        """
        for level, word in self._by_level():
            pattern = re.escape(word)
            if word.isascii():
                pattern = rf"\b{pattern}\b"
            if re.search(pattern, text, re.IGNORECASE):
                return level, word
        return None

    def _by_level(self) -> Iterator[tuple[RiskLevel, str]]:
        for level in ("high", "medium"):
            for words in self.words.get(level, {}).values():
                yield from ((level, word) for word in words)


class RiskPolicy(Model):
    """What a risk level demands of the execution policy, and before what an approval stands.

    Args:
        allow_auto: `without_side_effects` allows it where no node has a side effect.
    """

    allow_auto: Literal["always", "without_side_effects", "never"]
    require_approval: bool
    approval_before: tuple[ApprovalPlace, ...] = ()


class PolicyParams(Model):
    """The execution policy by risk."""

    kind: Literal["policies"]
    policies: dict[RiskLevel, RiskPolicy]

    @model_validator(mode="after")
    def _every_level(self) -> "PolicyParams":
        missing = [level for level in ("low", "medium", "high") if level not in self.policies]
        if missing:
            raise ValueError(f"every risk level has a policy; missing: {', '.join(missing)}")
        return self


class ApprovalQuestions(Model):
    """What an approver is asked: about a conclusion (`{title}`) or before an action (`{step}`)."""

    conclusion: Texts
    action: Texts


class ApprovalParams(Model):
    """The approval that is put in where the document demands none; `approvers` where it names nobody."""

    kind: Literal["approval"]
    approvers: dict[Literal["zh", "en"], tuple[str, ...]]
    label: Texts
    question: ApprovalQuestions


class RejectionParams(Model):
    """How the run ends when an approval is refused."""

    kind: Literal["rejection"]
    status: EndStatus
    reason_code: ReasonCode
    label: Texts


class EndParams(Model):
    """The end that closes a path to which the document gives none."""

    kind: Literal["end"]
    status: EndStatus
    label: Texts


Params = Annotated[
    OutcomeParams | ExitParams | RiskWordParams | PolicyParams | ApprovalParams | RejectionParams | EndParams,
    Field(discriminator="kind"),
]
