"""The kinds into which a document divides its matters, so that `一般变更…；重大变更…` and `Tier 0` steer branches.

A document says its kinds where it divides (`变更分为一般变更和重大变更`, `classified as minor or major`), defines
them side by side (`市管道路，是指…`, `区管道路，是指…`), or numbers them (`甲类`, `Tier 0`, `class E`). Kinds that the
catalog knows are left to it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from compiler.text.lexicon import Lexicon
from compiler.text.mentions import Mentions
from compiler.text.sentences import Piece
from ir.document import Document
from ir.quantities.numerals import han_number

CODE = 3  # letters of what is a number rather than a name (`一类`)
_MEMBER = re.compile(r"、|以及|或者|[和与及或]|,\s*(?:or|and)?\s*|\s+(?:or|and)\s+")
_TERM = re.compile(r"(?:[（(]?[一二三四五六七八九十\d]+[）).、．]\s*)?(?P<term>[^，。；：\s]{3,10})[，：]?是?指")
_JOIN = r"(?:\s*(?:[、，,/]|或者?|和|与|及|以及|\bor\b|\band\b|, (?:or|and)\b)\s*)"


@dataclass(frozen=True)
class Division:
    """Kinds that exclude each other.

    Args:
        name: what a person reads of it.
        values: the kinds, in the document's words.
        head: the word that stands beside a number (`class`, `类`), empty where the kinds have names.
        place: where the document says it first.
    """

    name: str
    values: tuple[str, ...]
    head: str
    place: Piece


@dataclass(frozen=True)
class Kind:
    """A place where a text names one or more kinds of one division."""

    start: int
    end: int
    division: Division
    values: tuple[str, ...]


class Classes:
    """Finds the divisions of one document and where its texts name their kinds.

    Args:
        known: the catalog's concepts; what they name is no division.
    """

    def __init__(self, document: Document, cues: Lexicon, known: Mentions) -> None:
        self.cues, self._known = cues, known
        bodies = [Piece(b.address, 0, len(b.text), b.text) for b in document.blocks if b.kind != "table" and not b.tag]
        everything = "\n".join(body.text for body in bodies)
        found = [*self._divided(bodies), *self._defined(bodies), *self._numbered(bodies)]
        used = (d for d in found if all(len(list(self._word(d, v).finditer(everything))) > 1 for v in d.values[:2]))
        self.divisions: list[Division] = []
        for division in used:
            if not any(set(division.values) & set(other.values) for other in self.divisions):
                self.divisions.append(division)

    def find(self, text: str) -> list[Kind]:
        """The kinds that a text names, left to right; kinds of one division that stand in a row are one place."""
        found: list[tuple[int, int, Division, str]] = []
        for division in self.divisions:
            for value in sorted(division.values, key=len, reverse=True):
                for match in self._word(division, value).finditer(text):
                    if not any(start <= match.start() and match.end() <= end for start, end, *_ in found):
                        found.append((match.start(), match.end(), division, value))
            if division.head:
                found += list(self._listed(division, text))
        kinds: list[Kind] = []
        for start, end, division, value in sorted(found, key=lambda f: f[:2]):
            last = kinds[-1] if kinds else None
            if last and last.division == division and re.fullmatch(f"{_JOIN}?", text[last.end : start]):
                kinds[-1] = Kind(last.start, end, division, tuple(dict.fromkeys((*last.values, value))))
            else:
                kinds.append(Kind(start, end, division, (value,)))
        return [k for k in kinds if len(k.values) < len(k.division.values) or len(k.values) == 1]

    def subject(self, text: str) -> Kind | None:
        """The kind that a clause begins with, as what it is about: `重大变更由…`, `For systems of Tier 0 …`."""
        lead = self.cues.pattern("classes", "lead").match(text)
        at = lead.end() if lead else 0
        for kind in self.find(text):
            gap = text[at : kind.start]
            words = len(gap.split()) if self.cues.language != "zh" else len(gap)
            if kind.start >= at and words <= (3 if self.cues.language != "zh" else 0) and not re.search(r"[,;.]", gap):
                return kind
        return None

    def judged(self, text: str) -> Division | None:
        """The division among whose kinds an act chooses (`判定变更等级，分为…`, `assigns it to one of the classes`)."""
        if not self.cues.pattern("classes", "judges").search(text):
            return None
        for division in self.divisions:
            said = sum(self._word(division, value).search(text) is not None for value in division.values)
            if said > 1 or (division.head and _head_word(division.head).search(text)):
                return division
        return None

    # --- divisions ----------------------------------------------------------------------------------------------------

    def _divided(self, bodies: list[Piece]) -> Iterator[Division]:
        for body in bodies:
            for match in self.cues.pattern("classes", "divides").finditer(body.text):
                place = body.part(match.start("list"), match.end("list"))
                members = [m.strip() for m in _MEMBER.split(match["list"]) if m and m.strip()]
                if self.cues.language != "zh":
                    members = _without_head(members)
                short = all(1 < len(m) <= 24 for m in members)
                coded = all(len(m) <= CODE for m in members) and self._catalogued(members)
                if 2 <= len(members) <= 6 and short and not coded and not self._verdicts(members):
                    yield Division(place.text, tuple(members), "", place)

    def _defined(self, bodies: list[Piece]) -> Iterator[Division]:
        """Terms defined one after another that end in the same two characters or more (Chinese)."""
        if self.cues.language != "zh":
            return
        terms = []
        for body in bodies:
            match = _TERM.match(body.text)
            terms.append((match["term"], body) if match else None)
        for _, run in groupby(terms, key=lambda term: term[0][-2:] if term else None):
            members = [term for term in run if term is not None]
            names = tuple(name for name, _ in members)
            if 2 <= len(set(names)) <= 6 and not self._catalogued(list(names)):
                yield Division("、".join(names), names, "", members[0][1])

    def _numbered(self, bodies: list[Piece]) -> Iterator[Division]:
        places: dict[str, Piece] = {}
        codes: dict[str, Counter[str]] = {}
        for body in bodies:
            for match in self.cues.pattern("classes", "numbered").finditer(body.text):
                head = match["head"].lower().removesuffix("es" if match["head"].lower() == "classes" else "s")
                head = "class" if head == "clas" else head
                members = re.findall(r"\w+", _MEMBER.sub(" ", match["list"]))
                places.setdefault(head, body.part(match.start(), match.end()))
                codes.setdefault(head, Counter()).update(members)
        for head, counted in codes.items():
            values = tuple(self._named(head, code) for code in sorted(counted))
            if 2 <= len(values) <= 8 and not self._catalogued(list(values)):
                yield Division(head if self.cues.language != "zh" else f"{head}别", values, head, places[head])

    def _named(self, head: str, code: str) -> str:
        return f"{code}{head}" if self.cues.language == "zh" else f"{head.capitalize()} {code}"

    def _listed(self, division: Division, text: str) -> Iterator[tuple[int, int, Division, str]]:
        """Members of a list with one head (`Tier 1 or 2`, `甲、乙类`), each at its own place."""
        for match in self.cues.pattern("classes", "numbered").finditer(text):
            for code in re.finditer(r"[^\W_]+", match["list"]):
                value = self._named(division.head, code[0])
                start = match.start("list") + code.start()
                alone = text[match.start() : match.end()] == value
                if value in division.values and match["head"].lower().startswith(division.head) and not alone:
                    yield start, start + len(code[0]), division, value

    def _catalogued(self, members: list[str]) -> bool:
        return any(m.value is not None for name in members for m in self._known.find(name) if len(m.text) == len(name))

    def _verdicts(self, members: list[str]) -> bool:
        """Whether the members are ways in which a judgement comes out, not kinds of things."""
        words = {w for key in ("pass", "fail") for w in self.cues.words("verdict", key)}
        return any(member.strip("“”\"'") in words for member in members)

    @staticmethod
    def _word(division: Division, value: str) -> re.Pattern[str]:
        if not value[0].isascii():
            return re.compile(re.escape(value) + (r"(?!别)" if division.head else ""))
        return re.compile(rf"(?<![\w-]){re.escape(value)}(?![\w-])", re.IGNORECASE)


def _head_word(head: str) -> re.Pattern[str]:
    """How a text speaks of kinds without their numbers (`class`, `classes`, `类别`)."""
    return re.compile(rf"\b{head}(?:es|s)?\b" if head.isascii() else f"{head}别", re.IGNORECASE)


def _without_head(members: list[str]) -> list[str]:
    """`minor`, `major changes` as `minor`, `major`."""
    last = members[-1].split() if members else []
    return [*members[:-1], last[0]] if len(last) == 2 and all(len(m.split()) == 1 for m in members[:-1]) else members


@dataclass(frozen=True)
class NamedClasses:
    """Classes as words name them: what they are classes of, which ones, and the words for these."""

    name: str
    values: tuple[int, ...] | tuple[str, ...]
    quote: str


def named_classes(text: str, language: str) -> NamedClasses | None:
    """The classes that `class 3`, `Categories I and II` or `第一类、第二类` name; None where a text is nothing like it.

    >>> named_classes("zones 0 and 1", "en"), named_classes("第一类、第二类", "zh").values
    (NamedClasses(name='zone', values=(0, 1), quote='0 and 1'), (1, 2))
    """
    text = _BRACKETED.sub("", text)  # `第1类（爆炸品）和第7类（放射性物质）`
    if language == "zh":
        suffix = _SUFFIX_ZH.search(text)
        found = _NUMERAL_ZH.findall(text)
        if suffix and any("." in numeral for numeral in found):  # 2.1类 is no number, but a name
            return NamedClasses(_NAMES_ZH[suffix[0]], tuple(dict.fromkeys(found)), text)
        numerals = [int(n) if n.isdigit() else han_number(n) for n in found]
        known = tuple(n for n in dict.fromkeys(numerals) if n is not None)
        return NamedClasses(_NAMES_ZH[suffix[0]], known, text) if suffix and known else None
    match = _CLASSES.match(text)
    values = list(dict.fromkeys(_VALUE.findall(match["values"]))) if match else []
    if match is None or not values:
        return None
    quote, noun = match["values"], match["noun"].lower()
    noun = "category" if noun == "categor" else noun
    if all(value.isdigit() for value in values):
        return NamedClasses(noun, tuple(map(int, values)), quote)
    return NamedClasses(noun, tuple(values), quote)


def in_a_row(places: Iterable[tuple[int, int]], text: str) -> Iterator[tuple[int, int]]:
    """Places that name classes; those that only a joining word and the same noun part are one (`class 3 and class 5`).

    >>> list(in_a_row([(9, 16), (30, 37)], "Goods of class 3 and goods of class 5"))
    [(9, 37)]
    >>> list(in_a_row([(0, 7), (19, 25)], "class 3 must go to zone 1"))
    [(0, 7), (19, 25)]
    """
    begin, end = -1, -1
    for start, stop in places:
        if begin >= 0 and not _ROW.fullmatch(text[end:start]):
            yield begin, end
            begin = -1
        begin, end = (start if begin < 0 else begin), stop
    if begin >= 0:
        yield begin, end


_ROW = re.compile(
    r"(?:[（(][^（）()]*[）)])?[^，。；、和与及或不应须]{0,6}(?:、|或者?|[和与及]|以及)(?:属于)?"
    r"|(?:\s*\([^()]*\))?(?:\s[a-z]+){0,2},?\s+(?:and|or|nor)\s+(?:[a-z]+\s+){0,2}(?:of\s+)?"
)
_CLASSES = re.compile(
    r"(?P<noun>class|categor|grade|level|zone|type|tier|group|division|building|risk group|band|"
    r"rank|stage)(?:es|ies|y|s)?"
    r"\s+(?P<values>.+)$",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\s*[（(][^（）()]*[）)]")
_VALUE = re.compile(r"\b(?:[A-Z]|[IVX]+|\d+(?:\.\d+)?)[A-Za-z]?\b")
_NUMERAL_ZH = re.compile(r"[一二三四五六七八九十]+|\d+(?:\.\d+)?")
_SUFFIX_ZH = re.compile(r"等级|类|级|档|型")
_NAMES_ZH = {"类": "类别", "级": "级别", "等级": "等级", "档": "档次", "型": "型号"}
