"""The dependency parse of a sentence: each word hangs from another one, by a relation that has a name.

The names of the relations (`nsubj`, `dobj`, `advcl`, …) and tags are those of spaCy's English models.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

_ASIDE = r"\s+\([^()]*\)"
_BEFORE_MARK = r"(?<=\S) +(?=[.,;:)?!](?:\s|$))"
_POSSESSIVE = r" +(?=[’'](?:\s?s)?(?:\s|$))|(?<= [’']) (?=s\b)"
_BLANK = re.compile("|".join((_ASIDE, _BEFORE_MARK, _POSSESSIVE)))


@dataclass(frozen=True)
class Token:
    """A word or mark of a sentence.

    Args:
        at: its index in the sentence.
        start: offset in the sentence's text where it begins; `end` where it ends.
        lemma: its plain form in lower case.
        tag: Penn Treebank tag, `VBZ`, `NN`, …
        pos: universal part of speech, `VERB`, `NOUN`, …
        dep: the relation by which it hangs from `head`.
        head: index of the word that it hangs from; its own where it hangs from none.
    """

    at: int
    start: int
    end: int
    text: str
    lemma: str
    tag: str
    pos: str
    dep: str
    head: int

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


@dataclass(frozen=True)
class Tree:
    """A parsed sentence; it may have several roots."""

    tokens: tuple[Token, ...]

    @cached_property
    def _kids(self) -> dict[int, list[Token]]:
        kids: dict[int, list[Token]] = {token.at: [] for token in self.tokens}
        for token in self.tokens:
            if token.head != token.at:
                kids[token.head].append(token)
        return kids

    @property
    def roots(self) -> list[Token]:
        """The words that hang from none."""
        return [token for token in self.tokens if token.head == token.at]

    def kids(self, of: Token, *deps: str) -> list[Token]:
        """The words that hang from a word, by one of these relations or by any, in order."""
        return [kid for kid in self._kids[of.at] if not deps or kid.dep in deps]

    def kid(self, of: Token, *deps: str) -> Token | None:
        """The first of them."""
        return next(iter(self.kids(of, *deps)), None)

    def head(self, of: Token) -> Token:
        """What a word hangs from; itself for a root."""
        return self.tokens[of.head]

    def under(self, top: Token, without: Iterable[Token] = ()) -> list[Token]:
        """A word and all that hangs from it, in order, without some words and what hangs from these."""
        left_out = {token.at for token in without}

        def walk(token: Token) -> Iterator[Token]:
            if token.at not in left_out:
                yield token
                for kid in self._kids[token.at]:
                    yield from walk(kid)

        return sorted(walk(top), key=lambda token: token.at)

    def conjoined(self, first: Token) -> list[Token]:
        """A word and those coordinated with it (`the clerk and the cashier`), in order."""
        found = [first]
        for kid in self.kids(first, "conj"):
            found += self.conjoined(kid)
        return found


def tidied(text: str) -> tuple[str, list[int]]:
    """A text as it is printed, and where each of its characters stood.

    Blanks before punctuation are left out, and so are asides in brackets.

    >>> tidied("Stop ( now ) .")
    ('Stop.', [0, 1, 2, 3, 13])
    """
    gone = {at for match in _BLANK.finditer(text) for at in range(*match.span())}
    places = [at for at in range(len(text)) if at not in gone]
    return "".join(text[at] for at in places), places
