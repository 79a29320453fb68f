"""The form of the answer to "which procedures does this document prescribe?": compact, since every token is paid for.

Names are short and conditions are text; `extraction` expands them. The descriptions are part of the prompt.
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ir.procedure import EndStatus, Modality
from llm.answer_part import Part


def _listed(value: object) -> object:
    """One as a list of one: models leave out the brackets."""
    return [value] if isinstance(value, dict) else [] if value is None else value


class Quote(Part):
    """Words of the document."""

    b: str = Field(description="Address of the block or table row that the words stand in.")
    q: str = Field(description="The words, verbatim, one contiguous run, as short as carries the matter.")


class AnsweredFact(Part):
    """Something that has a value when the procedure runs, and that a condition compares."""

    id: str = Field(description="Short English identifier in snake_case; conditions use it.")
    name: str = Field(description="As the document names it.")
    type: Literal["boolean", "integer", "number", "string", "date", "duration"]
    unit: str | None = Field(None, description="Unit of a number: kg, CNY, USD, %, …")
    values: list[str | int] | None = Field(
        None, description="The values that the document distinguishes, in its words; conditions use these."
    )
    at: list[Quote] = Field(description="Where the document speaks of it.")


class AnsweredDeadline(Part):
    """By when."""

    iso: str = Field(description="ISO 8601; business days as BD: P3D, PT48H, P5BD.")
    since: str | None = Field(None, description="What it counts from, in the document's words.")
    at: Quote


class AnsweredStep(Part):
    """One action by one actor with one result."""

    id: str = Field(description="s1, s2, … in document order.")
    kind: Literal["input", "notify", "check", "decision", "approval", "record", "wait", "task"] = Field(
        description="input: asking for or handing in; notify: telling; check: judging against a rule; decision: "
        "discretion; approval: authority to allow or refuse; record; wait; task: all else. An end is no step."
    )
    actor: str | None = Field(None, description="The role as the document names it; null where it names none.")
    to: str | None = Field(None, description="To whom something is sent, told or submitted.")
    modality: Modality = Field("must", description="may: who acts is free to; the flows do not change by it.")
    by: AnsweredDeadline | None = Field(
        None, description="One alone; where it differs by case, the first, and a rule for each other, with this step."
    )
    outcomes: list[str] | None = Field(
        None,
        description="What it can end in, where a flow or a rule depends on it; two, three or more: approved, rejected; "
        "pass, fail; other words.",
    )
    at: list[Quote] = Field(min_length=1, description="The action; its words come first.")


class AnsweredFlow(Part):
    """From one step to the next.

    A step's flows without `when` are all taken, beside each other and beside the others. Of those with `when`, each
    that holds is taken. `otherwise` is taken where none of the step's conditions holds.
    """

    a: str = Field(description="Step it leaves, start, or a joint j1, j2, …")
    z: str = Field(
        description="Step it enters, end, or a joint: a place between steps where ways meet and part again; nothing is "
        "done there, and its flows count for whoever comes to it."
    )
    when: str | None = Field(
        None,
        description='null: always. "otherwise": what the other flows of `a` leave, also where the document lists it. '
        '"unclear": on a condition that the words state and that facts and outcomes cannot tell. Else a condition over '
        'facts, outcomes and results: amount > 50000 and (s2.outcome == "pass" or urgent == true). Operators: == != < '
        "<= > >= in [..] and or not.",
    )
    words: Annotated[list[Quote], BeforeValidator(_listed)] = Field(
        default_factory=list, description="Of a condition: the words that state it, all that it takes."
    )
    ends: EndStatus | None = Field(
        None,
        description="For flows to end. completed; returned: for correction; rejected: refused or found wanting; "
        "cancelled: not needed any more; failed: did not succeed; null where the document leaves it open.",
    )


class AnsweredRule(Part):
    """What binds without being done at one place: prohibitions, limits, rows of a table of limits, general duties."""

    modality: Modality
    steps: list[str] = Field(
        default_factory=list, description="Steps that it binds, or that judge by it; none for a general duty."
    )
    when: str | None = Field(
        None,
        description="Of must_not: the cases in which it must not be; of may: those in which it may be. A condition "
        "over facts and outcomes, where it is definite. A demand of a state is must_not of its opposite.",
    )
    at: Quote
    words: Annotated[list[Quote], BeforeValidator(_listed)] = Field(
        default_factory=list, description="Of `when`: words that it rests on and that are not in `at`."
    )


class AnsweredRow(Part):
    """A value, and when it is that."""

    value: str = Field(
        description='A number, "text", true, false, or a formula over facts, outcomes and results, with their ids: '
        "0.4 * distance + 2, max(a, b, 0), round(x, 2), sum, count, mean, min, max, abs, floor, ceiling, "
        '"if a > b then a else b", dates and durations (@"P3D"), missing(x).'
    )
    when: str | None = Field(None, description="As in flows; null: in all cases that no row before names.")
    at: Quote


class AnsweredResult(Part):
    """A value that comes out: what a step finds out or looks up, what is computed, what the document wants told."""

    id: str = Field(description="As of facts; conditions and formulas use it alike.")
    name: str = Field(description="As the document names it.")
    type: Literal["boolean", "integer", "number", "string", "date", "duration", "list"] = Field(
        description="list: of texts, several of which may apply; all rows that hold are in it."
    )
    unit: str | None = None
    values: list[str | int] | None = Field(None, description="The values that the document distinguishes.")
    step: str | None = Field(None, description="The step that gives it; null where it follows from others alone.")
    rows: Annotated[list[AnsweredRow], BeforeValidator(_listed)] = Field(
        default_factory=list,
        description="How it comes about: the first that holds counts. None where the step finds it out.",
    )
    final: bool = Field(False, description="The document wants it told in the end.")
    at: Annotated[list[Quote], BeforeValidator(_listed)] = Field(description="Where the document speaks of it.")


class AnsweredGap(Part):
    """What the document leaves open and somebody must know to carry it out; the gravest, ten at most."""

    kind: Literal["missing_parameter", "ambiguity", "conflict", "undefined_exception", "undefined_role", "loop"]
    question: str = Field(description="One short sentence, in the document's language.")
    about: list[str] = Field(default_factory=list, description="Ids of steps or facts.")
    at: Quote | None = None


class AnsweredProcedure(Part):
    """One procedure."""

    title: str
    triggers: list[Quote] = Field(default_factory=list, description="What starts it.")
    facts: list[AnsweredFact] = Field(default_factory=list)
    steps: list[AnsweredStep]
    flows: list[AnsweredFlow]
    results: list[AnsweredResult] = Field(
        default_factory=list,
        description="Numbers, classes, texts that are computed, looked up or to be told; not what outcomes say.",
    )
    rules: list[AnsweredRule] = Field(default_factory=list, description="Those that bind this procedure.")
    gaps: list[AnsweredGap] = Field(default_factory=list)


class Extraction(Part):
    """All procedures that the document prescribes, none where it prescribes none; and what binds outside them."""

    procedures: list[AnsweredProcedure]
    rules: list[AnsweredRule] = Field(
        default_factory=list,
        description="Those that bind no procedure alone, or where there is none; steps stays empty.",
    )
    facts: list[AnsweredFact] = Field(default_factory=list, description="What the conditions of these rules compare.")
    gaps: list[AnsweredGap] = Field(default_factory=list, description="Those that belong to no procedure.")
