"""English conditions on how an earlier step came out: `if approved`, `if the form is incomplete`, `if so`."""

import re
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from compiler.extract.rules.comparisons import Atom
from compiler.extract.rules.en.words import word_set
from compiler.extract.rules.statements import Act
from compiler.text.lexicon import Lexicon, lexicon
from ir.predicate import Compare, Literally, Ref

PATTERN = lexicon("en").patterns("verdicts")

_FUNCTION = word_set("function_words")
_MATTERS = word_set("matters")
_JUDGING = ("check", "approval", "decision")


@dataclass(frozen=True)
class Verdict:
    """What a condition says of an earlier step: the words from `start` to `end` of the clause say how it came out.

    Args:
        bare: the clause says nothing else (`if so`, `if it does not`).
    """

    step: str
    statement: Act
    polarity: Literal["pass", "fail"]
    start: int
    end: int
    bare: bool = False


def is_bare(clause: str) -> Literal["pass", "fail"] | None:
    """What a clause says that is nothing but a yes or a no (`so`, `it does not`, `case` of `in that case`)."""
    match = PATTERN.bare.fullmatch(clause)
    if match is None:
        return "pass" if clause.lower() in ("case", "cases") else None
    return "fail" if PATTERN.negative.search(match["word"]) else "pass"


def find_verdict(clause: str, earlier: list[tuple[str, Act]], cues: Lexicon) -> Verdict | None:
    """The verdict that a clause speaks of; None where it has no such words or no earlier step that they can mean."""
    judging = [(name, s) for name, s in earlier if s.step_kind in _JUDGING or s.outcomes]
    words = _words_for(clause, cues)
    if words is None or not judging:
        return None
    start, end, polarity = words
    rest = clause[:start] + " " + clause[end:]
    chosen = judging[-1] if PATTERN.bare.fullmatch(clause) else _meant(rest, clause[start:end], judging)
    bare = PATTERN.bare.fullmatch(clause) is not None
    return Verdict(chosen[0], chosen[1], polarity, start, end, bare) if chosen else None


def _words_for(clause: str, cues: Lexicon) -> tuple[int, int, Literal["pass", "fail"]] | None:
    """The longest words for a verdict in a clause; at the same length the negative ones."""
    if (bare := PATTERN.bare.fullmatch(clause)) is not None:
        return bare.start("word"), bare.end("word"), "fail" if PATTERN.negative.search(bare["word"]) else "pass"
    if (active := PATTERN.active.match(clause)) is not None:
        well = (active["pass"] is not None) != (active["not"] is not None)
        return active.start("word"), active.end("word"), "pass" if well else "fail"
    found: list[tuple[int, int, Literal["pass", "fail"]]] = []
    polarities: tuple[Literal["pass", "fail"], ...] = ("fail", "pass")
    for polarity in polarities:
        for word in cues.words("verdict", polarity):
            if (match := re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", clause, re.IGNORECASE)) is not None:
                found.append((match.start(), match.end(), polarity))
    best = max(found, key=lambda span: span[1] - span[0], default=None)
    if best is None:
        return None
    negated = PATTERN.denied.search(clause[: best[0]])
    return (negated.start(), best[1], "pass" if best[2] == "fail" else "fail") if negated else best


def _meant(rest: str, verdict: str, judging: list[tuple[str, Act]]) -> tuple[str, Act] | None:
    """The judging step that the clause's other words speak of, the last one where they say nothing."""
    if PATTERN.granting.search(verdict):
        grants = [
            pair for pair in judging if pair[1].step_kind in ("approval", "decision") or "approved" in pair[1].outcomes
        ]
        judging = grants or judging
    words = {_stem(word) for word in re.findall(r"[a-z]+", rest.lower()) if word not in _FUNCTION}
    if not words:
        return judging[-1]
    told = any(words & {_stem(word) for word in re.findall(r"[a-z]+", s.sentence.text.lower())} for _, s in judging)
    if words <= _MATTERS and not told and judging[-1][1].step_kind == "approval":
        return judging[-1]  # what was to be approved, by its most general name
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


def sentence_end(sentence: str) -> int:
    """Where a sentence ends before the mark that closes it."""
    return len(sentence.rstrip(" .;"))


def judged(said: Verdict, clause: str, start: int, end: int) -> Atom:
    """The comparison with the outcome that an English verdict names."""
    approval = said.statement.step_kind == "approval" or "approved" in said.statement.outcomes
    outcome = {"pass": "approved", "fail": "rejected"}[said.polarity] if approval else said.polarity
    quote = clause[said.start : said.end]
    return Atom(
        start, end, Compare("eq", Ref(f"$.steps.{said.step}.outcome"), Literally(outcome, quote, "converted", quote))
    )
