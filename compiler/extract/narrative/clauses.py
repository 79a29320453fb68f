"""Which verbs of a sentence are acts, in which order, and on what conditions."""

import re
from collections.abc import Callable, Sequence

from compiler.extract.narrative import words
from compiler.extract.narrative.acts import Act, Guard, SentenceContent
from compiler.extract.narrative.conditions import Condition, conditions_of
from compiler.extract.narrative.phrases import Phrases
from compiler.text.dependencies import Token, Tree
from ir.source import Span

Place = Callable[[int, int], Span]  # offsets in the sentence to a span of the document
_MEANWHILE = re.compile(rf"\b(?:{'|'.join(words.MEANWHILE)})\b", re.IGNORECASE)
_FINITE = ("VBZ", "VBP", "MD")


class SentenceReader:
    """Reads one parsed sentence.

    Args:
        place: gives the document's span for offsets in the sentence.
        acting: nouns that act somewhere in the text.
    """

    def __init__(self, tree: Tree, place: Place, acting: frozenset[str]) -> None:
        self.tree, self.place = tree, place
        self.phrases = Phrases(tree, acting)
        self.conditions = conditions_of(tree)

    def read(self) -> SentenceContent | None:
        """What the sentence tells; None for one without a word."""
        tokens = self.tree.tokens
        if not tokens:
            return None
        verbs = [token for token in tokens if self._is_narrated(token)]
        stops = [token for token in verbs if self._bounds_process(token)]
        acts = [token for token in verbs if token not in stops]
        ordered = sorted(acts, key=self._time)
        guards = {verb: self._guard(verb, acts) for verb in verbs}
        ending = [guards[verb] for verb in stops if verb.lemma in words.ENDS]
        return SentenceContent(
            self.place(tokens[0].start, tokens[-1].end),
            tuple(self._act(verb, guards[verb]) for verb in ordered),
            self._meanwhile(),
            None if verbs or not self.conditions else self._shown(self.conditions[0]),
            next((guard for guard in ending if guard is not None), None),
        )

    # --- which verbs ------------------------------------------------------------------------------------------------

    def _is_narrated(self, verb: Token) -> bool:
        """Whether a verb says that something is done."""
        if verb.pos != "VERB" or self._in_condition(verb) or not self._main(verb):
            return False
        return not (verb.lemma in words.STATES or self._light(verb) or self._undone(verb) or self._remark(verb))

    def _undone(self, verb: Token) -> bool:
        """Whether it is denied, or was done before the account begins."""
        helpers = self.tree.kids(verb, "aux", "auxpass")
        past = any(kid.tag == "VBD" for kid in helpers) or (verb.tag == "VBD" and not helpers)
        past = past and (bool(helpers) or not self.phrases.passive(verb))
        return past or self.tree.kid(verb, "neg") is not None

    def _in_condition(self, token: Token) -> bool:
        return any(first <= token.at <= last for first, last in (one.extent for one in self.conditions))

    def _light(self, verb: Token) -> bool:
        """Whether a verb only says how the one that hangs from it is done."""
        return verb.lemma in words.ASPECT and self.tree.kid(verb, "xcomp") is not None

    def _remark(self, verb: Token) -> bool:
        """Whether the sentence speaks about what was told: `This is repeated`, `All of this must be done by noon`."""
        subject = self.tree.kid(verb, "nsubjpass", "nsubj")
        return subject is not None and subject.lower in ("this", "that", "all", "what", "there")

    def _main(self, verb: Token) -> bool:
        """Whether a verb stands where a sentence tells an act, not what is known, meant, aimed at or described."""
        tree, head = self.tree, self.tree.head(verb)
        marks = {kid.lower for kid in tree.kids(verb, "mark", "advmod") if kid.at < verb.at}
        to = any(kid.lower == "to" for kid in tree.kids(verb, "aux"))
        if verb.head == verb.at:
            return not (marks & words.OCCASION and self._perfect(verb))
        if verb.dep == "acomp":
            return verb.tag == "VBN" and head.lemma == "be" and self._main(head)
        if verb.dep == "conj":
            return self._coordinated(verb, self.phrases.governor(verb))
        if verb.dep == "advcl":
            return self._adverbial(verb, marks, to)
        if verb.dep == "pcomp":
            return head.lower in ("after", "upon") or (head.lower in ("for", "of") and self._able(tree.head(head)))
        if verb.dep == "xcomp":
            return self._complement(head)
        if verb.dep in ("ccomp", "parataxis", "dep"):
            free = not marks & {"that", "whether", "if", "how", "why", "what", "where"} and not to
            told = self._finite(verb) and (verb.at < head.at or tree.kid(head, "dobj") is not None)
            return free and (told or self._command(verb))
        if verb.dep == "relcl":
            return self._relative(verb, head)
        return verb.dep == "csubj"

    def _relative(self, verb: Token, noun: Token) -> bool:
        """Whether a relative clause goes on telling: `the clerk who signs it`, `the form, which is then signed`."""
        subject = self.tree.kid(verb, "nsubj", "nsubjpass")
        if subject is None or self._in_condition(noun) or not self._finite(verb):
            return False
        comma = subject.at > 0 and self.tree.tokens[subject.at - 1].text == ","
        return subject.lower == "who" or (subject.lower == "which" and comma)

    def _coordinated(self, verb: Token, head: Token) -> bool:
        if head.pos not in ("VERB", "AUX"):
            return verb.tag in _FINITE
        if self.tree.kid(verb, "mark") is not None:
            return False
        own = self.tree.kid(verb, "nsubj", "nsubjpass") is not None
        return self._finite(verb) if own else self._main(head)

    def _adverbial(self, verb: Token, marks: set[str], to: bool) -> bool:
        if marks & words.OCCASION or marks & words.BESIDE:
            return not self._perfect(verb)
        own = self.tree.kid(verb, "nsubj", "nsubjpass") is not None
        return not self.tree.kid(verb, "mark") and not to and own and self._finite(verb)

    def _complement(self, head: Token) -> bool:
        """Whether what hangs from this is done: from `starts`, `is able`, `the first step is`."""
        if head.lemma == "be":
            subject = self.tree.kid(head, "nsubj")
            return self.tree.kid(head, "acomp") is None and subject is not None and subject.lemma in words.STEP
        if head.pos in ("ADJ", "NOUN"):
            return self._able(head)
        return head.lemma in words.ASPECT and (self._main(head) or head.pos == "AUX")

    def _able(self, head: Token) -> bool:
        return head.lower in words.ABLE and not self._in_condition(head)

    def _finite(self, verb: Token) -> bool:
        return verb.tag in _FINITE or self.tree.kid(verb, "aux", "auxpass") is not None

    def _perfect(self, verb: Token) -> bool:
        """Whether it is told as done before: `once it has been checked`."""
        return any(kid.lemma == "have" for kid in self.tree.kids(verb, "aux"))

    def _command(self, verb: Token) -> bool:
        """Whether it is a command after a comma: `Once it is there, check it.`"""
        before = self.tree.tokens[verb.at - 1] if verb.at else None
        plain = verb.tag == "VB" and not self.tree.kid(verb, "aux", "nsubj")
        return plain and before is not None and before.text == ","

    def _bounds_process(self, verb: Token) -> bool:
        """Whether it is the process itself that begins or ends: `finishes the process instance`."""
        if verb.lemma not in words.BOUND:
            return False
        tree = self.tree
        return any(
            noun.lemma in words.WHOLE or any(kid.lemma == "process" for kid in tree.kids(noun, "compound"))
            for noun in (*tree.kids(verb, "nsubjpass", "dobj", "nsubj"), *self.phrases.subjects(verb))
        )

    # --- order ------------------------------------------------------------------------------------------------------

    def _time(self, verb: Token) -> tuple[int, int, int]:
        """What opens with `when` comes before what it opens, wherever it stands."""
        occasion = self._occasion(verb)
        if occasion is None:
            return verb.at, 1, verb.at
        return min(occasion.at, verb.at), 0, verb.at

    def _occasion(self, verb: Token) -> Token | None:
        """The verb of the main clause that a verb is the occasion of."""
        tree = self.tree
        while verb.dep == "conj" and not tree.kid(verb, "mark"):
            verb = tree.head(verb)
        marks = {kid.lower for kid in tree.kids(verb, "mark", "advmod")}
        if verb.dep == "advcl" and marks & (words.OCCASION | words.BESIDE):
            return tree.head(verb)
        return tree.head(tree.head(verb)) if verb.dep == "pcomp" and tree.head(verb).lower in words.OCCASION else None

    # --- conditions -------------------------------------------------------------------------------------------------

    def _guard(self, verb: Token, acts: Sequence[Token]) -> Guard | None:
        """The condition before a verb, or the one that closes the sentence."""
        before = [one for one in self.conditions if one.extent[1] < verb.at]
        after = [one for one in self.conditions if one.extent[0] > verb.at]
        if before and self._occasion(verb) is None:
            return self._shown(before[-1])
        if after and not any(act.at > after[0].extent[1] for act in acts):
            return self._shown(after[0])
        return None

    def _shown(self, condition: Condition) -> Guard:
        return Guard(self._span(*condition.cue), self._span(*condition.words) if condition.words else None)

    # --- acts -------------------------------------------------------------------------------------------------------

    def _act(self, verb: Token, guard: Guard | None) -> Act:
        parts = self.phrases.parts(verb)

        def spans(phrases: tuple[tuple[Token, ...], ...]) -> tuple[Span, ...]:
            return tuple(self._span(phrase[0].at, phrase[-1].at) for phrase in phrases if phrase)

        particle = self.tree.kid(verb, "prt")
        end = particle.at if particle is not None and particle.at == verb.at + 1 else verb.at
        return Act(
            verb=self._span(verb.at, end),
            lemma=verb.lemma,
            actors=spans(parts.actors),
            objects=spans(parts.objects),
            recipients=spans(parts.recipients),
            manners=spans(parts.manners),
            guard=guard,
            choice=self._choice(verb),
            beside=self._parallel_cue(verb),
        )

    def _choice(self, verb: Token) -> Span | None:
        """The `or` before a verb that is an alternative to the one before."""
        if verb.dep not in ("conj", "ccomp"):
            return None
        tree, head = self.tree, self.tree.head(verb)
        subjects = tree.kids(verb, "nsubj", "nsubjpass")
        clause = [verb, *tree.kids(verb, "aux"), *(token for kid in subjects for token in tree.under(kid))]
        borrowed = self.phrases.borrowed(verb)
        clause += tree.under(borrowed) if borrowed else []
        begins = min(token.at for token in clause)
        within = tree.tokens[head.at + 1 : verb.at]
        cues = [token for token in within if token.lower == "or" and (token.head == head.at or token.at == begins - 1)]
        following = tree.kid(verb, "conj")
        if not cues and following is not None and {token.lower for token in within} & {",", "and", "then"} == {","}:
            return self._choice(following)  # `accepts it, returns it or asks the director`
        return self._span(cues[-1].at, cues[-1].at) if cues else None

    def _parallel_cue(self, verb: Token) -> Span | None:
        mark = next((kid for kid in self.tree.kids(verb, "mark", "advmod") if kid.lower in words.BESIDE), None)
        return self._span(mark.at, mark.at) if mark is not None else None

    def _meanwhile(self) -> Span | None:
        tokens = self.tree.tokens
        text = " ".join(token.text for token in tokens[:6])
        match = _MEANWHILE.match(text)
        return self._span(0, len(match[0].split()) - 1) if match else None

    def _span(self, first: int, last: int) -> Span:
        return self.place(self.tree.tokens[first].start, self.tree.tokens[last].end)
