"""The words of the text form of a condition or a formula, each with its column."""

import difflib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from ir.faults import Vanished, fraction
from ir.predicate import ConditionError, Ref

_SPOKEN = {"&&": "and", "||": "or", "!": "not", "且": "and", "或": "or", "非": "not", "×": "*", "÷": "/", "−": "-"}
_QUOTES = dict(zip("\"'“‘「『＂＇”’", "\"'”’」』＂＇”’", strict=True))
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WIDE = {code + 0xFEE0: code for code in range(0x21, 0x7F)} | {
    ord("、"): ord(","),
    ord("【"): ord("["),
    ord("】"): ord("]"),
}

_REFERENCE = re.compile(r"\$[A-Za-z0-9_.-]*[A-Za-z0-9_-]|\$")
_PATH = re.compile(r"(?:\.[A-Za-z_][A-Za-z0-9_-]*)*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)*|[^\W\dA-Za-z_且或非]+")
_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![A-Za-z0-9_.])")
_SIGNED = re.compile("[-+]?" + _NUMBER.pattern)
_NUMBER_LIKE = re.compile(r"[0-9][A-Za-z0-9_.]*")
_SYMBOL = re.compile(r"==|!=|<=|>=|&&|\|\||[=<>≠≤≦≥≧!()\[\]{},:且或非]")
_ARITHMETIC = re.compile(_SYMBOL.pattern.replace("[=<>", "[-+*/%×÷−=<>"))
_LONGEST_NUMBER = 40

Result = TypeVar("Result")
Kind = Literal["word", "symbol", "reference", "unknown", "number", "string", "end"]


@dataclass(frozen=True)
class Lexicon:
    """What words a text form has.

    Args:
        words: those that stand for themselves.
        number, symbol: what numbers and symbols look like.
    """

    words: frozenset[str]
    number: re.Pattern[str] = _SIGNED
    symbol: re.Pattern[str] = _SYMBOL


_SHARED = frozenset(("and", "or", "not", "in", "is", "true", "false", "null"))
CONDITIONS = Lexicon(_SHARED | {"contains", "exists", "is_null"})
FORMULAS = Lexicon(_SHARED | {"if", "then", "else", "for", "return", "item"}, _NUMBER, _ARITHMETIC)


class InfixError(ValueError):
    """A text is no condition, or no formula.

    Args:
        column: of the fault, in code points from 1.
        found: the word that stands there, empty at the end of the text.
        expected: what should.
    """

    def __init__(self, column: int, found: str, expected: str) -> None:
        self.column, self.found, self.expected = column, found, expected
        shown = found if len(found) <= 60 else f"{found[:60]}…"
        super().__init__(f"column {column}: found {f'`{shown}`' if found else 'the end'}, expected {expected}")


@dataclass(frozen=True)
class Word:
    """One word of the text; `value` is what it stands for."""

    kind: Kind
    text: str
    column: int
    value: str | int | float = ""


def read_words(text: str, names: Mapping[str, str], lexicon: Lexicon = CONDITIONS) -> Iterator[Word]:
    """The words of a text, closed by an `end`."""
    plain = text.translate(_WIDE)
    known = sorted(names, key=len, reverse=True)
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        token = _string(text, at) if text[at] in _QUOTES else _word(text, plain, at, known, names, lexicon)
        yield token
        at += len(token.text)
    yield Word("end", "", len(text) + 1)


