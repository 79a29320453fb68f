"""What the sentences of one document gave, before it is put in order."""

import re
from dataclasses import dataclass, field, replace

from compiler.extract.rules.flows import Item
from compiler.extract.rules.statements import Act, ConditionCue, Jump, Skip
from compiler.text.sentences import Piece
from ir.predicate import Junction, Tree, conjoin, negate
from ir.procedure import Constraint, UnplacedText
from ir.source import Evidence


@dataclass
class Draft:
    """A step while its statements are gathered."""

    id: str
    statements: list[Act]
    guard: Tree | None
    article: str | None
    headings: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()

    @property
    def first(self) -> Act:
        """The statement that named it."""
        return self.statements[0]

    @property
    def act(self) -> Act:
        """The same with what it can come to."""
        return self.first if self.first.outcomes == self.outcomes else self.first.but(outcomes=self.outcomes)


@dataclass
class ExtractionState:
    """What the sentences of one document gave, in order."""

    items: list[Item] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    conditions: list[tuple[ConditionCue, Tree]] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    unplaced: list[UnplacedText] = field(default_factory=list)
    jumps: list[tuple[int, Jump | Skip]] = field(default_factory=list)
    last_guard: Tree | None = None
    branches: tuple[Piece, tuple[Tree, ...]] | None = None  # the last sentence with cases, and its cases

    def branch(self, sentence: Piece, guard: Tree, *, rest: bool) -> None:
        """Remember a case of a sentence beside its others.

        Args:
            rest: it is what the cases before leave, which begins no new series.
        """
        if self.branches is not None and self.branches[0] == sentence:
            known = self.branches[1]
            self.branches = sentence, known if guard in known else (*known, guard)
        elif not rest:
            self.branches = sentence, (guard,)

    def joins_row(self, statement: Act, guard: Tree, why: tuple[Evidence, ...]) -> bool:
        """Whether another row of one table names the same approver: then it is one approval, in either row's case.

        Unless it has another deadline there, or others approve in these rows whose order one step for both would lose.

        Args:
            why: the words of the condition.
        """
        if not statement.words or statement.step_kind != "approval" or statement.actor is None:
            return False
        known = {draft.id: draft for draft in self.drafts if draft.first.block_index == statement.block_index}
        rows = [(at, item, known[item.id]) for at, item in enumerate(self.items) if item.id in known]
        for at, item, draft in rows:
            first = draft.first
            if first.actor is None or first.actor.text != statement.actor.text or first.words != statement.words:
                continue
            cases = _cases(item.guard)
            others = (o for _, o, other in rows if _heading(other.first) != _heading(first))
            beside = any(case in _cases(o.guard) for o in others for case in cases)
            later = any(guard in _cases(other.guard) for place, other, _ in rows if place > at)
            if item.guard is None or later or beside or _times(first) != _times(statement):
                continue
            if guard not in cases:
                draft.guard = Junction("or", (*cases, guard))
                self.items[at] = replace(item, guard=draft.guard, evidence=(*item.evidence, *why))
            return True
        return False

    def left_over(self, *, all_cases: bool) -> Tree | None:
        """What is left when the case before does not hold; None where there is none.

        Args:
            all_cases: and none of the other cases of its sentence.
        """
        if self.last_guard is None:
            return None
        cases = self.branches[1] if self.branches is not None and all_cases else ()
        whole = conjoin(*(negate(case) for case in cases))
        return whole if self.last_guard in cases else negate(self.last_guard)


def _cases(guard: Tree | None) -> tuple[Tree, ...]:
    """The cases of which any is enough for a condition."""
    if guard is None:
        return ()
    return guard.items if isinstance(guard, Junction) and guard.op == "or" else (guard,)


def _heading(statement: Act) -> str:
    """What the column of a table says that an approver does."""
    return statement.words.removesuffix(statement.actor.text if statement.actor is not None else "")


def _times(statement: Act) -> tuple[str | None, ...]:
    return tuple(cue.duration for cue in statement.deadlines)


def likeness(words: str, text: str) -> float:
    """How much of the words stands in the text, in any order: bigrams shared, 0 to 100."""
    if words.isascii():
        wanted = {word[:5] for word in re.findall(r"[a-z]{3,}", words.lower())}
        wanted -= {"the", "and", "step", "stage", "proce"}
        return 100 * len(wanted & {word[:5] for word in re.findall(r"[a-z]{3,}", text.lower())}) / max(1, len(wanted))
    pairs = {words[i : i + 2] for i in range(len(words) - 1)}
    inside = {text[i : i + 2] for i in range(len(text) - 1)}
    return 100 * len(pairs & inside) / len(pairs) if pairs else 0.0
