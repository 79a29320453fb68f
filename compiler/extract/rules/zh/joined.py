"""Chinese words joined by `且` or `并` around an approval: what else has to hold, and who else approves."""

import re
from dataclasses import dataclass

from compiler.extract.rules.statements import Act
from compiler.extract.rules.zh.verdicts import verdict_words
from compiler.extract.rules.zh.words import Roles
from compiler.text.lexicon import lexicon
from compiler.text.sentences import Piece

PATTERN = lexicon("zh").patterns("joined")


@dataclass(frozen=True)
class ApprovalWords:
    """Where a clause says who approves.

    Args:
        match: the words that lead to the approver, the approver and the verb.
        named: the approver's words alone.
        stated: what else has to hold (`检测合格` of `经检测合格且主任同意`).
    """

    match: re.Match[str]
    named: Piece
    stated: Piece | None = None


def approval_words(piece: Piece, roles: Roles) -> ApprovalWords | None:
    """The words of an approval by somebody in a clause, None without.

    >>> from compiler.extract.rules.zh.sentences import ChineseReader
    >>> def read(text):
    ...     words = approval_words(Piece("b", 0, len(text), text), ChineseReader().roles)
    ...     return words and (words.named.text, words.stated and words.stated.text)
    >>> read("经检测合格且主任同意"), read("经法务部审查"), read("提交申请并经主任批准")
    (('主任', '检测合格'), ('法务部', None), ('主任', None))
    """
    pattern = roles.cues.pattern("approval_by")
    match = pattern.search(piece.text)
    if match and match[0].startswith("由") and PATTERN.refers.search(match["who"]):  # `由班长报请领导同意`
        match = pattern.search(piece.text, match.start() + 1)
    if match is None:
        return None
    beside = _stated_beside(piece, match, roles)
    if beside is not None:
        return ApprovalWords(match, beside[1], beside[0])
    if (another := PATTERN.another.search(match["who"])) is not None:
        match = pattern.search(piece.text, match.start("who") + another.start()) or match
    return ApprovalWords(match, piece.part(match.start("who"), match.end("who")))


def _stated_beside(piece: Piece, match: re.Match[str], roles: Roles) -> tuple[Piece, Piece] | None:
    """What has to hold beside an approval, and the approver; None where nothing stands beside it."""
    cuts = [cut for cut in PATTERN.joins.finditer(piece.text, 0, match.end("who")) if cut.start() > 1]
    if not cuts:
        return None
    cut = cuts[-1]
    stated = piece.part(0, cut.start())
    lead = PATTERN.leads.match(stated.text)
    stated = stated.part(lead.end() if lead else 0)
    named = roles.role(stated)
    acts = roles.subject(stated)[0] is not None or (named is not None and named.text == stated.text)
    if len(stated.text) < 2 or acts or roles.cues.modal(stated.text) is not None:
        return None
    inside = cut.start() > match.start()  # `检查合格并报主任批准` tells the examination as well
    judged = verdict_words(stated.text, roles.cues) is not None
    if not judged or (cut[0] == "并" and not inside):
        return None
    begin = max(cut.end(), match.start("who"))
    return stated, piece.part(begin, match.end("who"))


def approving_too(judged: Act, piece: Piece, begin: int, roles: Roles) -> Act | None:
    """The approval by a second one, joined to a first (`经安全部审核并主任同意`); None without.

    Args:
        judged: the first.
        begin: where its words end.
    """
    match = PATTERN.too.match(piece.text, begin)
    named = piece.part(match.start("who"), match.end("who")) if match else None
    who = roles.role(named) if named is not None else None
    if match is None or named is None or who is None or who.end != named.end:
        return None
    words, verb = piece.part(match.start("who"), match.end()), piece.part(match.start("verb"), match.end())
    outcomes = ("approved", "rejected")
    return judged.but(piece=words, actor=who, verb=verb, step_kind="approval", outcomes=outcomes)