class Cursor:
    """What a recursive descent over words needs, whatever it makes of them.

    Args:
        words: of the text; they are read as they are needed.
        known: what an unknown word may have been meant for.
        deepest: how many things may be nested.
        expected: what could stand in an unknown word's place.
    """

    def __init__(self, words: Iterator[Word], known: Iterable[str], deepest: int, expected: str) -> None:
        self._coming, self._read = words, list[Word]()
        self._known, self._deepest, self._expected = known, deepest, expected
        self.at, self.depth = 0, 0

    @property
    def word(self) -> Word:
        """The word at hand."""
        return self.word_at(self.at)

    def word_at(self, at: int) -> Word:
        """A word by its number; there is none after the `end`."""
        while len(self._read) <= at:
            self._read.append(next(self._coming))
        return self._read[at]

    def fault(self, expected: str) -> InfixError:
        """The error for the word at hand."""
        word = self.word
        if word.kind == "unknown":
            near = difflib.get_close_matches(word.text, self._known, n=1)
            expected = self._expected + (f"; did you mean {near[0]}?" if near else "")
        return InfixError(word.column, word.text, expected)

    def accept(self, *texts: str) -> str | None:
        """Step over the word at hand if it is one of these."""
        word = self.word
        if word.kind not in ("word", "symbol") or word.value not in texts:
            return None
        self.at += 1
        return str(word.value)

    def expect(self, text: str, expected: str | None = None) -> None:
        """Step over this word; an error if it is not at hand."""
        if not self.accept(text):
            raise self.fault(expected or f"`{text}`")

    def deeper(self, parse: Callable[[], Result]) -> Result:
        """Parse something nested, within the limit."""
        self.depth += 1
        if self.depth > self._deepest:
            raise self.fault(f"nesting of at most {self._deepest} levels")
        result = parse()
        self.depth -= 1
        return result

    def reference(self) -> Ref:
        """A reference or a known name."""
        word = self.word
        if word.kind != "reference":
            raise self.fault("a reference such as $.inputs.amount")
        try:
            ref = Ref(str(word.value))
        except ConditionError as error:
            raise InfixError(word.column, word.text, error.expected) from None
        self.at += 1
        return ref

    def several(self, close: str, parse: Callable[[], Result]) -> list[Result]:
        """Things parted by commas, up to the closing bracket."""
        items: list[Result] = []
        while not self.accept(close):
            if items:
                self.expect(",", f"`,` or `{close}`")
            items.append(parse())
        return items


def _word(text: str, plain: str, at: int, known: list[str], names: Mapping[str, str], lexicon: Lexicon) -> Word:
    """The word at an offset: keywords before names, the longest name first, then numbers and symbols."""

    def token(kind: Kind, end: int, value: str | int | float | None = None) -> Word:
        return Word(kind, text[at:end], at + 1, plain[at:end] if value is None else value)

    if match := _REFERENCE.match(plain, at):
        return token("reference", match.end())
    name = _NAME.match(plain, at)
    if name and name.group().lower() in lexicon.words:
        return token("word", name.end(), name.group().lower())
    for key in known:
        end = at + len(key)
        if key and text.startswith(key, at) and not (_ends_word(key) and end < len(plain) and _ends_word(plain[end])):
            path = _PATH.match(plain, end)
            return token("reference", path.end() if path else end, names[key] + (path.group() if path else ""))
    if name:
        return token("unknown", name.end())
    if match := lexicon.number.match(plain, at):
        return token("number", match.end(), _number(match.group(), at + 1))
    if match := _NUMBER_LIKE.match(plain, at):
        raise InfixError(at + 1, match.group(), "a number in decimal digits, without unit, separators or leading zeros")
    if match := lexicon.symbol.match(plain, at):
        spoken = _SPOKEN.get(match.group())
        return token("word" if spoken and spoken.isalpha() else "symbol", match.end(), spoken)
    return token("symbol", at + 1)


def _ends_word(text: str) -> bool:
    return text[-1].isascii() and (text[-1].isalnum() or text[-1] in "_-")


def _number(text: str, column: int) -> int | float:
    value = math.inf if len(text) > _LONGEST_NUMBER else fraction(text) if set(text) & set(".eE") else int(text)
    if isinstance(value, Vanished) or not math.isfinite(value):
        raise InfixError(
            column, text, f"a finite number of at most {_LONGEST_NUMBER} characters that is not so small as to become 0"
        )
    return value


def _string(text: str, at: int) -> Word:
    """The string that opens at an offset, with JSON's escapes."""
    close, value, here = _QUOTES[text[at]], "", at + 1
    while here < len(text) and text[here] != close:
        if text[here] != "\\":
            value, here = value + text[here], here + 1
            continue
        mark, code = text[here + 1 : here + 2], text[here + 2 : here + 6]
        if mark in _ESCAPES or (mark and mark in "\\/" + "".join(_QUOTES)):
            value, here = value + _ESCAPES.get(mark, mark), here + 2
        elif mark == "u" and re.fullmatch("[0-9A-Fa-f]{4}", code) and not 0xD800 <= int(code, 16) <= 0xDFFF:
            value, here = value + chr(int(code, 16)), here + 6
        else:
            raise InfixError(here + 1, text[here : here + 2], 'one of the escapes of JSON, such as \\" or \\n')
    if here >= len(text):
        raise InfixError(at + 1, text[at:], f"a closing {close}")
    return Word("string", text[at : here + 1], at + 1, value)
