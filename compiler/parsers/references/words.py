"""Words that point to a place by its number, not yet resolved: `第五条第二款`, `clauses 4.2(b) and 4.3`, `步骤3`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from compiler.parsers.references.texts import Texts
from ir.quantities.numerals import han_number
from ir.source import Language

_N = r"(?:[一二三四五六七八九十百零〇]+|\d+)"
_ITEM = (
    rf"(?:第?[（(](?P<item>{_N})[）)](?:[项項]|(?=(?:[、，和及或至]\s*第?[（(]{_N}[）)])+[项項]))"
    rf"|第?(?P<plain>{_N})[项項])"
)
_SUBS = rf"(?:第(?P<clause>{_N})款)?{_ITEM}?(?:第?(?P<point>{_N})目)?"
_ZH = re.compile(
    rf"(?:第\s?(?P<article>{_N}(?:[、和及至]{_N})*)\s?[条條](?:之(?P<inserted>{_N}))?|(?P<here>本[条條款项項]|前款)(?=第)){_SUBS}"
    rf"|第(?P<part>{_N})(?P<unit>[章节節编編]|部分)|第(?P<dotted>\d+(?:\.\d+)+)[条條款项項]"
    r"|(?P<near>前款|前[条條]|前[项項]|上款|上[条條])"
    r"|(?:按照?|依照|依据|见|从|转入|符合|执行|违反|除)\s?(?:本\S{1,3})?(?P<decimal>\d+(?:\.\d+)+)(?![%％\d])"
    rf"|步骤\s?(?P<step>{_N})(?!\d|\s?[：:])"
    rf"|(?P<annexed>附[录錄]|附件|附表|(?<![代报報列发發])表|(?<![企意试試地])[图圖])\s?"
    rf"(?P<annex>[A-Z](?:\.\d+)*|\d+(?:[-.]\d+)*|{_N})(?![.\d．]|\s?[人名份张位次页])"
)
_MORE_ZH = re.compile(rf"\s*(?:、|，|以及|或者?|和|与|及|至|到)\s*(?:第(?P<clause>{_N})款)?{_ITEM}?")
_MORE_DECIMALS = re.compile(r"\s*(?:、|，|或者?|和|与|及|至|到)\s*(?P<decimal>\d+(?:\.\d+)+)(?![%％\d])")

_UNIT = (
    r"(?:sub-?)?(?:sections?|clauses?|paragraphs?)|paras?\.?|sec\.|cl\.|art\.|articles?|parts?|chapters?|titles?|annex(?:es)?"
    r"|appendix|appendices|schedules?|exhibits?|attachments?|tables?|figures?|fig\.|steps?|rules?|regulations?|items?|§{1,2}"
)
_FIGURE = r"\d{1,3}(?:[.-]\d{1,3})*(?-i:[A-Z]?)(?![\w%])|(?-i:[A-Z])(?![A-Za-z])|(?-i:[IVX]+)\b"
_BRACKETS = r"(?:\s?\([a-z0-9]{1,4}\))"
_EN = re.compile(
    rf"(?<![\w.])(?P<unit>{_UNIT})\s?(?:(?<=§)|(?<=[\s]))(?P<number>{_FIGURE})(?P<subs>{_BRACKETS}*)"
    rf"|\b(?P<lettered>(?:sub-?)?(?:paragraphs?|clauses?|sections?)|items?|points?)(?P<letters>{_BRACKETS}+)"
    r"|\b(?P<cue>see|under|in|of|with|to)\s+(?P<decimal>\d+\.\d+(?:\.\d+)*)(?P<more>(?:\s?\([a-z0-9]{1,4}\))*)(?![\d%])"
    r"|\bthe (?P<near>preceding|previous|foregoing) (?P<what>paragraph|section|article|clause|sub-?paragraph)\b",
    re.IGNORECASE,
)
_MORE_EN = re.compile(
    rf"(?:\s*,(?:\s*(?:and|or))?\s*|\s+(?:and|or|to|through)\s+|\s*[–-]\s*)(?P<number>{_FIGURE})(?P<subs>{_BRACKETS}*)"
)
_MORE_BRACKETS = re.compile(r"\s*(?:,|and|or|to)(?:\s*(?:and|or))?\s*(?P<subs>\([a-z0-9]{1,4}\))", re.IGNORECASE)
_INTO = re.compile(r",?\s*(?:of|in|to)\s+", re.IGNORECASE)
_POINTING = re.compile(
    r"(?:accordance|compliance|comply|complies|conformity) $"
    r"|(?:set out|described|specified|laid down|provided|given|listed|stated) $"
    r"|(?:pursuant|subject|refer|reference|according) $",
    re.IGNORECASE,
)
_NOUN = re.compile(
    r"\s(?!(?:shall|must|may|will|can|should|is|are|was|were|do|does|has|have|apply|applies|requires?|provides?|sets?|says?|states?"
    r"|covers?|deals?|governs?|contains?|describes?|lists?|gives?|means?|explains?|concerns?|remains?|above|below|hereof|of|and|or|to|in|on|for|with|by|when|if|unless|as|at|before|after|from|under|that|which|not|nor"
    r"|then|than|within|without|until|only|also|but|so|the|this|any|each|he|she|it|they|we|you)\b)[a-z]{2,}"
)
_UNITS = {
    "条": "article", "條": "article", "章": "chapter", "节": "section", "節": "section", "编": "part", "編": "part",
    "部分": "part", "表": "table", "图": "figure", "圖": "figure", "appendix": "annex", "appendice": "annex",
    "annexe": "annex", "schedule": "annex", "exhibit": "annex", "attachment": "annex", "fig.": "figure",
    "sec.": "section", "clause": "section", "cl.": "section", "paragraph": "section", "para": "section",
    "para.": "section", "item": "section", "art.": "article", "§": "section", "§§": "section", "phase": "step",
}  # fmt: skip


@dataclass(frozen=True)
class Mention:
    """Words that name a place.

    Attributes:
        start, end: where they stand.
        unit: `article`, `section`, `annex` …; `number` for a bare `4.2`; `here` and `near` for places around the words.
        number: as names of blocks have it: `5`, `5之1`, `4.2`, `c`, `ii`; the word itself for `here` and `near`.
        subs: what is meant inside it: `clause:2`, `item:3`.
        within: the place in which it is to be looked for, where one is named: `paragraph 2 of Annex A`.
        certain: nothing speaks for another text or a quantity, so that it dangles where there is no such place.
        own: it is said to be of this text, by the kind of text (`本办法第四条`).
        noun: a noun follows, as behind a quantity or the name of a programme.
    """

    start: int
    end: int
    unit: str
    number: str
    subs: tuple[str, ...] = ()
    within: "Mention | None" = None
    certain: bool = True
    own: str = ""
    noun: bool = False


def mentions(text: str, language: Language, title: str) -> Iterator[Mention]:
    """What a text says about places of its own document; what names another text's is left out."""
    texts = Texts(language, title)
    last, away, foreign = 0, False, -1
    for group in _chinese(text) if language == "zh" else _english(text):
        start, end = group[0].start, group[-1].end
        outer = group[0].within
        named = texts.is_other(text, start, end) or (outer and texts.is_other(text, outer.start, outer.end))
        away = bool(named) or (away and texts.goes_on(text[last:start]))
        last = end
        if away:
            foreign = end
            continue
        own = texts.own(text[:start])
        near = 0 <= foreign >= start - 300 and not texts.has_sentence_end(text[foreign:start])
        doubted = near and not texts.is_titled(own)
        for mention in group:
            yield replace(mention, certain=mention.certain and not doubted, own=own)


