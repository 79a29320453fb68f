"""Words of Chinese policy prose that say how a run ends: refused, returned for correction, withdrawn, done."""

import re

from compiler.extract.rules.statements import Act, Statement
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.sentences import Piece
from ir.procedure import EndStatus

PATTERN = lexicon("zh").patterns("ends")


class Ends:
    """Reads how acts end the run.

    Args:
        cues: the words of Chinese.
    """

    def __init__(self, cues: Lexicon) -> None:
        self.cues = cues
        keys = ("rejected", "returned", "cancelled", "completed", "stop")
        self._words = tuple(word for key in keys for word in cues.words("ends", key))

    def ending(self, statement: Statement) -> Statement:
        ended = self.status(statement.piece.text)
        if ended == "returned" and PATTERN.money_back.search(statement.piece.text):
            return statement
        if not isinstance(statement, Act) or not ended or not statement.conditions:
            return statement
        return statement.but(ends=ended) if self._ends_with(statement.piece) else statement

    def _ends_with(self, piece: Piece) -> bool:
        """Whether an act's words close with those that end something (`…，终止办理`), not merely hold them."""
        return piece.text.endswith(self._words) or re.search(r"不予\S{2}$", piece.text) is not None

    def so(self, text: str) -> bool:
        """Whether the words that end something are the phrase's head, not part of a noun (`不予许可的依据`)."""
        heads = [re.escape(word) for word in self._words] + [r"不予\S{2}"]
        return any(re.search(head + r"(?![^，。；]*的)", text) for head in heads)

    def status(self, text: str) -> EndStatus | None:
        statuses: tuple[EndStatus, ...] = ("rejected", "returned", "cancelled", "completed")
        for status in statuses:
            if status == "returned" and PATTERN.money_back.search(text):
                continue
            if any(word in text for word in self.cues.words("ends", status)):
                return status
        refused = re.search(r"不予(?!处罚|追究|公开|理睬|\S{0,8}(?:决定书|通知书|告知书|文书))\S{2}", text)
        return "rejected" if refused or any(word in text for word in self.cues.words("ends", "stop")) else None
