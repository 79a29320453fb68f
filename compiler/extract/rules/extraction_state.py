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

        Args:
            why: the words of the condition.
        """
        if not statement.words or statement.step_kind != "approval" or statement.actor is None:
            return False
        for at, item in enumerate(self.items):
            draft = next((draft for draft in self.drafts if draft.id == item.id), None)
            if draft is None or item.guard is None or not draft.first.words or draft.first.actor is None:
                continue
            same = draft.first.block_index == statement.block_index and draft.first.words == statement.words
            if same and draft.first.actor.text == statement.actor.text:
                held = item.guard
                cases = held.items if isinstance(held, Junction) and held.op == "or" else (held,)
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


def likeness(words: str, text: str) -> float:
    """How much of the words stands in the text, in any order: bigrams shared, 0 to 100."""
    if words.isascii():
        wanted = {word[:5] for word in re.findall(r"[a-z]{3,}", words.lower())}
        wanted -= {"the", "and", "step", "stage", "proce"}
        return 100 * len(wanted & {word[:5] for word in re.findall(r"[a-z]{3,}", text.lower())}) / max(1, len(wanted))
    pairs = {words[i : i + 2] for i in range(len(words) - 1)}
    inside = {text[i : i + 2] for i in range(len(text) - 1)}
    return 100 * len(pairs & inside) / len(pairs) if pairs else 0.0
