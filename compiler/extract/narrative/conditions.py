"""The conditions of a parsed sentence: the words that open them, and how far they go."""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler.extract.narrative import words
from compiler.text.dependencies import Token, Tree

_STANDS_ALONE = ("VBZ", "VBP", "VBD", "MD")
_GOES_ON = words.IF | {"and", "or", "which", "who", "that"}  # after a comma within a condition


@dataclass(frozen=True)
class Condition:
    """A condition, by the indices of first and last word.

    Args:
        cue: of the words that open it, `if`, `in case`, `otherwise`.
        words: of the condition after its cue; None for `otherwise`.
    """

    cue: tuple[int, int]
    words: tuple[int, int] | None

    @property
    def extent(self) -> tuple[int, int]:
        """First and last word, with the cue."""
        return (self.cue[0], self.words[1]) if self.words else self.cue


def conditions_of(tree: Tree) -> tuple[Condition, ...]:
    """The conditions of a sentence, in order."""
    found = [*_opened(tree), *_in_case(tree), *_phrased(tree)]
    return tuple(sorted(found, key=lambda one: one.cue))


def _opened(tree: Tree) -> Iterator[Condition]:
    """`if`, `unless`, `otherwise`."""
    for token in tree.tokens:
        if token.lower in words.IF and token.dep in ("mark", "advmod", "prep", "cc"):
            clause = tree.head(token)
            if clause.dep == "ccomp" and clause.at > tree.head(clause).at:
                continue  # `checks if it is complete`
            short = _short(tree, token)
            yield short or _clause(tree, (token.at, token.at), clause if clause.at > token.at else token)
        elif token.at == 0 and token.lower == "should" and tree.head(token).dep in ("advcl", "ccomp"):
            yield _clause(tree, (0, 0), tree.head(token))  # `Should it be missing, …`
        elif token.lower in words.OTHERWISE and token.dep != "amod":
            yield Condition((token.at, token.at), None)


def _short(tree: Tree, cue: Token) -> Condition | None:
    """`if necessary`, `if not`: a condition of one word, whatever the parser hangs from it."""
    if cue.at + 1 >= len(tree.tokens):
        return None
    word = tree.tokens[cue.at + 1]
    closed = cue.at + 2 >= len(tree.tokens) or tree.tokens[cue.at + 2].tag in (*_STANDS_ALONE, ",", ".")
    return (
        Condition((cue.at, cue.at), (word.at, word.at)) if word.tag in ("JJ", "VBN", "VBD", "RB") and closed else None
    )


def _in_case(tree: Tree) -> Iterator[Condition]:
    """`in case the form is incomplete`, `In case of doubt, …`; not `in this case`."""
    for before, case, following in zip(tree.tokens, tree.tokens[1:], tree.tokens[2:], strict=False):
        if (before.lower, case.lower) != ("in", "case"):
            continue
        clause = tree.kid(case, "acl", "relcl", "ccomp") or tree.head(tree.head(case))
        if following.lower == "of" and before.at == 0:
            yield _clause(tree, (before.at, following.at), following)
        elif clause.at > case.at and following.lower not in ("of", ","):
            yield _clause(tree, (before.at, case.at), clause)


def _phrased(tree: Tree) -> Iterator[Condition]:
    """`provided that the form is complete`."""
    said = [token.lower for token in tree.tokens]
    for phrase in words.IF_PHRASES:
        for first in range(len(said) - len(phrase)):
            if tuple(said[first : first + len(phrase)]) == phrase:
                last = first + len(phrase) - 1
                yield _clause(tree, (first, last), tree.tokens[last])


def _clause(tree: Tree, cue: tuple[int, int], top: Token) -> Condition:
    """The words after the cue that hang from the clause; up to the next mark where none do."""
    inside = {token.at for token in tree.under(top)}
    last = cue[1]
    while last + 1 < len(tree.tokens) and last + 1 in inside:
        last += 1
    if last == cue[1]:
        last = next((token.at - 1 for token in tree.tokens[cue[1] + 1 :] if token.text in (",", ".")), cue[1])
    last = _before_main(tree, cue[1], last)
    while last > cue[1] and tree.tokens[last].pos == "PUNCT":
        last -= 1
    return Condition(cue, (cue[1] + 1, last) if last > cue[1] else None)


def _before_main(tree: Tree, cue: int, last: int) -> int:
    """Where a condition ends that was read together with the clause that it is for: at the comma before that."""
    tokens = tree.tokens[: last + 1]
    finite = [token.at for token in tokens[cue + 1 :] if token.tag in _STANDS_ALONE]
    for token in tokens[cue + 1 : last]:
        parts = token.text == "," and finite and finite[0] < token.at < finite[-1]
        if parts and tokens[token.at + 1].lower not in _GOES_ON:
            return token.at - 1
    return last
