"""What closes a document after its last clause: the list of annexes, signatures, issuer and date, who gets a copy."""

import re
from collections.abc import Sequence

from compiler.parsers.draft import Draft
from compiler.parsers.join import ends_sentence, is_title
from compiler.text.labels import ParsedLabel

_CLOSING = re.compile(
    r"特此(?:通知|通告|公告|函告|函复|批复|报告|说明|公布)|[（(](?:以下无正文|此件)|[抄主]\s?送\s?[：:]|联系人\s?[：:]|.{4,40}印发$"
    r"|[甲乙丙]方\s?[（(](?:盖章|签章|签字|公章|签名)|(?:法定代表人|授权代表|委托代理人|签字|签名|签章|盖章|签[署订]日期)[^，。]{0,12}[：:]"
    r"|in witness whereof\b|signed(?: and delivered)?(?: for and on behalf of| on behalf of|\s?:|$)|signed by\s?(?::|$)"
    r"|executed (?:as a deed|by)\b|signatures?\s?:|(?:approved|authori[sz]ed|prepared|reviewed) by\s?:"
    r"|approved this\b|dated this\b|yours (?:faithfully|sincerely)\b|\(signature page follows",
    re.I,
)
_ANNEXES = re.compile(r"(?:list of )?(?:attachments|annexes|appendices|schedules|enclosures?|encl?\.)\s?:", re.I)
_SENTENCE = re.compile(r"特此|in witness whereof\b|联系人|[（(]|(?:approved|dated) this\b", re.I)
_DATE = re.compile(
    r"[二一][〇○零O\d一二三四五六七八九]{3}\s?年.{1,3}月.{1,3}日|\d{4}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日"
)
_LONGEST = 160


def closing_pieces(drafts: Sequence[Draft], labels: Sequence[ParsedLabel | None]) -> frozenset[int]:
    """The positions of what closes a document or one of its annexes, from the line that opens it to its end."""
    body = [at for at, draft in enumerate(drafts) if draft.tag is None]
    found = set[int]()
    counted = False
    for place, at in enumerate(body):
        label = labels[at]
        if at not in found and counted and _opens(drafts, labels, body[place:]):
            found.update(_run(drafts, labels, body[place:]))
        counted = counted or (label is not None and label.ordered and label.kind != "annex")
    return frozenset(found)


def is_date(text: str) -> bool:
    """Whether the text is a date and nothing else.

    >>> is_date("二〇二四年三月五日"), is_date("2024 年 3 月 5 日"), is_date("2024年3月5日起施行。")
    (True, True, False)
    """
    return _DATE.fullmatch(text.strip()) is not None


def lists_annexes(draft: Draft, label: ParsedLabel | None) -> bool:
    """Whether a line opens the list of annexes: `附件：1.申请表`, `Attachments:`."""
    if label is None:
        return _ANNEXES.fullmatch(draft.text.strip()) is not None
    return label.kind == "annex" and not label.number and label.text.endswith((":", "："))


def _opens(drafts: Sequence[Draft], labels: Sequence[ParsedLabel | None], rest: Sequence[int]) -> bool:
    draft, label = drafts[rest[0]], labels[rest[0]]
    if draft.heading or draft.kind or len(draft.text) > _LONGEST:
        return False
    if lists_annexes(draft, label):
        return True
    if label is not None:
        return False
    if _CLOSING.match(draft.text):
        return not ends_sentence(draft.text.rstrip(":：")) or _SENTENCE.match(draft.text) is not None
    dated = len(rest) > 1 and is_date(drafts[rest[1]].text)
    return dated and is_title(draft.text) and not draft.bold and "第" not in draft.text


def _run(drafts: Sequence[Draft], labels: Sequence[ParsedLabel | None], rest: Sequence[int]) -> Sequence[int]:
    """The closing matter up to the next annex or text; none where clauses or long paragraphs follow in it."""
    taken = list[int]()
    last: int | None = None  # of the list of annexes
    for at in rest:
        draft, label = drafts[at], labels[at]
        counted = label is not None and label.ordered
        annex = label is not None and label.kind == "annex"
        if lists_annexes(draft, label):
            last = 1 if label and draft.text[label.end :].strip() else 0
        elif label and counted and not annex and last is not None and label.number == (last + 1,):
            last += 1
        elif counted or draft.heading or (draft.bold and is_title(draft.text)):
            return taken if label is None or annex else ()
        elif len(draft.text) > _LONGEST:
            return ()
        taken.append(at)
    return taken
