"""English clauses that say more than an act: jumps, skips, ends, and approvals that a noun names."""

import re

from compiler.extract.rules.en.predicates import Clause, Predicate
from compiler.extract.rules.en.words import role, word_set
from compiler.extract.rules.statements import Act, ConditionCue, Said, Statement
from compiler.text.lexicon import Lexicon, lexicon
from ir.procedure import EndStatus, StepKind

PATTERN = lexicon("en").patterns("special")

_SENT = word_set("sending")
_REFUSING = word_set("refusing")
_LEAD = 12  # letters that `the whole` may take before the words that end something


def _no_act(base: Act, here: Predicate) -> Statement | None:
    """A clause that only says that the run goes on, that something may take longer, or what is not done."""
    text = base.piece.text
    plain = here.form in ("third", "passive") and not PATTERN.by_number.search(text)
    if plain and PATTERN.goes_on.search(text):
        return base.as_rule("goes on")
    if base.modality == "may" and (PATTERN.longer.search(text) or PATTERN.once_more.search(text)):
        return base.as_rule("extension", modality="may")
    if here.form == "passive" and PATTERN.nothing.match(text):
        return base.as_rule("negative")
    return None


class Specials:
    """Reads the clauses that lead elsewhere, close the case, or name an approval."""

    def __init__(self, cues: Lexicon) -> None:
        self.cues = cues

    # --- jumps, skips, ends -------------------------------------------------------------------------------------------

    def ending(self, base: Act) -> list[Statement]:
        """What a clause without a verb of its own says of the end (`the process ends`)."""
        if base.conditions and self.cues.pattern("ends", "completed").search(base.piece.text):
            return [base.as_end(self._completion(base))]
        if base.conditions and self.cues.pattern("ends", "stop").search(base.piece.text):
            return [base.as_end("rejected")]
        return []

    def _completion(self, base: Said) -> EndStatus:
        """How a process ends in a case: `if the request is denied, the process ends` is a refusal."""
        refused = any(cue.mode == "when" and PATTERN.refused.search(cue.piece.text) for cue in base.conditions)
        return "rejected" if refused else "completed"

    def elsewhere(self, base: Act, here: Predicate) -> list[Statement]:
        text = base.piece.text
        if (rule := _no_act(base, here)) is not None:
            return [rule]
        jump = self.cues.pattern("jump").search(text)
        if jump and (here.imperative or here.form in ("third", "passive") or here.modal or base.conditions):
            return [base.as_jump(jump["label"])]
        jump = self.cues.pattern("jump_to").search(text)
        if jump and base.conditions:
            return [base.as_jump(jump["what"])]
        jump = self.cues.pattern("jump_observed").search(text) or self.cues.pattern("jump_under").search(text)
        later = self.cues.pattern("urgent", "ahead").search(base.sentence.text)
        if jump and (base.conditions or base.after or later):
            return [base.as_jump(jump["label"])]
        for status in ("completed", "stop"):
            match = self.cues.pattern("ends", status).search(text)
            bound = here.subject is not None or (here.imperative and match is not None and match.start() == 0)
            if match and match.start() <= _LEAD and bound:
                ended = self._completion(base) if status == "completed" else "rejected"
                return [base.as_end(ended)] if base.conditions else []
        skip = self.cues.pattern("skip").search(text)
        for_what = re.search(r"\bfor (?P<what>[^,;]{3,60})$", text) if skip and not base.conditions else None
        if for_what is not None:
            limit = ConditionCue(base.piece.part(for_what.start("what"), for_what.end("what")))
            base = base.but(conditions=(limit,))
        if skip and base.conditions:
            target = next(words for words in skip.groupdict().values() if words)
            return [base.as_skip(re.sub(r"^(?:the|an?|any|further)\s+", "", target))]
        return []

    def closing(self, statement: Act, here: Predicate) -> Statement:
        """An act that closes the case in which it is done."""
        text = statement.piece.text
        status: EndStatus | None = None
        for each in ("returned", "rejected", "cancelled"):
            if self.cues.pattern("ends", each).search(text):
                status = each
                break
        if status is None and statement.conditions and (PATTERN.sent_back.search(text) or PATTERN.back.search(text)):
            status = "returned"
        finished = self.cues.pattern("ends", "completed").search(text)
        if status is None and statement.conditions and finished and finished.start() > _LEAD:
            return statement.but(ends=self._completion(statement))
        refuses = status != "rejected" or (here.lemma in _REFUSING and not re.search(r"\bor\b", text))
        cancels = status != "cancelled" or here.form == "passive"
        if status is None or not statement.conditions or not (refuses and cancels):
            return statement
        silent = (here.form == "passive" and statement.actor is None) or status == "returned"
        return statement.as_end(status) if silent else statement.but(ends=status)

    # --- approvals that a phrase names ----------------------------------------------------------------------------

    def approval(self, clause: Clause, here: Predicate, base: Act, end: int) -> list[Statement]:
        """`obtain approval from the director`, `approval by the CFO is required`: an act of the one who approves."""
        text = base.piece.text
        needed = self.cues.pattern("approval_needed").match(text)
        obtains = None if needed else self.cues.pattern("obtains").search(text)
        match = needed or obtains
        denied = PATTERN.nothing.match(text) or re.search(r"\b(?:not|no)\b", match[0].lower() if match else "")
        if match is None or base.modality == "must_not" or denied:
            return []
        verb_at = clause.toks[here.verb or here.begin].start + clause.piece.start - base.piece.start
        if obtains and abs(obtains.start() - verb_at) > 4:
            return []
        who = None
        for name in ("who2", "who1"):
            if match[name] and who is None:
                who = role(base.piece.part(match.start(name), match.end(name)))
        if who is None and not needed:
            return []
        verb = base.piece.part(match.start("verb"), match.end("verb"))
        found = base.but(actor=who, verb=verb, step_kind="approval", outcomes=("approved", "rejected"), modality="must")
        return [found]

    def requested(self, statement: Act, here: Predicate) -> Act | None:
        """`forwards it to the CFO for approval`: after the act, one of the person asked."""
        match = self.cues.pattern("requested").search(statement.piece.text)
        if match is None or here.lemma not in _SENT:
            return None
        before = statement.piece.part(0, match.start())
        to = list(re.finditer(r"\bto\s+", before.text))
        who = role(statement.piece.part(match.start("by"), match.end("by"))) if match["by"] else None
        start = match.start()
        if who is None and to:
            who = role(before.part(to[-1].end()))
            start = to[-1].start()
        if who is None:
            return None
        verb = statement.piece.part(match.start("verb"), match.end("verb"))
        kind: StepKind = (
            "check"
            if re.match(r"(?:review$|verif|eval|assess|inspect|valid|confirm)", verb.text.lower())
            else "approval"
        )
        outcomes = ("approved", "rejected") if kind == "approval" else ()
        return statement.but(
            piece=statement.piece.part(start, match.end()), actor=who, verb=verb, step_kind=kind, outcomes=outcomes,
            deadlines=(), after=(), merges=False, recipient=None, object=None, passive=False, parallel=False,
        )  # fmt: skip
