"""English acts whose agent stands elsewhere: in the members of a list (`is examined: by X; by Y`), or after them."""

import re
from collections.abc import Sequence
from typing import Protocol

from compiler.extract.rules.provisions import Provision
from compiler.extract.rules.statements import Act, ConditionCue, Statement
from compiler.text.lexicon import lexicon
from compiler.text.sentences import Piece

PATTERN = lexicon("en").patterns("lists")


class Reader(Protocol):
    """Reads roles out of phrases."""

    def role(self, piece: Piece) -> Piece | None:
        """The role that a phrase names, None where it names none."""


def with_common_agent(statements: list[Statement]) -> list[Statement]:
    """Acts without agent with the one of a sentence after them that only says who does them (`Both are done by X`)."""
    result: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Act) and statement.actor is not None and PATTERN.done_by.match(statement.piece.text):
            result = [s.but(actor=statement.actor) if isinstance(s, Act) and s.actor is None else s for s in result]
        else:
            result.append(statement)
    return result


def led_agents(
    statements: Sequence[Statement], members: Sequence[Provision], reader: Reader
) -> dict[Piece, tuple[Statement, Statement]]:
    """The acts of list members that go on with the agent of the passive above them, with that passive.

    `The notification is examined at the same time: by the Land Office; by the Health Office where wells are near.` is
    two acts. Every member has to begin so.
    """
    lead = next((s for s in reversed(statements) if isinstance(s, Act)), None)
    if lead is None or lead.actor is not None or lead.verb is None or not members:
        return {}
    found: dict[Piece, tuple[Statement, Statement]] = {}
    for at, member in enumerate(members):
        by = PATTERN.by.match(member.piece.text)
        if by is None:
            return {}
        rest = member.piece.part(by.end())
        case = PATTERN.case.search(rest.text)
        who = reader.role(rest.part(0, re.search(r"[,;.]|\s(?:where|if|when|unless|in|for|as)\b|$", rest.text).start()))  # type: ignore[union-attr]
        if who is None:
            return {}
        conditions = lead.conditions
        if case is not None:
            mode = "unless" if case["opener"] == "unless" else "when"
            conditions = (*conditions, ConditionCue(rest.part(case.start("case"), case.end("case")), mode))  # type: ignore[arg-type]
        said = f"{lead.piece.text.rstrip(':')} {member.piece.text.rstrip(' ;,.')}"
        act = lead.but(
            piece=member.piece, sentence=member.piece, actor=who, verb=None, conditions=conditions, words=said,
            block_index=member.index, parallel=lead.parallel and at > 0, outcomes=(),
        )  # fmt: skip
        found[member.piece] = (act, lead)
    return found
