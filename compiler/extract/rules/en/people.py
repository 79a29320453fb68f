"""Who acts in an English clause, on what, for whom, and what its subject limits."""

import re

from compiler.extract.rules.en.predicates import Clause, Predicate
from compiler.extract.rules.en.time import Times, compares
from compiler.extract.rules.en.words import BE, PREPOSITIONS, PRONOUNS, RELATIVES, role, word_set, words
from compiler.extract.rules.statements import ConditionCue, Scope
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import Limit, limits_in
from compiler.text.sentences import Piece
from ir.procedure import StepKind

PATTERN = lexicon("en").patterns("people")

_OBJECT_ENDS = PREPOSITIONS - {"of", "per"} | RELATIVES | word_set("after_objects")
_DECIDING = word_set("deciding")
_PARTICLES = word_set("particles")
_AGENT_ENDS = word_set("after_agents")


class People:
    """Finds the people and things of a predicate."""

    def __init__(self, cues: Lexicon, times: Times) -> None:
        self.cues, self.times = cues, times
        self.words = words()

    def actor(self, clause: Clause, here: Predicate, scope: Scope) -> Piece | None:
        """The role that the subject names; for a pronoun or no subject the one that acted last."""
        if here.subject is None:
            return scope.actor
        subject = clause.part(*here.subject)
        plain = subject.text.lower().strip(", ")
        if plain in PRONOUNS or plain in self.cues.words("light_subjects"):
            return subject if plain in ("you", "we") and scope.actor is None else scope.actor
        return role(subject, opening=clause.piece.text.startswith(subject.text))

    def agent(self, clause: Clause, here: Predicate, end: int) -> Piece | None:
        """Who acts in a passive clause: the role after `by`."""
        places = (at for at in range((here.verb or 0) + 1, end) if clause.lower(at) == "by")
        return next((who for at in places if (who := role(_agent(clause, at + 1, end))) is not None), None)

    def object_of(self, clause: Clause, here: Predicate, end: int) -> Piece | None:
        """The noun phrase after an active verb and its particle (`turn off the power`)."""
        begin = (here.verb or 0) + 1
        begin += clause.lower(begin) in _PARTICLES
        stop = begin
        if clause.lower(begin) in ("no", "not") and clause.lower(begin + 1) in ("later", "more", "less"):
            return None
        while stop < end and clause.lower(stop) not in _OBJECT_ENDS:
            stop += 1
        return clause.part(begin, stop) if stop > begin else None

    def recipient(self, clause: Clause, here: Predicate, end: int, kind: StepKind) -> Piece | None:
        """To whom something goes: the object of telling, else the role after `to` or `with`."""
        begin = (here.verb or 0) + 1
        if kind == "notify":
            subject = clause.part(*here.subject) if here.subject else None
            told = subject if here.form == "passive" else self.object_of(clause, here, end)
            if told is not None and (who := role(told, opening=here.form == "passive")) is not None:
                return who
        places = (
            at
            for at in range(begin, end - 1)
            if clause.lower(at) in ("to", "with") and not self.words.is_base(clause.toks[at + 1].text)
        )
        return next((who for at in places if (who := role(_agent(clause, at + 1, end))) is not None), None)

    def subject_conditions(self, clause: Clause, here: Predicate) -> tuple[ConditionCue, ...]:
        """What a subject limits: `purchases over $5,000 must be …`, `employees who travel abroad must …`."""
        if here.subject is None:
            return ()
        subject = clause.part(*here.subject)
        if self.cues.pattern("conditions", "rest").match(subject.text):
            return (ConditionCue(subject, "otherwise"),)
        if compares(self.cues, subject.text):
            return (self.times.condition(subject),)
        relative = re.search(r",?\s+(?P<word>who|that|which)\s+(?P<verb>\w+)", subject.text)
        if relative is None or not PATTERN.indefinite.match(subject.text) or here.form == "state":
            return ()
        verb = relative["verb"].lower()
        known = self.words.third(verb) or self.words.is_base(verb) or verb in BE | {"has", "have"}
        if not known and relative["word"] != "who":
            return ()
        somebody = role(subject.part(0, relative.start()), opening=True) is not None
        return (self.times.condition(trimmed(subject.part(relative.start("verb")) if somebody else subject)),)

    def object_conditions(self, clause: Clause, here: Predicate, end: int) -> tuple[ConditionCue, ...]:
        """What an approver's object limits: `signs contracts above 5,000`, `decides on loans of up to 10,000`."""
        if here.verb is None or here.form == "passive" or here.lemma not in _DECIDING:
            return ()
        words = clause.part(here.verb + 1, end)
        limits = limits_in(words.text, self.cues)
        if not limits and (rest := PATTERN.rest.search(words.text)) is not None:
            return (ConditionCue(words.part(rest.start(), rest.end()), "otherwise"),)
        if not limits or any(_is_time_limit(words.text, limit) for limit in limits):
            return ()
        opened = re.search(r"\b(?:if|when|where|unless|within|before|after)\b", words.text)
        if opened is not None and opened.start() < limits[0].start:
            return ()
        return (ConditionCue(words.part(0, limits[-1].end), measured=True),)


def _agent(clause: Clause, begin: int, end: int) -> Piece:
    """The words after `by` or `to` up to a mark or what may follow somebody's name."""
    ends = (i for i in range(begin, end) if clause.toks[i].text in ",;:" or clause.lower(i) in _AGENT_ENDS)
    return clause.part(begin, next(ends, end))


def _is_time_limit(text: str, limit: Limit) -> bool:
    """Whether a limit of time says by when something is done, and not of what: `leave of up to 10 days`."""
    if limit.quantity.unit.dimension != "duration":
        return False
    of_what = re.search(r"[a-z]\s+(?:of|for|lasting)\s*$", text[: limit.start], re.IGNORECASE)
    return of_what is None and re.match(r"longer|shorter|exceeding|lasting", text[limit.start :], re.IGNORECASE) is None


def trimmed(piece: Piece) -> Piece:
    """Without marks and conjunctions at either end."""
    front = re.match(r"^(?:[\s,;:]|(?:and|then|who|but)\b(?!/))+", piece.text, re.IGNORECASE)
    back = re.search(r"(?:[\s,;:]|\b(?:and|or|then|but)\b)+$", piece.text, re.IGNORECASE)
    return piece.part(front.end() if front else 0, back.start() if back else None)
