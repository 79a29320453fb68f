"""A document's body as provisions: pieces of text that may prescribe something, with their place in the clause tree."""

import re
from dataclasses import dataclass
from itertools import pairwise

from compiler.text.lexicon import Lexicon
from compiler.text.sentences import Piece
from ir.document import Block, Document
from ir.quantities.numerals import han_number

_INLINE = re.compile(r"[（(]([一二三四五六七八九十]{1,3}|\d{1,2}|[a-z])[）)]")
_TITLE_DEPTH, _TITLE_LENGTH = 9, 60  # a numbered title stands below every heading
_ANNEX = re.compile(r"[\s\d.]*(?:annex|appendix|schedule|attachment|附录|附件|附表)", re.IGNORECASE)
_QUESTIONS = (  # headings that ask what their section answers
    ("purpose", re.compile(r"why\b|what (?:it|this|the)\b.*\b(?:covers?|applies|is (?:for|about))\b|how to read\b")),
    ("duties", re.compile(r"who (?:does|is|decides) (?:what|who|responsible)\b")),
)
_ARTICLE = re.compile(r"第\s*([一二三四五六七八九十百零〇0-9]+)\s*[条條]")


_CONTROL = re.compile(
    r"(?!.*\b(?:is|are|was|be|the|to|by|has|have|if|when)\b)(?!.*[由应须按得])\s*(?:"
    r"(?:(?:document|doc|policy|procedure|form|file|record|reference|ref|sop|standard|control)\.?\s*"
    r"(?:(?:no|nr)\b\.?|number|id|code|ref)|(?:version|revision|rev|issue|edition|ref)\.?\s*"
    r"(?:(?:no|nr)\b\.?|number)?)\s*[:：#]?\s*"
    r"(?:[A-Z]{1,8}[-/. ]){0,6}[A-Z]{0,8}\d[\w./-]*(?!\w)"
    r"|(?:effective|issued|revised|approved|adopted|valid|last (?:updated|reviewed|revised)|next review|date)"
    r"\s*(?:date\s*)?"
    r"(?:(?:on|from|as of|of)\s+)?[:：]?\s*(?:\d{1,4}[ ./-]"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\s+\d)"
    r"|(?:文件|制度|规程|编|文|受控|记录|表单)(?:编)?号\s*[:：]?\s*[A-Z\d〔\[（(]"
    r"|(?:版本|版次|修订)(?:号|状态)?\s*[:：]?\s*(?:[A-Z]\b|[vV第]?\s*[\d一二三四五])"
    r"|(?:发布|实施|生效|修订|批准|编制|印发)(?:日期|时间)\s*[:：]?\s*\d)"
    r"(?!.*[a-z]{3}\.\s+[A-Z])[^。；]*$",
    re.IGNORECASE,
)
"""Lines of a title block: what a document is numbered, its version, since when it holds."""
ANNEX = "annex"  # the section of an annex: tables alone may prescribe in it


@dataclass(frozen=True)
class _Heading:
    """A heading above a provision; `text` has its label too."""

    level: int
    body: str
    address: str
    text: str


@dataclass(frozen=True)
class Provision:
    """A paragraph, list item or table of the body.

    Args:
        index: position among the document's blocks.
        piece: the words after the label; empty for a table.
        section: what kind of matter the headings above say it is (`definitions`, `duties`, …), None for the rest.
        headings: addresses of the headings that it stands under, the outermost first.
        article: number of the article it belongs to.
        within: `item` for a member of a list that runs on in the block, `rest` for what follows it there.
    """

    index: int
    block: Block
    piece: Piece
    section: str | None
    headings: tuple[str, ...]
    article: str | None
    within: str = ""


def provisions(document: Document, cues: Lexicon) -> list[Provision]:
    """The provisions of a document in reading order."""
    found: list[Provision] = []
    path: list[_Heading] = []
    article: str | None = None
    for index, block in enumerate(document.blocks):
        if block.tag is not None:
            continue
        if block.kind == "table":
            headings, section = tuple(above.address for above in path), _section(path, cues)
            found.append(Provision(index, block, Piece(block.address, 0, 0, ""), section, headings, article))
            continue
        if block.kind == "heading" or _is_numbered_title(document, index, cues):
            level = block.level if block.kind == "heading" else _TITLE_DEPTH
            here = _Heading(level, block.body, block.address, block.text)
            path = [*(above for above in path if above.level < level), here]
            article = article_number(block.label.text) if block.label else None
            continue
        if block.label and (number := article_number(block.label.text)):
            article = number
        elif block.parent is None:
            article = None
        piece = Piece(block.address, 0, len(block.text), block.text).part(block.body_start)
        if piece.text and not is_metadata(piece.text, cues) and not _is_title(block, cues):
            section, headings = _section(path, cues), tuple(above.address for above in path)
            lead, *items = _enumerated(piece)
            found.append(Provision(index, block, lead, section, headings, article))
            for item in items:
                label = _INLINE.match(item.text)
                words, place = (item.part(label.end()), "item") if label else (item, "rest")
                found.append(Provision(index, block, words, section, headings, article, place))
    return found