def unit_of(word: str) -> str:
    """The sort of place that a word names.

    >>> unit_of("Clauses"), unit_of("附表"), unit_of("表")
    ('section', 'annex', 'table')
    """
    word = word.lower()
    if word.startswith("附"):
        return "annex"
    word = re.sub(r"^sub-?", "", word)
    stem = word[:-1] if word.endswith("s") else word
    return _UNITS.get(word) or _UNITS.get(stem) or stem


def value_of(figure: str) -> str:
    """A Chinese or Arabic figure, or a letter, as names of blocks have it.

    >>> value_of("十二"), value_of("B"), value_of("4.2")
    ('12', 'b', '4.2')
    """
    if figure.isascii():
        return figure.lower()
    found = han_number(figure)
    return str(found) if found else ""


def _chinese(text: str) -> Iterator[list[Mention]]:
    at = 0
    while match := _ZH.search(text, at):
        group = list(_of_chinese(match))
        while group and (
            more := (_MORE_DECIMALS if group[-1].unit == "number" else _MORE_ZH).match(text, group[-1].end)
        ):
            if not any(more.groupdict().values()) or not (group[-1].subs or group[-1].unit == "number"):
                break
            group.append(_listed(group[-1], more))
        at = max(match.end(), group[-1].end if group else 0)
        if group:
            yield group


def _listed(before: Mention, more: re.Match[str]) -> Mention:
    """A further member of a list: of the same article, and of the same paragraph where it names none."""
    start = re.compile(r"[、，\s]*(?:以及|或者?|和|与|及|至|到)?\s*").match(more[0])
    begin = more.start() + (start.end() if start else 0)
    groups = more.groupdict()
    if groups.get("decimal"):
        return Mention(begin, more.end(), "number", groups["decimal"] or "")
    subs = _subs(groups)
    if not groups.get("clause"):
        subs = (*(sub for sub in before.subs if sub.startswith("clause:")), *subs)
    return replace(before, start=begin, end=more.end(), subs=subs)


