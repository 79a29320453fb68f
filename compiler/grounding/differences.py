"""Whether two wordings say the same, and where they part: a token alignment in which only harmless steps are free.

Letters alone do not tell: `30 days` is 98 % of `3 days`. So nothing is allowed that is not known to be harmless: a
function word more or less (`the`, `的`), a mark of punctuation, a plural s, British or American spelling, a compound
with or without hyphen, a number or unit in another notation (`三日`, `3 days`), an aside in brackets that a quote
leaves out, and what it leaves out openly with an ellipsis, as long as nothing guarded is among it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from compiler.grounding.tokens import Token, alike_key, guard_words

HARMFUL = 1000
"""Cost of a step that changes what is said; a whole alignment that costs less says the same."""
_OPEN, _CLOSE = "([", ")]"
_SENTENCE_ENDS = "。.!?;"


@dataclass(frozen=True)
class Part:
    """A run where the wordings part; either side may be empty. Tokens by index."""

    claimed: tuple[int, int]
    found: tuple[int, int]


@dataclass(frozen=True)
class Alignment:
    """How a claim lies on a text.

    Args:
        cost: below `HARMFUL` where both say the same.
        start, end: the text's tokens that the claim covers; equal where it covers none.
        parts: where they part harmfully, in order.
        same: content tokens that both have.
    """

    cost: int
    start: int
    end: int
    parts: tuple[Part, ...]
    same: int


_Step = tuple[int, int, int, int, int]
"""Cost, minus the tokens in common, minus where it begins, and the step before (i, j): the smallest is the best."""
_Table = list[list[_Step]]


def align(claim: Sequence[Token], text: Sequence[Token]) -> Alignment:
    """The cheapest way to lay a claim on some run of a text's tokens; what stands before and after is free.

    So a function word with which the claim begins or ends has to be there: beside it the text may have what it likes
    (`the staff` is not `no staff`).

    >>> from compiler.grounding.normalise import normalise
    >>> from compiler.grounding.tokens import tokens
    >>> there = tokens(normalise("Staff must report within 3 days of the event."))
    >>> [align(tokens(normalise(t)), there).cost for t in ("report in 3 days", "report within three days of event")]
    [2000, 1]
    """
    table: _Table = [[(0, 0, -at, -1, at) for at in range(len(text) + 1)]]
    grid = _Grid(claim, text, table)
    for i in range(1, len(claim) + 1):
        table.append([])
        for j in range(len(text) + 1):
            table[i].append(min(grid.steps_to(i, j)))
    last = min(range(len(text) + 1), key=lambda j: (table[-1][j][:3], j))
    return _traced(claim, text, table, last)


class _Grid:
    """A claim against a text: (i, j) is where i of the claim's tokens are laid and j of the text's are passed."""

    def __init__(self, claim: Sequence[Token], text: Sequence[Token], table: _Table) -> None:
        self.claim, self.text, self.table = claim, text, table
        self.asides = _asides(text)
        self.joint_claim, self.joint_text = ([_may_be_compound(token) for token in side] for side in (claim, text))
        telling = [n for n, token in enumerate(claim) if not token.idle] or [0]
        self.first, self.last = telling[0], telling[-1]

    def steps_to(self, i: int, j: int) -> Iterator[_Step]:
        """The ways to come to (i, j), each from an earlier place of the table."""
        a = self.claim[i - 1]
        yield self._from(i - 1, j, 1 if a.idle and not self._beside_words(i - 1, j) else HARMFUL)
        if j == 0:
            return
        b = self.text[j - 1]
        left_out = b.idle or (a.kind == "ellipsis" and not b.guarded and b.key not in _SENTENCE_ENDS)
        yield self._from(i, j - 1, 1 if left_out else HARMFUL)
        if (match := _match(a, b)) is not None:
            yield self._from(i - 1, j - 1, match, 0 if a.idle else 1)
        for n in (2, 3):
            if self.joint_claim[i - 1] and j >= n and _joins(a, self.text[j - n : j]):
                yield self._from(i - 1, j - n, 1, 1)
            if self.joint_text[j - 1] and i >= n and _joins(b, self.claim[i - n : i]):
                yield self._from(i - n, j - 1, 1, 1)
        if (opening := self.asides.get(j - 1)) is not None:
            yield self._from(i, opening, 1)

    def _from(self, i: int, j: int, cost: int, same: int = 0) -> _Step:
        before = self.table[i][j]
        return before[0] + cost, before[1] - same, before[2], i, j

    def _beside_words(self, n: int, j: int) -> bool:
        """Whether the claim's token n is a function word at its border, and the text has other words at that side."""
        if self.claim[n].kind != "harmless" or self.first < n < self.last:
            return False
        beside = j - 1 if n < self.first else j
        return 0 <= beside < len(self.text) and self.text[beside].kind != "mark"


