"""The people and things of an act: which phrases of its clause act, are acted on, receive, or say into what."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from compiler.extract.narrative import words
from compiler.text.dependencies import Token, Tree

_OUTSIDE = ("relcl", "acl", "advcl", "appos", "punct", "prep", "cc", "conj", "preconj", "advmod", "parataxis")
_NOUNS = ("NOUN", "PROPN", "PRON", "NUM", "DET", "ADJ")


@dataclass(frozen=True)
class Parts:
    """The phrases of one act, each by its words in order."""

    actors: tuple[tuple[Token, ...], ...] = ()
    objects: tuple[tuple[Token, ...], ...] = ()
    recipients: tuple[tuple[Token, ...], ...] = ()
    manners: tuple[tuple[Token, ...], ...] = ()


def doers(trees: Iterable[Tree]) -> frozenset[str]:
    """The nouns that act somewhere in a text: subjects of verbs with an object, and agents of passives."""
    found = set()
    for tree in trees:
        for token in tree.tokens:
            verb = tree.head(token)
            if token.dep == "nsubj" and verb.pos == "VERB" and tree.kid(verb, "dobj", "dative"):
                found.add(token.lemma)
            if token.dep == "pobj" and verb.dep == "agent":
                found.add(token.lemma)
    return frozenset(found) - words.IT - words.PROCESS


def _names_nobody(noun: Token) -> bool:
    """Whether a noun is a pronoun for things, or the process itself."""
    return noun.lower in words.IT or noun.lemma in words.PROCESS


class Phrases:
    """Finds the phrases of the verbs of one sentence.

    Args:
        acting: nouns that act somewhere in the text.
    """

    def __init__(self, tree: Tree, acting: frozenset[str]) -> None:
        self.tree, self.acting = tree, acting

    def noun_phrase(self, head: Token) -> tuple[Token, ...]:
        """A noun with what stands before it and its `of`, without what else hangs from it."""
        tree = self.tree
        outside = [kid for kid in tree.kids(head, *_OUTSIDE) if not self._belongs(head, kid)]
        outside += [
            kid for token in tree.under(head) for kid in tree.kids(token, "conj") if self._of_a_clause(kid, head)
        ]
        found = tree.under(head, outside)
        first = next((at for at, token in enumerate(found) if token.dep not in ("punct", "advmod")), 0)
        return tuple(found[first:])

    def _belongs(self, head: Token, kid: Token) -> bool:
        if kid.dep == "prep":
            return kid.lower == "of"
        if kid.dep in ("punct", "advmod"):
            return kid.at < head.at
        if kid.dep == "conj":  # `the receipt and copied documents`: one phrase, as the second has no article
            return kid.pos in ("NOUN", "PROPN") and not self.tree.kid(kid, "det", "poss") and not self.person(kid)
        return kid.dep == "cc" and any(self._belongs(head, other) for other in self.tree.kids(head, "conj"))

    def listed(self, head: Token) -> list[tuple[Token, ...]]:
        """The phrases of a noun and of those coordinated with it, where each has an article of its own or acts."""
        phrases: list[tuple[Token, ...]] = []
        for noun in self.tree.conjoined(head):
            if self._of_a_clause(noun, head):
                break
            if noun.pos in _NOUNS and not any(noun in phrase for phrase in phrases):
                phrases.append(self.noun_phrase(noun))
        return phrases

    def _of_a_clause(self, noun: Token, first: Token) -> bool:
        """Whether a noun in a list is the subject of what follows (see `borrowed`)."""
        following = self.tree.tokens[noun.at + 1] if noun.at + 1 < len(self.tree.tokens) else None
        return noun != first and following is not None and self.borrowed(following) == noun

    def person(self, noun: Token) -> bool:
        """Whether a noun names somebody who can act."""
        if _names_nobody(noun):
            return False
        if noun.lower in words.PERSONS or noun.lemma in self.acting:
            return True
        initials = noun.tag in ("NNP", "NNPS") and noun.text.isupper() and len(noun.text) > 1
        return initials or (noun.pos in ("NOUN", "PROPN") and words.names_people(noun.lemma))

    # --- of a verb --------------------------------------------------------------------------------------------------

    def subjects(self, verb: Token) -> list[Token]:
        """The heads of a verb's subject, its own or that of the verb that it hangs from; without coordination."""
        tree, here = self.tree, verb
        for _ in range(len(tree.tokens)):
            found = tree.kids(here, "nsubj", "nsubjpass", "csubj")
            if found:
                return [self._antecedent(found[-1], here)]
            if here == verb and (borrowed := self.borrowed(verb)):
                return [borrowed]
            if here.dep == "conj":
                here = self.governor(here)
            elif here.dep in ("xcomp", "advcl", "pcomp", "prep", "acomp", "pobj", "oprd", "attr"):
                here = tree.head(here)
            else:
                return []
        return []

    def governor(self, verb: Token) -> Token:
        """What a verb is coordinated with, or hangs from; `tells that it is sold and closes the file` put right."""
        tree = self.tree
        head = tree.head(verb)
        above = tree.head(head)
        told = verb.dep == "conj" and verb.tag in ("VBZ", "VBP") and not tree.kid(verb, "nsubj")
        return above if told and head.dep == "ccomp" and above.tag == verb.tag != head.tag else head

    def _antecedent(self, subject: Token, verb: Token) -> Token:
        """What `that` or `which` stands for."""
        return self.tree.head(verb) if verb.dep == "relcl" and subject.lower in ("that", "which") else subject

    def borrowed(self, verb: Token) -> Token | None:
        """The subject of a verb that was read as the last thing in a list: `rejects the claim or the clerk pays it`."""
        before = self.tree.tokens[verb.at - 1] if verb.at else None
        if verb.dep not in ("ccomp", "conj") or before is None or before.dep != "conj" or before.pos not in _NOUNS:
            return None
        return before if verb.tag in ("VBZ", "VBP") and self.tree.kid(verb, "mark") is None else None

    def passive(self, verb: Token) -> bool:
        """Whether a verb is in the passive, by itself or as one of several."""
        tree = self.tree
        if tree.kid(verb, "auxpass", "nsubjpass") or (verb.dep == "acomp" and verb.tag == "VBN"):
            return True
        told = verb.dep == "conj" and verb.tag in ("VBN", "VBD") and not tree.kid(verb, "nsubj", "aux", "dobj")
        return told and self.passive(self.governor(verb))

    def parts(self, verb: Token) -> Parts:
        """The phrases of a verb."""
        return _Reading(self, verb).parts


