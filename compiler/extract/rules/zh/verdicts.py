"""Chinese conditions on how an earlier step came out: which step `审核不通过` speaks of, and what it says of it."""

import re
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from compiler.extract.rules.comparisons import telling
from compiler.extract.rules.statements import Act
from compiler.text.lexicon import Lexicon, lexicon

PATTERN = lexicon("zh").patterns("verdicts")


@dataclass(frozen=True)
class VerdictWords:
    """Words for a verdict in a clause.

    Args:
        word: as it stands among the cue words.
        quote: with what denies it (`未发现异常`, `没有通过`).
    """

    word: str
    quote: str
    polarity: Literal["pass", "fail"]


def verdict_words(clause: str, cues: Lexicon) -> VerdictWords | None:
    """The first words for a verdict in a clause, turned by what denies them; None where it has none.

    >>> from compiler.text.lexicon import lexicon
    >>> [verdict_words(clause, lexicon("zh")).polarity for clause in ("未发现异常", "没有通过", "经核对不一致")]
    ['pass', 'fail', 'fail']
    """
    polarities: tuple[Literal["pass", "fail"], ...] = ("fail", "pass")
    for polarity in polarities:
        for word in cues.words("verdict", polarity):
            at = clause.lower().find(word)
            if at < 0:
                continue
            denied = PATTERN.denies.search(clause[:at])
            if denied is None:
                return VerdictWords(word, clause[at : at + len(word)], polarity)
            other: Literal["pass", "fail"] = "fail" if polarity == "pass" else "pass"
            return VerdictWords(word, clause[denied.start() : at + len(word)], other)
    return None


def judging_step(clause: str, earlier: list[tuple[str, Act]], word: str) -> tuple[str, Act] | None:
    """The earlier step that the clause speaks of: it judges, and the clause's other words are its words too."""
    judging = [
        (step_id, s) for step_id, s in earlier
        if s.step_kind in ("check", "approval", "decision") or s.outcomes
    ]  # fmt: skip
    granting = [pair for pair in judging if pair[1].step_kind == "approval"] if PATTERN.grants.search(word) else []
    judging = granting if granting and PATTERN.asked_for.search(clause) else judging
    if not judging:
        return None
    rest = clause.replace(word, "", 1).strip(" ，,的经该其")
    rest = telling(rest, lexicon("zh"))
    rest = PATTERN.granted.sub("", rest) if granting else rest
    core = re.sub(r"^(?:不予|不|未获|未经|未|审查|审核)", "", word)
    naming = [pair for pair in judging if core in pair[1].sentence.text]
    last_id, last = judging[-1]
    if len(rest) <= 1 and naming:
        return naming[-1]
    if len(rest) <= 1 or rest in last.piece.text or (last.actor and last.actor.text and last.actor.text in clause):
        return last_id, last
    scored = [
        (fuzz.partial_ratio(rest, s.sentence.text) + (5 if s.outcomes else 0) + at * 0.01, (step_id, s))
        for at, (step_id, s) in enumerate(judging)
    ]
    score, best = max(scored, key=lambda pair: pair[0])
    return best if score >= 60 else None