def _match(a: Token, b: Token) -> int | None:
    """The cost of taking one token for the other; None where they say different things."""
    if a.kind == b.kind and a.key == b.key:
        return 0
    if a.kind == b.kind == "mark":
        return 1
    if {a.kind, b.kind} <= {"word", "harmless", "role"} and alike_key(a.key) == alike_key(b.key):
        return 1
    return None


def _may_be_compound(token: Token) -> bool:
    return token.kind == "word" and token.key.isascii() and token.key not in guard_words("en")["never_alike"]


def _joins(whole: Token, parts: Sequence[Token]) -> bool:
    """Whether a word is the others joined, as `parttime` is `part time` and `part-time`."""
    if len(parts) == 3 and parts[1].key != "-":
        return False
    outer = (parts[0].key, parts[-1].key)
    return all(key.isalpha() for key in outer) and "".join(outer) == whole.key


def _asides(text: Sequence[Token]) -> dict[int, int]:
    """The brackets that a quote may leave out: for each closing one the opening one, by index."""
    pairs, opened = dict[int, int](), list[int]()
    for at, token in enumerate(text):
        if token.kind == "mark" and token.key in _OPEN:
            opened.append(at)
        elif token.kind == "mark" and token.key in _CLOSE and opened:
            begin = opened.pop()
            if _aside(text[begin + 1 : at], text[begin].key):
                pairs[at] = begin
    return pairs


def _aside(inside: Sequence[Token], bracket: str) -> bool:
    """Whether what stands in brackets may be left out: a short name, a note's mark, or nothing that is guarded."""
    if bracket == "[" and len(inside) == 1 and inside[0].kind == "number":
        return True
    words = "".join(token.key + (" " if token.key.isascii() else "") for token in inside)
    if any(re.search(guard_words(language)["aside"], words) for language in ("zh", "en")):
        return not any(token.kind in ("number", "quantity", "date", "sign", "negation") for token in inside)
    return not any(token.guarded for token in inside)


def _traced(claim: Sequence[Token], text: Sequence[Token], table: _Table, last: int) -> Alignment:
    """Follow the cheapest way back, gathering its harmful runs, what both have, and where it begins and ends."""
    i, j = len(claim), last
    harmful: list[tuple[int, int, int, int]] = []
    end = None
    while i:
        cost, _, _, back_i, back_j = table[i][j]
        if back_i < i and back_j < j and end is None:
            end = j
        if cost - table[back_i][back_j][0] >= HARMFUL:
            harmful.append((back_i, i, back_j, j))
        i, j = back_i, back_j
    cost, same = table[len(claim)][last][:2]
    start, end = j, j if end is None else end
    parts = tuple(_facing(part, len(claim), start, end, len(text)) for part in _joined(harmful[::-1]))
    return Alignment(cost, start, end, parts, -same)


def _joined(steps: list[tuple[int, int, int, int]]) -> tuple[Part, ...]:
    """Runs of steps that follow each other, as one part each."""
    group, numbers = 0, []
    for at, one in enumerate(steps):
        if at and (steps[at - 1][1], steps[at - 1][3]) != (one[0], one[2]):
            group += 1
        numbers.append(group)
    runs = [[step for _, step in run] for _, run in groupby(zip(numbers, steps, strict=True), key=lambda pair: pair[0])]
    return tuple(Part((run[0][0], run[-1][1]), (run[0][2], run[-1][3])) for run in runs)


def _facing(part: Part, claimed: int, start: int, end: int, there: int) -> Part:
    """The part; where the claim's first or last words are not there, with as many of the words that stand instead."""
    (begin, stop), found = part.claimed, part.found
    if found[0] < found[1] or start == end:
        return part
    if begin == 0:
        return Part(part.claimed, (max(0, start - stop), start))
    return Part(part.claimed, (end, min(there, end + stop - begin))) if stop == claimed else part
