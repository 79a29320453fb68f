"""The style sheets that a page holds, as a browser on a screen applies them; nothing is fetched."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.S)
_NESTED = re.compile(r"[^;{}]*\{[^{}]*\}")
_COMPOUND = re.compile(r"(\*|[a-z][\w-]*)?((?:[.#][\w-]+|\[[^\[\]]*\])*)", re.I)
_PART = re.compile(r"[.#][\w-]+|\[[^\[\]]*\]")
_ATTRIBUTE = re.compile(r"\[\s*([\w-]+)\s*(?:([~^$*|]?=)\s*[\"']?([^\"'\]]*)[\"']?\s*)?\]")
_COMBINED = re.compile(r"\s*>\s*|\s+")
_FEATURE = re.compile(r"\(\s*(min-|max-)?(width|height)\s*(:|[<>]=?)\s*([\d.]+)\s*(px|em|rem)?\s*\)")
_MEDIUM = re.compile(r"(?:(not|only)\s+)?([a-z-]+)?\s*(?:and\s*)?((?:\(.*\))?)", re.S)
_USUAL = re.compile(
    r"\(\s*(?:orientation\s*:\s*landscape|(?:any-)?hover\s*:\s*hover|(?:any-)?pointer\s*:\s*fine|color"
    r"|prefers-color-scheme\s*:\s*light|prefers-reduced-motion\s*:\s*no-preference|scripting\s*:\s*enabled)\s*\)"
)
_SCREEN = {"width": 1280.0, "height": 800.0}
_DECLARATION = re.compile(r"(?:[^;\"']|\"[^\"]*\"|'[^']*'|[\"'])+")
_BEFORE = re.compile(r"::?before$", re.I)
_LONGEST = 400_000
_MOST_PARTS = 8


@dataclass(frozen=True, slots=True)
class _Compound:
    """What one element has to be: name, ids, classes and attributes; and how it stands to the next on its left."""

    name: str
    parts: tuple[str, ...]
    child: bool = False

    def fits(self, element: Tag) -> bool:
        """Whether the element is such a one."""
        if self.name not in ("", "*") and element.name.lower() != self.name:
            return False
        return all(_has(element, part) for part in self.parts)

    @property
    def key(self) -> str:
        """The part by which a rule is found: the first id or class, else the name."""
        return next((part for part in self.parts if part[0] in ".#"), self.name or "*")


@dataclass(frozen=True, slots=True)
class _Rule:
    """Declarations with one selector, its compounds from right to left."""

    compounds: tuple[_Compound, ...]
    body: str
    weight: tuple[int, int, int, int]

    def selects(self, element: Tag) -> bool:
        """Whether the selector fits the element where it stands."""
        if not self.compounds[0].fits(element):
            return False
        found = [element]
        for left, right in zip(self.compounds, self.compounds[1:], strict=False):
            # What stands above the first of them stands above them all.
            above: Iterable[Tag | None] = [one.parent for one in found] if left.child else found[0].parents
            found = [one for one in above if isinstance(one, Tag) and right.fits(one)]
            if not found:
                return False
        return True


@dataclass(frozen=True)
class Sheet:
    """The rules of a page by the part under which they are found; `before_rules`, those for what stands before."""

    rules: Mapping[str, list[_Rule]]
    before_rules: Mapping[str, list[_Rule]] = field(default_factory=dict)
    _told: dict[int, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def from_soup(cls, soup: BeautifulSoup) -> "Sheet":
        """Read the page's `<style>` elements, as far as they hold for a screen."""
        rules: dict[str, list[_Rule]] = defaultdict(list)
        before: dict[str, list[_Rule]] = defaultdict(list)
        for style in soup.find_all("style"):
            if not holds_on_screen(str(style.get("media", "all"))):
                continue
            for selectors, body in _blocks(_COMMENT.sub("", style.get_text()[:_LONGEST])):
                for selector in selectors.split(","):
                    plain = _BEFORE.sub("", selector.strip())
                    kept = rules if plain == selector.strip() else before
                    rule = _rule(plain or "*", body, sum(map(len, kept.values())))
                    if rule and selector.strip():
                        kept[rule.compounds[0].key].append(rule)
        return cls(dict(rules), dict(before))

    def declarations(self, element: Tag) -> dict[str, str]:
        """What holds of the element: by weight of the selectors, its own `style` above them, what is important last."""
        told = self._told.get(id(element))
        if told is None:
            own = str(element.get("style") or "")
            told = self._told[id(element)] = _cascade(self._fitting(element, self.rules), own)
        return told

    def before(self, element: Tag) -> dict[str, str]:
        """What holds of the text that the sheet puts before the element."""
        return _cascade(self._fitting(element, self.before_rules))

    def _fitting(self, element: Tag, rules: Mapping[str, list[_Rule]]) -> list[_Rule]:
        """The rules for the element, the weightiest last."""
        keys = ["*", element.name.lower(), *(f".{name}" for name in element.get_attribute_list("class") if name)]
        if element.get("id"):
            keys.append(f"#{element.get('id')}")
        fitting = [rule for key in keys for rule in rules.get(key, ()) if rule.selects(element)]
        return sorted(fitting, key=lambda rule: rule.weight)


