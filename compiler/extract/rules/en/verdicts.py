"""English conditions on how an earlier step came out: `if approved`, `if the form is incomplete`, `if so`."""

import re
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from compiler.extract.rules.en.words import word_set
from compiler.extract.rules.statements import Act
from compiler.text.lexicon import Lexicon

_FUNCTION = word_set(
    "the a an is are was were be been being of in on at by for to and or that this these those it its their with from "
    "as has have had his her they he she if when once after upon all any not no does do did will by then found "
    "also either"
)
_GRANTING = re.compile(r"approv|reject|den(?:y|ied)|declin|grant|refus|authori|accept|disapprov", re.IGNORECASE)
_BARE = re.compile(r"\s*(so|yes|not|no)\s*", re.IGNORECASE)
_JUDGING = ("check", "approval", "decision")


@dataclass(frozen=True)
class Verdict:
    """What a condition says of an earlier step: the words from `start` to `end` of the clause say how it came out."""

    step: str
    statement: Act
    polarity: Literal["pass", "fail"]
    start: int
    end: int


def find_verdict(clause: str, earlier: list[tuple[str, Act]], cues: Lexicon) -> Verdict | None:
    """The verdict that a clause speaks of; None where it has no such words or no earlier step that they can mean."""
    judging = [(name, s) for name, s in earlier if s.step_kind in _JUDGING or s.outcomes]
    words = _words_for(clause, cues)
    if words is None or not judging:
        return None
    start, end, polarity = words
    rest = clause[:start] + " " + clause[end:]
    chosen = judging[-1] if _BARE.fullmatch(clause) else _meant(rest, clause[start:end], judging)
    return Verdict(chosen[0], chosen[1], polarity, start, end) if chosen else None


def _words_for(clause: str, cues: Lexicon) -> tuple[int, int, Literal["pass", "fail"]] | None:
    """The longest words for a verdict in a clause; at the same length the negative ones."""
    if (bare := _BARE.fullmatch(clause)) is not None:
        return bare.start(1), bare.end(1), "pass" if bare[1].lower() in ("so", "yes") else "fail"
    found: list[tuple[int, int, Literal["pass", "fail"]]] = []
    polarities: tuple[Literal["pass", "fail"], ...] = ("fail", "pass")
    for polarity in polarities:
        for word in cues.words("verdict", polarity):
            if (match := re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", clause, re.IGNORECASE)) is not None:
                found.append((match.start(), match.end(), polarity))
    best = max(found, key=lambda span: span[1] - span[0], default=None)
    if best is None or best[2] == "fail":
        return best
    negated = re.search(r"\b(?:not|no|never|cannot|without)\b(?:\s+\w+){0,3}\s*$", clause[: best[0]], re.IGNORECASE)
    return (negated.start(), best[1], "fail") if negated else best


def _meant(rest: str, verdict: str, judging: list[tuple[str, Act]]) -> tuple[str, Act] | None:
    """The judging step that the clause's other words speak of, the last one where they say nothing."""
    if _GRANTING.search(verdict):
        grants = [
            pair for pair in judging if pair[1].step_kind in ("approval", "decision") or "approved" in pair[1].outcomes
        ]
        judging = grants or judging
    words = {_stem(word) for word in re.findall(r"[a-z]+", rest.lower()) if word not in _FUNCTION}
    if not words:
        return judging[-1]
    scored = []
    for at, (name, statement) in enumerate(judging):
        own = {_stem(word) for word in re.findall(r"[a-z]+", statement.sentence.text.lower())}
        share = len(words & own) / len(words)
        scored.append((share + (0.1 if statement.outcomes else 0) + at * 0.001, share, (name, statement)))
    _, share, best = max(scored, key=lambda entry: entry[0])
    if share >= 0.5:
        return best
    near = fuzz.partial_ratio(rest.lower().strip(), best[1].sentence.text.lower())
    return best if share > 0 and near >= 75 else None


def _stem(word: str) -> str:
    """A word without the endings that verbs and plurals bring, so that `approved` and `approves` are one.

    >>> _stem("reviews"), _stem("reviewed"), _stem("applications")
    ('review', 'review', 'application')
    """
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word
