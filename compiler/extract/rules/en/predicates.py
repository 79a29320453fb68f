"""Finds the predicates of an English clause by cue words: its subject, how it is bound to act, and its verb."""

from dataclasses import dataclass, replace
from typing import Literal

from compiler.extract.rules.en.line import MARKS, WHOLE_CLAUSE, Line
from compiler.extract.rules.en.words import BE, CONJUNCTIONS, DETERMINERS, PREPOSITIONS, PRONOUNS, RELATIVES, word_set
from ir.procedure import Modality

Form = Literal["base", "third", "passive", "state"]
_BOUNDARIES = word_set("boundaries")


@dataclass(frozen=True)
class Predicate:
    """A verb with its subject, by token positions.

    Args:
        begin: where its words begin: the subject's first token, or the verb's where it shares a subject.
        subject: first and last (exclusive) token of the subject; None for imperatives and shared subjects.
        verb: position of the main verb, None where none follows (`must:`).
        lemma: the verb's plain form.
        form: `state` for what is no act: forms of `be`, perfects, `can`.
        modal: whether a modal word binds it.
        shares: it shares the subject of the one before.
    """

    begin: int
    subject: tuple[int, int] | None
    verb: int | None
    lemma: str
    form: Form
    modality: Modality = "must"
    modal: bool = False
    imperative: bool = False
    shares: bool = False