def _enumerated(piece: Piece) -> tuple[Piece, ...]:
    """A text cut before the members of a list that runs on in it: `…：（一）…；（二）…`, `…: (a) …; (b) …`.

    >>> [p.text for p in _enumerated(Piece("b", 0, 26, "有下列情形之一：（一）超期；（二）超额。其余从略。"))]
    ['有下列情形之一：', '（一）超期；', '（二）超额。', '其余从略。']
    """
    labels = list(_INLINE.finditer(piece.text))
    first = next((at for at, match in enumerate(labels) if match[1] in ("一", "1", "a", "i")), None)
    if first is None or not piece.text[: labels[first].start()].rstrip().endswith(("：", ":")):
        return (piece,)
    run = [labels[first]]
    for match in labels[first + 1 :]:
        if _follows(run[-1][1], match[1]):
            run.append(match)
    if len(run) < 2:
        return (piece,)
    last = re.compile(r"[。.](?=\s*\S)").search(piece.text, run[-1].end())
    end = last.end() if last else len(piece.text)
    bounds = [0, *(match.start() for match in run), end, len(piece.text)]
    return tuple(part for a, b in pairwise(bounds) if (part := piece.part(a, b)).text)


def _follows(one: str, other: str) -> bool:
    """Whether a number or letter comes right after another."""
    if one.isdigit() and other.isdigit():
        return int(other) == int(one) + 1
    if one.isascii() or other.isascii():
        return len(one) == len(other) == 1 and ord(other) == ord(one) + 1
    return han_number(other) == (han_number(one) or 0) + 1


def _is_title(block: Block, cues: Lexicon) -> bool:
    """Whether a line stands alone as a title does: short, without a mark of a sentence, a label or a duty."""
    if block.kind != "paragraph" or block.label is not None or len(block.text) > 60:
        return False
    return not re.search(r"[。；：，！？.!?;:]", block.text) and cues.modal(block.text) is None


def _is_numbered_title(document: Document, index: int, cues: Lexicon) -> bool:
    """Whether a numbered line only names what the clauses below it are about: `5.1 提出与核实` before `5.1.1`."""
    block = document.blocks[index]
    if block.label is None or block.kind == "table" or len(block.body) > _TITLE_LENGTH:
        return False
    if re.search(r"[。；：，！？.!?;:]", block.body) or cues.modal(block.body) is not None:
        return False
    after = next((b for b in document.blocks[index + 1 :] if b.tag is None), None)
    own = block.label.text.rstrip(".、．")
    return after is not None and after.label is not None and after.label.text.startswith(f"{own}.")


def is_metadata(text: str, cues: Lexicon) -> bool:
    """Whether a line only gives particulars of the document: keys with values, no sentence, no duty.

    >>> from compiler.text.lexicon import lexicon
    >>> is_metadata("编制部门：物流部　　批准：总经理", lexicon("zh")), is_metadata("第一步：关闭阀门", lexicon("zh"))
    (True, False)
    >>> [is_metadata(line, lexicon("en")) for line in ("Document no. HP-014, version 3", "Version 3 is filed.")]
    [True, False]
    """
    if len(text) > 120:
        return False
    if _CONTROL.match(text) and cues.modal(text) is None:
        return True
    keys = re.findall(r"(?:^|[\s　]{2,})([^：:，。；\s　]{1,12}(?: [^：:，。；\s　]{1,12})?)[：:]\s*\S", text)
    if not keys or re.search(r"[。；！？]|[.!?;]\s*$", text) or cues.modal(text):
        return False
    return not any(
        re.search(r"步|阶段|环节|step|phase|stage|^(?:if|yes|no|otherwise|optional)\b", key, re.IGNORECASE)
        for key in keys
    )


