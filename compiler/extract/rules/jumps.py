"""Words that lead to another step: which step they mean, and what becomes of those that mean none."""

import re
from collections.abc import Mapping
from dataclasses import replace

from compiler.extract.rules.extraction_state import Draft, ExtractionState, likeness
from compiler.extract.rules.flows import Item
from compiler.extract.rules.provisions import article_number
from compiler.extract.rules.statements import Jump, Skip
from compiler.text.sentences import Piece

LIKE = 50.0  # of 100, from which on words name a step


class Jumps:
    """Gives the jumps and skips of a state the step that they speak of.

    Args:
        state: its items are changed in place.
        texts: the document's passages by address.

    Attributes:
        lost: the words of jumps for which no step was found, each with what it names.
        back: the words of jumps to a step before, which end the run as returned, since a flow has no loops.
    """

    def __init__(self, state: ExtractionState, texts: Mapping[str, str]) -> None:
        self._state, self._texts = state, texts
        self.lost: list[tuple[Piece, str]] = []
        self.back: list[Piece] = []
        drafts = {draft.id: draft for draft in state.drafts}
        for position, statement in state.jumps:
            item = state.items[position]
            target = self._named_step(statement, [drafts[name] for name in self._reachable(position)])
            if target is None and self._goes_back(position, statement):
                continue
            if target is None:
                self.lost.append((statement.piece, statement.target))
            led = replace(item, target=target) if item.kind == "jump" else replace(item, skips=target)
            state.items[position] = led if target else Item("skip", item.id, item.guard)
        for position, item in enumerate(state.items):
            if item.kind == "jump" and item.guard is None and not self._leaves_course(position):
                state.items[position] = Item("skip", item.id, None, skips=None, evidence=item.evidence)

    def _reachable(self, position: int) -> list[str]:
        """The steps that a jump may lead to, or a skip pass by.

        Those after it, and out of an urgent course those after every place from which it is entered.
        """
        items, item = self._state.items, self._state.items[position]
        steps = [(at, i) for at, i in enumerate(items) if i.kind == "step"]
        if item.kind == "skip":
            return [i.id for _, i in steps]
        if item.course is None:
            return [i.id for at, i in steps if at > position]
        inside = {i.id for i in items if i.course == item.course}
        entered = max((at for at, i in enumerate(items) if i.course is None and i.target in inside), default=-1)
        return [i.id for at, i in steps if i.id not in inside and at > entered]

    def _leaves_course(self, position: int) -> bool:
        """Whether a jump without condition is the last word of an urgent course, which so returns to the other."""
        item = self._state.items[position]
        after = (i for i in self._state.items[position + 1 :] if i.kind == "step")
        return item.course is not None and all(other.course != item.course for other in after)

    def _goes_back(self, position: int, statement: Jump | Skip) -> bool:
        """Whether `repeat step 3` names a step before."""
        item = self._state.items[position]
        label = statement.target
        numbered = label.startswith("第") or re.fullmatch(r"[A-Za-z.]+\s*#?\s*\d[\d.]*\S*", label) is not None
        if item.kind != "jump" or item.guard is None or not numbered:
            return False
        if self._named_step(statement, self._state.drafts) is None:
            return False
        self._state.items[position] = Item("end", item.id, item.guard, ends="returned", evidence=item.evidence)
        self.back.append(statement.piece)
        return True

    def _named_step(self, statement: Jump | Skip, drafts: list[Draft]) -> str | None:
        label = statement.target
        numbered = label.startswith("第") or re.fullmatch(r"[A-Za-z.]+\s*#?\s*\d[\d.]*\S*(?:\s\(\w+\))?", label)
        numbered = numbered or re.fullmatch(r"\d+(?:\.\d+)+|[A-H]|(?:part|phase|stage|section|step) [A-Z]", label, re.I)
        article = (article_number(label) or label) if numbered else None
        if article is not None:
            exact = next((draft.id for draft in drafts if draft.article == article), None)
            return exact or next((draft.id for draft in drafts if self._under(draft, article)), None)
        scored = [(likeness(label, "，".join(s.piece.text for s in draft.statements)), draft.id) for draft in drafts]
        score, best = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
        return best if score >= LIKE else None

    def _under(self, draft: Draft, number: str) -> bool:
        """Whether a step stands in the section of a number (`6.5`, `B`)."""
        if (draft.article or "").startswith(f"{number}."):
            return True
        marked = re.compile(rf"(?:(?:section|part|phase|step)\s+)?{re.escape(number)}(?![\w.])", re.IGNORECASE)
        return any(marked.match(self._texts[address]) for address in draft.headings)