class Clause(Line):
    """A clause and its predicates, one after the other."""

    # --- predicates ---------------------------------------------------------------------------------------------------

    def predicate(self, begin: int) -> Predicate | None:
        """The first predicate of the clause that begins at a token; None where there is none before a comma."""
        start = begin if self.lower(begin) in ("never", "do") else self.after_adverbs(begin)
        if start >= len(self.toks):
            return None
        if self.lower(start) in ("do", "don't", "don’t", "never") and (negated := self.modal(start)):
            verb = self.after_adverbs(negated[1])
            return self._make(start, None, verb, "base", "must_not", modal=True, imperative=True)
        if (inverted := self._inverted(begin)) is not None:
            return inverted
        if self.is_imperative(start):
            return self._make(start, None, start, "base", "must", imperative=True)
        if (headless := self._headless(start)) is not None:
            return headless
        return self._after_subject(start)

    def _inverted(self, begin: int) -> Predicate | None:
        """A predicate behind `only`: `Only then is the container handed over`, `Only after that may he begin`."""
        if self.lower(begin) != "only":
            return None
        for at in range(begin + 1, min(begin + 10, len(self.toks))):
            modal = self.modal(at)
            if self.lower(at) not in ("is", "are") and modal is None:
                continue
            after = modal[1] if modal else at + 1
            for verb in range(after + 1, min(after + 8, len(self.toks))):
                lemma = self.words.participle(self.toks[verb].text) if modal is None else None
                plain = modal is not None and self.words.is_base(self.toks[verb].text)
                if lemma or plain:
                    form: Form = "passive" if lemma else "base"
                    modality = modal[0] if modal and modal[0] else "must"
                    return Predicate(after, (after, verb), verb, lemma or self.lower(verb), form, modality)
        return None

    def _headless(self, start: int) -> Predicate | None:
        """A predicate whose subject an introduction names (`must review the form`, `reviews the form`)."""
        if (modal := self.modal(start)) is not None:
            return self._bound(start, None, modal)
        lemma = self.words.third(self.toks[start].text) if self.subjectless else None
        if lemma and (lemma not in self.words.noun_verbs or self.lower(start + 1) in DETERMINERS):
            return self._make(start, None, start, "third", "must", lemma=lemma)
        return None

    def _after_subject(self, start: int) -> Predicate | None:
        relative, at = False, start
        while at < len(self.toks):
            word = self.lower(at)
            if word in RELATIVES and at > start and (word != "that" or self.lower(at - 1) not in ("so",)):
                relative, at = self._relative_verb(at)
                continue
            if word in _BOUNDARIES and at > start:
                return None
            if word in MARKS:
                resumed = self._resumes(at) if word == "," else None
                if resumed is None:
                    return None
                relative, at = False, resumed
                continue
            found = self._finite(start, at)
            if found is not None and not (found.verb == at and self._binds_next(at)):
                if not relative:
                    return found
                relative, at = False, max(at, found.verb or at)
            at += 1
        return None

    def _binds_next(self, at: int) -> bool:
        """Whether a finite word comes right after a token, which so is a noun (`Sales staff must`)."""
        return self.modal(at + 1) is not None or self.lower(at + 1) in ("is", "are", "was", "were")

    def _relative_verb(self, at: int) -> tuple[bool, int]:
        """Pass over a relative pronoun with its verb; whether the verb is still to come (`which the clerk files`)."""
        verb = self.after_adverbs(at + 1)
        if (modal := self.modal(verb)) is not None:
            return False, modal[1] + 1
        if self.lower(at) in ("whom", "which") and self.lower(at - 1) in PREPOSITIONS:
            return True, at + 1  # `customers for whom approval has been given`
        opens = self.lower(verb) in DETERMINERS | PRONOUNS or (
            verb < len(self.toks) and self.toks[verb].text[0].isupper()
        )
        return (True, at + 1) if opens and self.lower(at) != "who" else (False, verb + 1)

    def _resumes(self, comma: int) -> int | None:
        """Where a clause goes on after an insertion between commas (`the vendor, if selected, must …`)."""
        direct = self.after_adverbs(comma + 1)
        if self.modal(direct):
            return direct
        inserted = direct < len(self.toks) and self.toks[direct].text.endswith("ing")  # `, stating a, b and c,`
        for at in range(comma + 1, len(self.toks)):
            if self.lower(at) != ",":
                continue
            after = self.after_adverbs(at + 1)
            finite = self.modal(after) or self.lower(after) in ("is", "are")
            if finite or (after < len(self.toks) and self.is_third(after, 0)):
                return after
            if not inserted:
                return None
        return None

    def _finite(self, start: int, at: int) -> Predicate | None:
        if at == start:
            return None
        subject = (start, self.before_adverbs(at, start))
        if (modal := self.modal(at)) is not None:
            return self._bound(start, subject, modal)
        if self.lower(at) in ("has", "have") and (caused := self._caused(start, subject, at)) is not None:
            return caused
        if self.lower(at) in BE - {"be", "been", "being"} | {"has", "have", "had"}:
            return self._with_be(start, subject, at)
        adverb = self.after_adverbs(at)
        if self.is_third(at, start):
            verb = self.toks[at]
            lemma = self.words.third(verb.text) or self.lemma(at).removesuffix("s")
            return self._make(start, subject, at, "third", "must", lemma=lemma)
        if adverb == at and self.is_plural_verb(at, start):
            return self._make(start, subject, at, "third", "must")
        return None

    def _caused(self, start: int, subject: tuple[int, int], at: int) -> Predicate | None:
        """`has the room closed off`: an act that somebody lets be done."""
        if self.lower(at + 1) not in ("the", "it", "them", "this", "these"):
            return None
        for verb in range(at + 2, min(at + 6, len(self.toks))):
            lemma = self.words.participle(self.toks[verb].text)
            if lemma and self.lower(verb + 1) not in DETERMINERS | {"by"}:
                return self._make(start, subject, verb, "third", "must", lemma=lemma)
        return None

    def _bound(self, begin: int, subject: tuple[int, int] | None, modal: tuple[Modality | None, int]) -> Predicate:
        modality, after = modal
        verb = self.after_adverbs(after)
        negated = any(self.lower(i) in ("not", "never") for i in range(after, verb))
        if self.lower(verb) == ",":  # `shall, within ten days, submit`
            closing = next((i for i in range(verb + 1, len(self.toks)) if self.lower(i) == ","), verb)
            verb = self.after_adverbs(closing + 1)
        if modality is None:
            return self._make(begin, subject, verb, "state", "may")
        if self.lower(verb) in PREPOSITIONS:  # `may at any time inspect`
            ahead = range(verb + 1, min(verb + 8, len(self.toks) - 1))
            acts = (i for i in ahead if self.words.is_base(self.toks[i].text) and self.lower(i + 1) in DETERMINERS)
            verb = next(acts, verb)
        modality = "must_not" if negated else modality
        if self.lower(verb) in ("be", "have"):
            found = self._with_be(begin, subject, verb)
            return replace(found, modality=modality, modal=True)
        if verb >= len(self.toks) or not self.toks[verb].is_word:
            return Predicate(begin, subject, None, "", "base", modality, modal=True)
        return self._make(begin, subject, verb, "base", modality, modal=True)

    def _with_be(self, begin: int, subject: tuple[int, int] | None, at: int) -> Predicate:
        """`is reviewed`, `be sent` as passives; `is complete`, `has been sent`, `was sent` as states."""
        verb = self.after_adverbs(at + 1)
        negated = any(self.lower(i) in ("not", "never") for i in range(at + 1, verb))
        lemma = self.words.participle(self.toks[verb].text) if verb < len(self.toks) else None
        passive = self.lower(at) in ("is", "are", "be") and lemma is not None
        agent = next((i for i in range(verb + 1, len(self.toks)) if self.lower(i) == "by"), None)
        done_by = agent is not None and self.acts(agent + 1, min(agent + 5, len(self.toks)))
        given = self.lower(verb) == "given" and self.lower(verb + 1) in DETERMINERS  # `is given a number`
        if passive and self.lower(verb) in self.words.cues.words("stative_passives") and not done_by and not given:
            passive = False
        if not passive:
            return Predicate(begin, subject, min(verb, len(self.toks) - 1), "be", "state")
        return Predicate(begin, subject, verb, lemma or "", "passive", "must_not" if negated else "must")

    def _make(
        self, begin: int, subject: tuple[int, int] | None, verb: int, form: Form, modality: Modality,
        *, modal: bool = False, imperative: bool = False, lemma: str = "",
    ) -> Predicate:  # fmt: skip
        inside = verb < len(self.toks)
        name = lemma or (self.lower(verb).split("/")[0] if inside else "")
        return Predicate(begin, subject, verb if inside else None, name, form, modality, modal, imperative)

    # --- coordination -------------------------------------------------------------------------------------------------

    def next_predicate(self, before: Predicate, at: int) -> Predicate | None:
        """A predicate that a comma or conjunction at a token leads on to: of the same subject, or with its own."""
        follows = at
        while follows < len(self.toks) and self.lower(follows) in CONJUNCTIONS | {",", "also"}:
            follows += 1
        if follows >= len(self.toks) or follows == at:
            return None
        who = self.lower(follows) == "who" or (self.lower(follows) == "which" and self._names_actor(before, at))
        if who and self.lower(at) == ",":
            found = self._after_subject(follows) if follows + 1 < len(self.toks) else None
            return self._relative(before, at, follows, found)
        shared = self._shared(before, follows)
        if shared is not None:
            return replace(shared, shares=True)
        return self._own_subject(before, at, follows)

    def _names_actor(self, before: Predicate, end: int) -> bool:
        """Whether the words before a comma end with somebody who can act (`by the Legal Department, which …`)."""
        noun = end
        while noun > (before.verb or 0) + 1 and self.lower(noun - 1) not in PREPOSITIONS:
            noun -= 1
        return noun < end and self.acts(noun, end)

    def _relative(self, before: Predicate, at: int, who: int, found: Predicate | None) -> Predicate | None:
        """`…, who approves it`: an act of the one named last."""
        verb = self.after_adverbs(who + 1)
        noun = at
        while noun > (before.verb or 0) + 1 and self.lower(noun - 1) not in PREPOSITIONS:
            noun -= 1
        if (modal := self.modal(verb)) is not None:
            return self._bound(who, (noun, at), modal)
        if verb < len(self.toks) and (lemma := self.words.third(self.toks[verb].text)):
            return self._make(who, (noun, at), verb, "third", "must", lemma=lemma)
        return found and None

    def _shared(self, before: Predicate, at: int) -> Predicate | None:
        start = self.after_adverbs(at)
        if start >= len(self.toks):
            return None
        word, after = self.toks[start], self.lower(start + 1)
        denied = before.imperative and self.lower(start) in ("do", "don't", "don’t", "never")
        if denied and (negated := self.modal(start)):
            return self._make(at, None, self.after_adverbs(negated[1]), "base", "must_not", modal=True)
        if (modal := self.modal(start)) is not None:
            return self._bound(at, None, modal)
        if self.lower(start) in ("is", "are"):
            return self._with_be(at, None, start)
        object_follows = after in DETERMINERS or (
            after in CONJUNCTIONS and before.verb is not None and at - before.verb <= 2
        )
        lemma = self.words.third(word.text)
        if before.form == "third" and lemma and (lemma not in self.words.noun_verbs or object_follows):
            return self._make(at, None, start, "third", before.modality, lemma=lemma)
        plain = word.lower in self.words.base and word.lower not in BE and not self._to_infinitive(before, at)
        ambiguous = word.lower in self.words.noun_verbs | self.words.adjective_verbs
        adjacent = before.verb is not None and at - before.verb <= 3 and self._only_conjunctions(before.verb + 1, at)
        if before.form == "base" and plain and (not ambiguous or object_follows or adjacent) and after not in ("of",):
            return self._make(
                at, None, start, "base", before.modality, modal=before.modal, imperative=before.imperative
            )
        passive = self.words.participle(word.text)
        ends = not after or after in PREPOSITIONS | CONJUNCTIONS | MARKS or self.is_adverb(after)
        stative = word.lower in self.words.cues.words("stative_passives")
        if before.form == "passive" and passive and ends and not stative:
            return Predicate(at, None, start, passive, "passive", before.modality, before.modal)
        return None

    def _only_conjunctions(self, begin: int, end: int) -> bool:
        return all(self.lower(i) in CONJUNCTIONS | {","} or self.is_adverb(self.lower(i)) for i in range(begin, end))

    def _to_infinitive(self, before: Predicate, at: int) -> bool:
        """Whether the words so far hold `to` with a verb, to which a further plain form may belong."""
        return any(
            self.lower(i) == "to" and i + 1 < len(self.toks) and self.words.is_base(self.toks[i + 1].text)
            for i in range((before.verb or before.begin) + 1, at - 1)
        )

    def _own_subject(self, before: Predicate, at: int, follows: int) -> Predicate | None:
        first = self.lower(follows)
        if first in PREPOSITIONS | _BOUNDARIES or first in WHOLE_CLAUSE - {"that"} or first in RELATIVES - {"that"}:
            return None
        found = self._after_subject(follows)
        if found is None or found.subject is None or found.subject[1] - found.subject[0] > 12:
            return None
        inside = [self.lower(i) for i in range(*found.subject)]
        complement = any(self.lower(i) in WHOLE_CLAUSE for i in range((before.verb or before.begin) + 1, at))
        if "," in inside or (complement and not found.modal and self.lower(at) != ","):
            return None
        if before.lemma in ("ensure", "verify", "confirm", "check") and complement:
            return None
        if found.form == "third" and not self.acts(*found.subject) and first not in PRONOUNS:
            return None
        return found