def _of_chinese(match: re.Match[str]) -> Iterator[Mention]:
    groups = match.groupdict()
    start, end, subs = match.start(), match.end(), _subs(groups)
    if groups["article"]:
        figures = list(re.finditer(_N, groups["article"]))
        offset = match.start("article")
        for place, figure in enumerate(figures):
            final = place == len(figures) - 1
            begin = start if place == 0 else offset + figure.start()
            number = value_of(figure[0])
            if number and final and groups["inserted"]:
                number += f"之{value_of(groups['inserted'])}"
            if number:
                yield Mention(begin, end if final else offset + figure.end(), "article", number, subs if final else ())
    elif groups["part"] and value_of(groups["part"]):
        yield Mention(start, end, unit_of(groups["unit"]), value_of(groups["part"]))
    elif groups["dotted"] or groups["decimal"]:
        yield Mention(start, end, "number", groups["dotted"] or groups["decimal"])
    elif groups["step"]:
        yield Mention(start, end, "step", value_of(groups["step"]))
    elif groups["here"] or groups["near"]:
        yield Mention(start, end, "here" if groups["here"] else "near", groups["here"] or groups["near"], subs)
    elif groups["annex"] and value_of(groups["annex"]):
        yield Mention(start, end, unit_of(groups["annexed"]), value_of(groups["annex"]))


def _subs(groups: dict[str, str | None]) -> tuple[str, ...]:
    item = groups.get("item") or groups.get("plain")
    wanted = (("clause", groups.get("clause")), ("item", item), ("item", groups.get("point")))
    return tuple(f"{kind}:{value_of(number)}" for kind, number in wanted if number)


def _english(text: str) -> Iterator[list[Mention]]:
    at, before = 0, None
    while match := _EN.search(text, at):
        group = [_of_english(text, match)]
        several = (match["unit"] or "").lower().endswith(("s", "§§", "ices"))
        while more := _MORE_BRACKETS.match(text, group[-1].end) if group[-1].subs else None:
            subs = (*group[-1].subs[:-1], *_bracketed(more["subs"]))
            group.append(replace(group[-1], start=more.start("subs"), end=more.end(), subs=subs))
        while match["unit"] and (more := _MORE_EN.match(text, group[-1].end)):
            dotted = "." in more["number"] and "." in group[-1].number and not _NOUN.match(text, more.end())
            if not (several or dotted):
                break
            group.append(_numbered(match["unit"], more))
        if (
            before
            and re.fullmatch(r",?\s*", text[before.end : match.start()])
            and (match["letters"] or _is_inner(match))
        ):
            group = [replace(mention, within=before) for mention in group]
        elif into := _INTO.match(text, group[-1].end):
            outer = _EN.match(text, into.end()) or _EN.match(
                text, into.start() + len(into[0]) - len(into[0].lstrip(", "))
            )
            if outer and (outer["unit"] or outer["decimal"]) and (match["letters"] or _is_inner(match)):
                group = [replace(mention, within=_of_english(text, outer)) for mention in group]
        before = group[-1]
        at = group[-1].end
        yield group


def _is_inner(match: re.Match[str]) -> bool:
    """Whether a paragraph or an item is named, which may be that of an annex or a clause."""
    return (
        bool(re.match(r"(?:sub-?)?para|item|point", match["unit"] or "", re.IGNORECASE)) and "." not in match["number"]
    )


def _of_english(text: str, match: re.Match[str]) -> Mention:
    start, end = match.start(), match.end()
    noun = bool(_NOUN.match(text, end))
    if match["near"]:
        return Mention(start, end, "near", match[0].lower())
    if match["letters"]:
        return Mention(start, end, "here", "items", _bracketed(match["letters"]))
    if match["decimal"]:
        pointing = match["cue"].lower() == "see" or _POINTING.search(text[max(0, start - 16) : start]) is not None
        pointing = (
            pointing
            or match["decimal"].count(".") > 1
            or (match["cue"].lower() == "under" and text[end : end + 1] in ".,;)")
        )
        return Mention(start, end, "number", match["decimal"], _bracketed(match["more"]), certain=pointing, noun=noun)
    return _numbered(match["unit"], match, noun)


def _numbered(unit: str, match: re.Match[str], noun: bool = False) -> Mention:
    begin = match.start("unit") if "unit" in match.re.groupindex else match.start("number")
    number, subs = match["number"], _bracketed(match["subs"])
    lone = number == "I" and unit.islower()  # the article I wrote
    return Mention(begin, match.end(), unit_of(unit), value_of(number), subs, certain=not lone, noun=noun)


def _bracketed(text: str) -> tuple[str, ...]:
    return tuple(f"item:{mark.lower()}" for mark in re.findall(r"\(([a-z0-9]+)\)", text, re.IGNORECASE))
