"""Whether a clause is said to be of another text: `《安全生产法》第三十条`, `Article 6 of the Regulation`."""

import re
from dataclasses import dataclass

from ir.source import Language

_OTHER_ZH = re.compile(
    r"(?:》(?:（[^）]*）)?|法|条例|公约|标准|规范|章程|合同|协议|\d号|[A-Z]{2,}(?:/[A-Z])?\s?\d[\d.:—–-]*)[^，。；、本]{0,8}$"
)
_OWN_ZH = re.compile(r"本(法|条例|办法|规定|规则|制度|程序|规程|细则|标准|预案|合同|协议|章程|章|节)$")
_KIND_ZH = re.compile(r"(?:合同|协议|章程)$")
_AND = re.compile(r"\s*(?:[、，,和及与至或]|以及|或者|and|or|to)\s*", re.IGNORECASE)
_LAWS = (
    r"Acts?|Laws?|Code|Regulations?|Directive|Convention|Treaty|Ordinance|Statute|Agreement|Contract|Lease|Standard|Manual"
    r"|Policy|Handbook|Guide|Rules|SOP|GDPR"
)
_PLAIN_EN = re.compile(rf"\s*,?\s*(?:of|to|in) (?:the |that |an? )?(?P<name>(?:[\w-]+ ){{0,6}}?(?:{_LAWS}))\b")
_NAMED_EN = re.compile(
    r"\s*,?\s*(?:of|in) (?:the |that |an? )?"
    r"(?P<name>[A-Z][\w/&.'’-]*(?: (?:(?:of|and|the|for|on) )*[A-Z0-9(][\w/&.:'’-]*)*)"
)
_NAMED_TO = re.compile(r"\s*,?\s*to (?:the |that |an? )?(?P<name>[A-Z][\w/&.'’-]*(?: [A-Z0-9(][\w/&.:'’-]*)*)")
_PLACE = re.compile(r"(?:Section|Clause|Article|Part|Chapter|Annex|Appendix|Schedule|Paragraph|Title|Rule)s? [\dA-Z]")
_CODED = re.compile(r" [A-Z]{3,}\b(?! [A-Z])")
_BEFORE_EN = re.compile(
    rf"(?:{_LAWS}|ISO|IEC|EN)[\w\s./:-]{{0,14}},?\s*$|\b[A-Z]{{3,}}[A-Z/-]* ?\d[\w.:-]*,\s*$"
    r"|\d+ (?:CFR|C\.F\.R\.|U\.S\.C\.),?\s*$"
    rf"|(?:{_LAWS})(?: \d{{4}})? \([^)]*$"
)
_OWN_EN = re.compile(r"\b(this|these|This|These) (?:[A-Z][\w-]* ?){1,4}[\w\s./-]{0,14},?\s*$")


@dataclass(frozen=True)
class Texts:
    """Tells the text that words stand in from those that it names, by its language and its title."""

    language: Language
    title: str

    def is_other(self, text: str, start: int, end: int) -> bool:
        """Whether what is named from `start` to `end` is said to be another text's."""
        before, after = text[max(0, start - 60) : start], text[end : end + 120]
        if self.language == "zh":
            found = _OTHER_ZH.search(before[-40:])
            return found is not None and not (_OWN_ZH.search(before) or self._is_own_kind(before))
        if _BEFORE_EN.search(before) and not _OWN_EN.search(before):
            return True
        name = _PLAIN_EN.match(after) or _NAMED_EN.match(after)
        if name is None and re.match(r"(?:annex|appendix|schedule|exhibit|attachment)", text[start:end], re.IGNORECASE):
            name = _NAMED_TO.match(after)
        if name:
            return not (_PLACE.match(after, name.start("name")) or self._is_title(name["name"]))
        return _CODED.match(after) is not None and not text[start:end].isupper()

    def own(self, before: str) -> str:
        """The words before that say that a clause is of this very text (`办法` of `本办法`), else nothing."""
        own = (_OWN_ZH if self.language == "zh" else _OWN_EN).search(before[-60:])
        return own[1] if own else ""

    def is_titled(self, own: str) -> bool:
        """Whether a text that is called `本办法` bears that word in its title."""
        if self.language != "zh":
            return bool(own)
        return own != "" and (own in "章节" or own in self.title.replace("办法" if own == "法" else "\0", ""))

    def goes_on(self, between: str) -> bool:
        """Whether one more place of the text named before follows."""
        return _AND.fullmatch(between) is not None

    def has_sentence_end(self, between: str) -> bool:
        """Whether a sentence ends in between."""
        return re.search(r"[。；;\n]|\.\s", between) is not None

    def _is_own_kind(self, before: str) -> bool:
        """Whether the kind of text that is named without a name is this text's: `合同第八条` in a contract."""
        kind = _KIND_ZH.search(before)
        return kind is not None and kind[0] in self.title

    def _is_title(self, name: str) -> bool:
        """Whether the words of a name are all in the title."""
        words = {word.lower() for word in re.findall(r"[A-Za-z]+", name)} - {"of", "the", "and", "for", "on"}
        return words <= {word.lower() for word in re.findall(r"[A-Za-z]+", self.title)}