def _cascade(rules: Iterable[_Rule], own: str = "") -> dict[str, str]:
    """The declarations that hold, in lower case but for generated text."""
    usual: dict[str, str] = {}
    important: dict[str, str] = {}
    for body in (*(rule.body for rule in rules), own):
        for part in _DECLARATION.findall(body):
            key, _, words = part.partition(":")
            key = key.strip().lower()
            words = words.strip() if key == "content" else words.strip().lower()
            plain = words.removesuffix("!important").rstrip("! ")
            if key and plain:
                (important if plain != words else usual)[key] = plain
    return usual | important


def holds_on_screen(query: str) -> bool:
    """Whether a media query holds for a window of usual size on a computer's screen.

    >>> [holds_on_screen(query) for query in ("screen and (min-width: 600px)", "print", "(max-width:600px)")]
    [True, False, False]
    """
    return any(_medium_holds(part.strip().lower()) for part in query.split(",")) or not query.strip()


def _medium_holds(query: str) -> bool:
    match = _MEDIUM.fullmatch(query)
    if not match:
        return False
    features = re.findall(r"\([^()]*\)", match[3])
    holds = (match[2] or "all") in ("all", "screen") and all(map(_feature_holds, features))
    return holds != (match[1] == "not")


def _feature_holds(feature: str) -> bool:
    match = _FEATURE.fullmatch(feature)
    if not match:
        return _USUAL.fullmatch(feature) is not None
    screen, given = _SCREEN[match[2]], float(match[4].strip(".") or 0) * (16 if match[5] in ("em", "rem") else 1)
    if match[1] == "min-" or match[3].startswith(">"):
        return screen >= given
    return (match[1] == "max-" or match[3].startswith("<")) and screen <= given


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Selectors with their declarations; groups that hold on a screen are opened, others passed over."""
    at = 0
    while (start := text.find("{", at)) >= 0:
        prelude = text[at:start].rpartition(";")[2].strip()
        end = _closing(text, start)
        body = text[start + 1 : end]
        if not prelude.startswith("@"):
            yield prelude, _NESTED.sub("", body)
        elif prelude.startswith("@layer") or (prelude.startswith("@media") and holds_on_screen(prelude[6:])):
            yield from _blocks(body)
        at = end + 1


def _closing(text: str, start: int) -> int:
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return len(text)


def _rule(selector: str, body: str, order: int) -> _Rule | None:
    """The rule, None where the selector says more than what an element is and what it stands in."""
    words = _COMBINED.split(selector)
    links = _COMBINED.findall(selector)
    compounds = []
    for word, link in zip(words, ("", *links), strict=False):
        match = _COMPOUND.fullmatch(word)
        if not word or not match:
            return None
        compounds.append(_Compound((match[1] or "").lower(), tuple(_PART.findall(match[2])), ">" in link))
    if not 0 < len(compounds) <= _MOST_PARTS:
        return None
    parts = [part for compound in compounds for part in compound.parts]
    ids = sum(part[0] == "#" for part in parts)
    names = sum(compound.name not in ("", "*") for compound in compounds)
    return _Rule(tuple(reversed(compounds)), body, (ids, len(parts) - ids, names, order))


def _has(element: Tag, part: str) -> bool:
    if part[0] == "#":
        return str(element.get("id", "")) == part[1:]
    if part[0] == ".":
        return part[1:] in element.get_attribute_list("class")
    match = _ATTRIBUTE.fullmatch(part)
    if not match or not element.has_attr(match[1]):
        return False
    given, sought = " ".join(map(str, element.get_attribute_list(match[1]))), match[3] or ""
    return _COMPARED[match[2] or ""](given, sought)


_COMPARED: Mapping[str, Callable[[str, str], bool]] = {
    "": lambda given, sought: True,
    "=": lambda given, sought: given == sought,
    "~=": lambda given, sought: sought in given.split(),
    "^=": lambda given, sought: bool(sought) and given.startswith(sought),
    "$=": lambda given, sought: bool(sought) and given.endswith(sought),
    "*=": lambda given, sought: bool(sought) and sought in given,
    "|=": lambda given, sought: given == sought or given.startswith(f"{sought}-"),
}
