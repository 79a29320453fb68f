"""What the sentences of one document gave, before it is put in order."""

import re
from dataclasses import dataclass, field

from compiler.extract.rules.flows import Item
from compiler.extract.rules.statements import Act, ConditionCue, Jump, Skip
from ir.predicate import Tree
from ir.procedure import Constraint, UnplacedText


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


def likeness(words: str, text: str) -> float:
    """How much of the words stands in the text, in any order: bigrams shared, 0 to 100."""
    if words.isascii():
        wanted = {word[:5] for word in re.findall(r"[a-z]{3,}", words.lower())} - {
            "the",
            "and",
            "step",
            "stage",
            "proce",
        }
        return 100 * len(wanted & {word[:5] for word in re.findall(r"[a-z]{3,}", text.lower())}) / max(1, len(wanted))
    pairs = {words[i : i + 2] for i in range(len(words) - 1)}
    inside = {text[i : i + 2] for i in range(len(text) - 1)}
    return 100 * len(pairs & inside) / len(pairs) if pairs else 0.0
