"""What one English predicate says: an act with its actor, object and kind, a rule, a duty, or none of them."""

import re
from dataclasses import replace

from compiler.extract.rules.en.people import People, trimmed
from compiler.extract.rules.en.predicates import Clause, Predicate
from compiler.extract.rules.en.special import Specials
from compiler.extract.rules.en.time import Times
from compiler.extract.rules.en.words import DETERMINERS, noun_phrase, role, word_set, words
from compiler.extract.rules.statements import Act, Scope, Statement
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.sentences import Piece
from ir.procedure import StepKind

PATTERN = lexicon("en").patterns("acts")

_PRO_VERBS = word_set("pro_verbs")
_CONTENT_ALWAYS = word_set("content_always")
_STRENGTH: tuple[StepKind, ...] = ("approval", "decision", "check")


class Acts:
    """Reads predicates into statements."""

    def __init__(self, cues: Lexicon, times: Times) -> None:
        self.cues, self.times = cues, times
        self.people, self.specials = People(cues, times), Specials(cues)
        self.words = words()

    def read_predicate(
        self, clause: Clause, here: Predicate, end: int, base: Act, scope: Scope, *, joined: bool
    ) -> list[Statement]:
        """The statements of one predicate, whose words end before the token `end`."""
        piece = trimmed(clause.part(here.begin, end))
        opened = clause.text(*here.subject).split() if here.subject else []
        if opened and PATTERN.general.match(" ".join(opened)) and not here.modal:
            return []  # `most suppliers …`, `how it is handled is laid down in …`, `questions about this procedure …`
        base = base.but(piece=piece, modality=scope.modality or here.modality)
        base = base.but(parallel=base.parallel or self.cues.pattern("parallel").search(piece.text) is not None)
        limits = (*self.people.subject_conditions(clause, here), *self.people.object_conditions(clause, here, end))
        base = base.but(conditions=(*base.conditions, *limits))
        deadlines = self.times.deadlines(piece)
        base = base.but(deadlines=(*scope.deadlines, *deadlines))
        special = self.specials.elsewhere(base, here) or self.specials.approval(clause, here, base, end)
        if special:
            scope.deadlines.clear()
            return special
        statement = self._read_clause(clause, here, end, base, scope, joined=joined)
        if statement is None:
            return []
        if not isinstance(statement, Act):
            return [statement]
        scope.deadlines.clear()
        asked = self.specials.requested(statement, here)
        if asked is None:
            return [self.specials.closing(statement, here)]
        silent = (here.form == "passive" and statement.actor is None) or here.lemma == "go"
        return [asked.but(piece=statement.piece, deadlines=statement.deadlines)] if silent else [statement, asked]

    # --- acts and rules ---------------------------------------------------------------------------------------------

    def _read_clause(
        self, clause: Clause, here: Predicate, end: int, base: Act, scope: Scope, *, joined: bool
    ) -> Statement | None:
        text = base.piece.text
        subject = clause.part(*here.subject) if here.subject else None
        bound = here.modal or here.imperative
        forbidden = bound and subject is not None and re.match(r"(?:no|neither|none)\b", subject.text, re.IGNORECASE)
        nobody = subject is not None and re.match(r"(?:nobody|no one|no-one)\b", subject.text, re.IGNORECASE)
        if here.modality == "must_not" or forbidden or nobody:
            who = role(subject, opening=True) if subject else base.actor
            return base.as_rule("prohibition", modality="must_not", actor=who)
        if here.form == "state" or here.verb is None:
            who = role(subject, opening=True) if subject else None
            charged = re.search(r"\b(?:is|are|be) (?:\w+ly )?(?:responsible|accountable) for\b", text) and who
            if charged or re.search(r"\bis the (?:responsibility|duty|task) of\b", text):
                return base.as_duty("a responsibility", actor=who)
            return base.as_rule("requirement", actor=who) if bound and here.lemma == "be" else None
        here = self._means(clause, here, end)
        assert here.verb is not None
        rest = clause.text(here.verb + 1, end)
        made_sure = here.imperative and self.words.checks(here.lemma, rest)
        goes_on = joined and here.shares and here.imperative
        if self.words.is_stative(here.lemma, rest) and here.form != "passive" and not made_sure and not goes_on:
            if not bound:
                return None
            actor, verb = self.people.actor(clause, here, scope), clause.part(here.verb, here.verb + 1)
            return base.as_duty("a state or general duty", actor=actor, verb=verb)
        if scope.recurring or self._recurs(text):
            return base.as_duty("recurring", actor=self.people.actor(clause, here, scope))
        return self._act(clause, here, end, base, scope, joined=joined)

    def _means(self, clause: Clause, here: Predicate, end: int) -> Predicate:
        """`uses the form to request access` is a request: what is done is the verb that the means serve."""
        if here.lemma not in ("use", "meet", "work") or here.verb is None or here.form == "passive":
            return here
        for at in range(here.verb + 1, end - 1):
            lemma = clause.lower(at + 1)
            if clause.lower(at) == "to" and lemma != "be" and self.words.is_base(clause.toks[at + 1].text):
                return replace(here, verb=at + 1, lemma=lemma)
        return here

    def _act(
        self, clause: Clause, here: Predicate, end: int, base: Act, scope: Scope, *, joined: bool
    ) -> Statement | None:
        assert here.verb is not None
        verb = clause.part(here.verb, here.verb + 1)
        rest = clause.text(here.verb + 1, end)
        kind = self.words.kind(here.lemma, rest)
        subject = clause.part(*here.subject) if here.subject else None
        if here.form == "passive":
            if self._is_content(here) and not re.search(r"\bby\b", rest):
                return base.as_rule("content") if here.modal else None
            actor = self.people.agent(clause, here, end)
            told = actor is not None or base.conditions or base.deadlines or kind != "task"
            if here.modality == "may" or (
                not here.modal and not told and re.match(r"an?\b", subject.text if subject else "")
            ):
                return None
            statement = base.but(actor=actor, verb=verb, object=subject, step_kind=kind, passive=True)
        else:
            actor = self.people.actor(clause, here, scope)
            if actor is None and kind in ("approval", "decision") and subject is not None:
                actor = noun_phrase(subject)  # what decides is somebody, whatever it is called
            handed = here.lemma == "go" and self.cues.pattern("requested").search(base.piece.text) is not None
            thing = subject is not None and actor is None and not handed and subject.text.lower() not in _PRO_VERBS
            if thing and (not here.modal or self._is_content(here) or kind in ("task", "record", "check", "input")):
                return base.as_rule("requirement") if here.modal else None
            unknown = actor is not None and actor.text.isupper() and not self.words.is_listed_role(actor.text)
            if unknown and self._is_content(here) and not here.modal:
                return None
            if here.lemma in _CONTENT_ALWAYS:
                return base.as_rule("content", verb=verb)
            if actor is None and not handed and (here.modality == "may" or (here.form == "third" and not here.shares)):
                return None
            statement = base.but(
                actor=actor, verb=verb, object=self.people.object_of(clause, here, end), step_kind=kind
            )
        if self._describes(here, base, actor, rest):
            return base.as_rule("a state", actor=actor)
        statement = statement.but(recipient=self.people.recipient(clause, here, end, kind))
        statement = statement.but(outcomes=self._outcomes(clause, here, rest, kind))
        return statement.but(merges=joined and here.shares and clause.lower(here.begin) not in ("who", "which"))

    def _is_content(self, here: Predicate) -> bool:
        return here.lemma in self.cues.words("content_verbs")

    def _outcomes(self, clause: Clause, here: Predicate, rest: str, kind: StepKind) -> tuple[str, ...]:
        if kind == "approval" or (kind == "decision" and re.match(r"(?:or|and/or) (?:reject|den|declin|refus)", rest)):
            return ("approved", "rejected")
        if kind in ("check", "decision") and re.match(r"(?:\w+ly )?(?:whether|if)\b", rest):
            return ("pass", "fail")
        shows = kind == "check" and here.lemma in ("verify", "check", "confirm", "validate")
        return ("pass", "fail") if shows and re.match(r"that\b", rest) else ()

    def _recurs(self, text: str) -> bool:
        """Whether words say that something is done again and again; a thing called `the annual plan` does not."""
        plain = self.cues.pattern("definite_period").sub("", text)
        return self.cues.pattern("recurring").search(plain) is not None

    def _describes(self, here: Predicate, base: Act, actor: Piece | None, rest: str) -> bool:
        """Whether a plain clause tells what an organisation is or does for a living, or what is so for good."""
        if here.modal or here.imperative or base.conditions or base.deadlines or base.after:
            return False
        if here.form == "passive" and re.search(r"\band (?:depends?|var(?:y|ies))\b", rest):
            return True
        if actor is None or here.form == "passive":
            return actor is not None and here.lemma in self.cues.words("standing_passives")
        kind = actor.text.split()[-1].lower() in self.cues.words("organisations")
        first = rest.split()[0].lower() if rest.split() else ""
        return kind and here.lemma in self.cues.words("business_verbs") and first not in DETERMINERS


def strongest(kinds: list[StepKind]) -> StepKind:
    """Of acts that make up one step the kind that says most: an approval, a decision, a check, else the first.

    >>> strongest(["check", "approval"]), strongest(["task", "notify"])
    ('approval', 'task')
    """
    return next((kind for kind in _STRENGTH if kind in kinds), kinds[0])
