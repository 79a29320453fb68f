"""Chinese conditions on how an earlier step came out: which step `审核不通过` speaks of."""

import re

from rapidfuzz import fuzz

from compiler.extract.rules.comparisons import FUNCTION_ZH
from compiler.extract.rules.statements import Act


def judging_step(clause: str, earlier: list[tuple[str, Act]], word: str) -> tuple[str, Act] | None:
    """The earlier step that the clause speaks of: it judges, and the clause's other words are its words too."""
    judging = [
        (step_id, s) for step_id, s in earlier
        if s.step_kind in ("check", "approval", "decision") or s.outcomes
    ]  # fmt: skip
    if not judging:
        return None
    rest = clause.replace(word, "", 1).strip(" ，,的经该其")
    rest = FUNCTION_ZH.sub("", rest)
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