class _Reading:
    """The phrases of one verb while they are sorted."""

    def __init__(self, phrases: Phrases, verb: Token) -> None:
        self.of, self.tree, self.verb = phrases, phrases.tree, verb
        self.actors: list[Token] = []
        self.objects: list[Token] = []
        self.recipients: list[Token] = []
        self.manners: list[tuple[Token, ...]] = []
        self.clause: tuple[Token, ...] = ()  # the object where it is a clause
        self._objects()
        self._prepositions()
        self._subject()
        self._purpose()

    @cached_property
    def parts(self) -> Parts:
        """What was found."""

        def listed(heads: list[Token]) -> tuple[tuple[Token, ...], ...]:
            return tuple(dict.fromkeys(phrase for head in heads for phrase in self.of.listed(head)))

        objects = listed(self.objects) or ((self.clause,) if self.clause else ())
        return Parts(listed(self.actors), objects, listed(self.recipients), tuple(self.manners))

    def _objects(self) -> None:
        tree, verb = self.tree, self.verb
        for noun in tree.kids(verb, "dobj") or tree.kids(verb, "oprd"):
            if noun.pos not in _NOUNS:
                continue
            told = verb.lemma in words.TOLD and self.of.person(noun)
            (self.recipients if told else self.objects).append(noun)
        self.recipients += [noun for noun in tree.kids(verb, "dative") if noun.pos in _NOUNS]

    def _prepositions(self) -> None:
        tree, verb = self.tree, self.verb
        direct = list(self.objects)
        near = [verb, *direct, *tree.kids(verb, "advmod", "prt")]  # `sent back to the clerk` hangs from `back`
        near += [noun for prep in tree.kids(verb, "prep") for noun in tree.kids(prep, "pobj") if self.of.passive(verb)]
        hanging = [prep for word in near for prep in tree.kids(word, "prep", "dative", "agent")]
        for prep in hanging:
            noun = tree.kid(prep, "pobj") or next((tree.kid(kid, "pobj") for kid in tree.kids(prep, "prep")), None)
            if noun is None or noun.pos not in _NOUNS:
                continue
            if self._agent(prep, noun):
                (self.recipients if verb.lemma in words.GETS else self.actors).append(noun)
            elif prep.lower == "to":
                self._to(prep, noun)
            elif prep.head == verb.at and not direct and f"{verb.lemma} {prep.lower}" in words.phrasal_verbs():
                self.objects.append(noun)
            elif prep.lower in words.HOW and prep.head == verb.at < prep.at:
                self.manners.append(tuple(tree.under(prep)))
        if not self.objects and not self.of.passive(verb):
            about = [prep for prep in tree.kids(verb, "prep") if prep.lower in words.ABOUT and prep.at > verb.at]
            self.objects += [noun for prep in about[:1] for noun in tree.kids(prep, "pobj") if noun.pos in _NOUNS]

    def _agent(self, prep: Token, noun: Token) -> bool:
        """Whether a phrase names who does it: `by the clerk`, not `by hand` and `by the end of May`."""
        if prep.lower != "by" or not self.of.passive(self.verb):
            return False
        named = self.tree.kid(noun, "det", "poss") is not None or (noun.pos == "PROPN" and noun.text[0].isupper())
        acts = self.of.person(noun) or noun.lemma in words.acting_things()
        return acts or (prep.dep == "agent" and named)

    def _to(self, prep: Token, noun: Token) -> None:
        given = self.verb.lemma in words.GIVES and (bool(self.objects) or self.of.passive(self.verb))
        hangs = prep.head == self.verb.at or self.tree.head(prep).dep in ("advmod", "prt")
        if self.of.person(noun) or (given and hangs):
            self.recipients.append(noun)
        elif hangs:
            self.manners.append(tuple(self.tree.under(prep)))

    def _subject(self) -> None:
        verb = self.verb
        for noun in self.of.subjects(verb):
            if noun.dep == "csubj" or noun.pos not in _NOUNS:
                continue
            if self.of.passive(verb):
                if noun.lower == "it" and self.tree.kid(verb, "ccomp"):  # `it is decided whether …`
                    continue
                told = (verb.lemma in words.TOLD or bool(self.objects)) and self.of.person(noun)
                (self.recipients if told else self.objects).append(noun)
            elif verb.lemma in words.GETS:
                self.recipients.append(noun)
            elif self.of.person(noun) or (self.objects and not _names_nobody(noun)):
                self.actors.append(noun)
            elif not self.objects:  # `the letter arrives`
                self.objects.append(noun)
        if not self.objects and not self.of.passive(verb):
            self._shared()

    def _shared(self) -> None:
        """The object of a neighbour: `generate and send the order`, `writes a list and sends to the clerk`."""
        after = [kid for kid in self.tree.kids(self.verb, "conj") if kid.pos == "VERB"]
        before = self.of.governor(self.verb)
        plain = not self.tree.kid(self.verb, "prep", "ccomp", "xcomp", "acomp", "prt") and not self.recipients
        if after and plain:
            self.objects += self._own(after[0])
        elif self.verb.dep == "conj" and before.pos == "VERB" and self.recipients and self.verb.lemma in words.GIVES:
            self.objects += self._own(before)

    def _own(self, verb: Token) -> list[Token]:
        direct = [noun for noun in self.tree.kids(verb, "dobj") if noun.pos in _NOUNS]
        later = [kid for kid in self.tree.kids(verb, "conj") if kid.pos == "VERB" and not self.tree.kid(kid, "nsubj")]
        return direct or (self._own(later[0]) if later and not self.tree.kid(verb, "prep") else [])

    def _purpose(self) -> None:
        tree, verb = self.tree, self.verb
        for noun in self.objects:  # `gives an order to the waiter to fetch wine`
            self._infinitive(tree.kids(noun, "acl"), after=max((one.at for one in self.recipients), default=None))
        self._infinitive(tree.kids(verb, "advcl"), after=verb.at)
        for clause in tree.kids(verb, "advcl"):
            mark = tree.kid(clause, "mark")
            if mark is not None and mark.lower == "for" and not self.objects:  # `waits for the clerk to answer`
                self.clause = tuple(token for token in tree.under(clause) if token.at > mark.at)

    def _infinitive(self, clauses: list[Token], after: int | None) -> None:
        for clause in clauses:
            to = self.tree.kid(clause, "aux")
            marks = {kid.lower for kid in self.tree.kids(clause, "mark")}
            plain = to is not None and to.lower == "to" and marks <= words.PURPOSE
            if plain and after is not None and clause.at > after:
                self.manners.append(tuple(self.tree.under(clause)))