def article_number(label: str) -> str | None:
    """A canonical article number, so that `第十七条` and `第17条` are the same; other labels as they stand.

    >>> article_number("第十七条"), article_number("第17条第二款"), article_number("4.2")
    ('17', '17', '4.2')
    """
    match = _ARTICLE.search(label)
    if match:
        return match[1] if match[1].isdigit() else str(han_number(match[1]) or match[1])
    plain = re.search(r"\d+(?:\.\d+)*", label)
    return plain[0] if plain else None


def _section(path: list[_Heading], cues: Lexicon) -> str | None:
    if any(_ANNEX.match(f"{above.text} ") for above in path):
        return ANNEX
    for depth, above in enumerate(reversed(path)):
        heading = above.body
        if cues.language != "zh":
            matter = _english_section(heading, cues)
            if matter is not None and (depth == 0 or matter != "closing"):
                return matter
            continue
        plain = re.sub(r"^[\d.．、\s　]+|[\s　:：]", "", heading)
        parts = [part for part in re.split(r"[与和及、]", plain) if part]
        if len(parts) > 1 and all(part in cues.words("recurring_parts") for part in parts):
            return "recurring"
        others = [part for part in parts if not any(part in cues.words("sections", k) for k in cues.table("sections"))]
        for kind in cues.table("sections"):
            if kind == "closing" and others and len(parts) > 1:
                continue  # `通知与附则` says what is done, too
            words = cues.words("sections", kind)
            telling = cues.words("telling_headings")
            if plain in words or any(
                (word in plain and word in telling) or (plain.endswith(word) and len(word) > 3) for word in words
            ):
                return kind
    return None


def _english_section(heading: str, cues: Lexicon) -> str | None:
    """The matter of a section whose heading says nothing else: `Purpose and Scope`, `Reference: Contact List`.

    >>> from compiler.text.lexicon import lexicon
    >>> [_english_section(h, lexicon("en")) for h in ("1 Purpose & Scope", "Scope of this policy", "Monitor Scope")]
    ['purpose', 'purpose', None]
    """
    plain = re.sub(r"^[\d.\s(]+|[\s:.)]+$", "", heading.lower())
    plain = re.sub(
        r"\s+(?:of|for|to) (?:this|the) (?:policy|document|procedure|plan|guide|standard|process|manual)$", "", plain
    )
    if plain.split(":")[0] in cues.words("sections", "closing"):
        return "closing"
    question = next((kind for kind, asks in _QUESTIONS if asks.match(plain)), None)
    if question is not None:
        return question
    parts = [part for part in re.split(r"\s*(?:,|&|/|\band\b)\s*", plain) if part]
    for kind in cues.table("sections"):
        if plain in cues.words("sections", kind):
            return kind
    kinds = [next((k for k in cues.table("sections") if part in cues.words("sections", k)), None) for part in parts]
    return kinds[0] if kinds and all(kinds) else None


def label_shape(label: str) -> str:
    """What kind of label it is, whatever its number.

    >>> label_shape("（三）") == label_shape("（十二）"), label_shape("3.") == label_shape("（三）")
    (True, False)
    """
    return re.sub(r"[一二三四五六七八九十百0-9]+|(?<=[(（])[a-zA-Z]+(?=[)）])|^[a-zA-Z](?=[.)）])", "#", label)


def intro_kind(text: str) -> str:
    """What the list below an introduction holds: duties, definitions, conditions, requirements, things, or acts.

    >>> [intro_kind(t) for t in ("有下列情形之一的，不予受理：", "应当符合下列要求：", "应当按照下列程序办理：")]
    ['conditions', 'requirements', 'acts']
    """
    kinds = {
        "responsibilities": r"^(?!.*(?:\border\b|sequence|steps|依次|顺序|程序|步骤))(?:.*\bthe following (?:\w+ )?"
        r"(?:tasks|duties|responsibilities|functions|powers|competences)\b.*"
        r"|.*(?:职责|职能|职权|任务)(?:是|为|如下|包括|有)?)[：:]$",
        "definitions": r"含义|定义|用语|术语|means?:$|definitions?",
        "conditions": r"情形之一|情况之一|条件之一|任一|之一的|any of the following (?:appl|occur|condition)",
        "requirements": r"(?:要求|条件|规定|标准|原则)[：:]$|符合[下以][列下]|(?:requirement|condition)s?:$|criteria:$",
        "things": r"(?:材料|文件|资料|内容|信息|事项|证件|凭证|因素)[：:]$|documents?:$|information:$|materials?:$",
    }
    return next((kind for kind, pattern in kinds.items() if re.search(pattern, text.strip(), re.IGNORECASE)), "acts")
