"""Quotes with one word changed, and harmless ones, made from the sentences of real documents.

`python -m evals.quotes [FILE …] [--seed N]` prints how many changed quotes are accepted (there must be none) and what
share of the harmless ones is located. Without files the documents of the cases are taken.
"""

import argparse
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from compiler.grounding import QuoteFinder
from compiler.parsers import parse
from compiler.text.sentences import Piece, sentences
from ir.document import Document

CASES = Path(__file__).resolve().parent.parent / "fixtures" / "cases"
SHORTEST, LONGEST = 14, 220  # characters of a sentence that is quoted
_SWAPS_ZH = {
    "unit": (("个工作日", "日"), ("万元", "元"), ("小时", "日"), ("吨", "千克"), ("个月", "日"), ("厘米", "米")),
    "negation": (
        ("不予", "予以"), ("未", "已"), ("不得", "可以"), ("不符合", "符合"), ("不属于", "属于"), ("无须", "应当"),
    ),
    "modality": (("应当", "可以"), ("可以", "应当"), ("必须", "可以"), ("应", "可")),
    "comparator": (
        ("超过", "低于"), ("以上", "以下"), ("以下", "以上"), ("不少于", "不超过"), ("不低于", "不高于"),
        ("高于", "低于"),
    ),
    "order": (("之前", "之后"), ("日前", "日后"), ("或者", "并且")),
}  # fmt: skip
_SWAPS_EN = {
    "unit": (
        (" working days", " days"), (" days", " hours"), (" hours", " days"), (" months", " weeks"), (" kg", " t"),
        (" metres", " feet"), ("EUR", "USD"), (" years", " months"),
    ),
    "negation": (
        (" is not ", " is "), (" not ", " "), (" are ", " are not "), (" without ", " with "), (" no ", " any "),
    ),
    "modality": ((" must ", " may "), (" shall ", " may "), (" may ", " must "), (" should ", " must ")),
    "comparator": (
        (" more than ", " less than "), (" at least ", " at most "), (" exceeds ", " is below "), (" up to ", " over "),
    ),
    "order": ((" before ", " after "), (" after ", " before "), (" or ", " and "), (" unless ", " if ")),
}  # fmt: skip
_THOUSANDS = re.compile(r"\d{1,3},\d{3}")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)?")
_HAN = re.compile(r"[一二三四五六七八九十](?=个?(?:工作日|日|年|月|小时|类|级|名|人|次|份))")
_WORDS = re.compile(r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b")
_NEXT_ZH = str.maketrans("一二三四五六七八九十", "二三五七八九十三六五")
_ORDER_EN = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NEXT_EN = dict(zip(_ORDER_EN, (*_ORDER_EN[1:], "one"), strict=True))
_ROLE_ZH = re.compile(r"(?:[\u4e00-\u9fff]{2,5})(?:部|科|处|中心|办公室|委员会|专员|经理|主任)(?![门长])")
_ROLE_EN = re.compile(r"\b[A-Z][a-z]+(?: (?:of )?[A-Z][a-z]+)+\b")
_BREAKABLE = re.compile(r"(?<=[\u4e00-\u9fff]{6})(?=[\u4e00-\u9fff]{4})|(?<=\w{4}) (?=\w{3})")
_WIDE = {ord(char): ord(char) + 0xFEE0 for char in "0123456789,.:;()%"}


@dataclass(frozen=True)
class Quote:
    """Words claimed for a sentence of a document.

    Args:
        kind: what was changed, or how a harmless one differs.
    """

    sentence: str
    block: str
    claimed: str
    kind: str


def quotable(document: Document) -> list[Piece]:
    """The sentences of a document's body that are long enough to be quoted, and that it says once."""
    bodies = (Piece(b.address, 0, len(b.text), b.text) for b in document.body() if b.kind != "table")
    found = (s for body in bodies for s in sentences(body, document.language))
    said = "\n".join(passage.text for passage in document.passages())
    return [s for s in found if SHORTEST <= len(s.text) <= LONGEST and said.count(s.text) == 1]


def changed(document: Document, seed: int) -> Iterator[Quote]:
    """Each sentence with one token changed in each way that it allows; none that the document says elsewhere."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    said = "\n".join(passage.text for passage in document.passages())
    pieces = quotable(document)
    role = _ROLE_ZH if document.language == "zh" else _ROLE_EN
    roles = sorted({match for piece in pieces for match in role.findall(piece.text)})
    swaps = _SWAPS_ZH if document.language == "zh" else _SWAPS_EN
    for piece in pieces:
        for kind, claimed in _changes(piece.text, swaps, role, roles, rng):
            if claimed != piece.text and claimed.lstrip("•–- ") not in said:
                yield Quote(piece.text, piece.block, claimed, kind)


def _changes(
    text: str,
    swaps: Mapping[str, Sequence[tuple[str, str]]],
    role: re.Pattern[str],
    roles: list[str],
    rng: random.Random,
) -> Iterator[tuple[str, str]]:
    for match in rng.sample(numbers := list(_DIGITS.finditer(text)), min(1, len(numbers))):
        digits = match[0]
        first = str(int(digits[0]) % 9 + 1) + digits[1:]
        longer = digits + "0" if digits.isdecimal() else re.sub(r"[.,]", "", digits)  # 0.5 and 0.50 are one value
        longer = first if _THOUSANDS.fullmatch(digits) else longer  # 1,000 and 1000 are one value, too
        other = rng.choice((longer, first))
        yield "number", text[: match.start()] + other + text[match.end() :]
    for pattern, other_of in ((_HAN, lambda m: m.translate(_NEXT_ZH)), (_WORDS, lambda m: _NEXT_EN[m])):
        if (word := pattern.search(text)) is not None:
            yield "number in words", text[: word.start()] + other_of(word[0]) + text[word.end() :]
    for kind, pairs in swaps.items():
        present = [(one, other) for one, other in pairs if one in text]
        if present:
            one, other = rng.choice(present)
            at = text.index(one)
            yield kind, text[:at] + other + text[at + len(one) :]
    if (who := role.search(text)) is not None:
        first = who[0].split()[0].rstrip("s")
        others = [n for n in roles if n not in text and who[0] not in n and not n.startswith(first)]
        if others:
            yield "role", text[: who.start()] + rng.choice(others) + text[who.end() :]


HARMLESS: dict[str, Callable[[str], str]] = {
    "wide": lambda text: text.translate(_WIDE),
    "double blanks": lambda text: text.replace(" ", "  "),
    "broken lines": lambda text: _BREAKABLE.sub("\n", text, count=2),
    "narrow marks": lambda text: text.translate(str.maketrans("，。；：（）", ",.;:()")),
    "without the last mark": lambda text: text.rstrip("。.;；"),
    "in quotation marks": lambda text: f"“{text}”",
    "hyphenated": lambda text: re.sub(r"\b([a-z]{4})([a-z]{3,})", "\\1-\n\\2", text, count=1),
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
    "blanks between scripts": lambda text: re.sub(r"(?<=[\u4e00-\u9fff])(?=\d)|(?<=\d)(?=[\u4e00-\u9fff])", " ", text),
}


def harmless(document: Document, seed: int) -> Iterator[Quote]:
    """Each sentence in one harmless variant that differs from it."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    for piece in quotable(document):
        ways = [(name, vary(piece.text)) for name, vary in HARMLESS.items()]
        ways = [(name, text) for name, text in ways if text != piece.text]
        if ways:
            name, text = rng.choice(ways)
            yield Quote(piece.text, piece.block, text, name)


def accepted(document: Document, seed: int) -> list[Quote]:
    """The changed quotes that grounding lets support something."""
    finder = QuoteFinder(document)
    return [quote for quote in changed(document, seed) if finder.search(quote.claimed).evidence.supports]


def missed(document: Document, seed: int) -> list[Quote]:
    """The harmless quotes that are not located."""
    finder = QuoteFinder(document)
    return [quote for quote in harmless(document, seed) if not finder.search(quote.claimed).evidence.supports]


def documents(files: Sequence[Path] = ()) -> Iterator[tuple[Path, Document]]:
    """The documents of the files, or of the cases that development may look at."""
    import yaml

    for case in [] if files else sorted(CASES.iterdir()):
        if yaml.safe_load((case / "case.yaml").read_text("utf-8")).get("split", "dev") == "dev":
            files = [*files, *sorted((case / "documents").iterdir())]
    for file in files:
        if (document := parse(file.read_bytes(), file.name).document) is not None:
            yield file, document


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each document; the status is 1 where a changed quote is accepted or under 0.97 are located."""
    parser = argparse.ArgumentParser(prog="python -m evals.quotes", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-v", "--verbose", action="store_true", help="the quotes that went wrong")
    given = parser.parse_args(arguments)
    wrong = lost = tried = sound = 0
    for file, document in documents(given.files):
        bad, gone = accepted(document, given.seed), missed(document, given.seed)
        many, fine = sum(1 for _ in changed(document, given.seed)), sum(1 for _ in harmless(document, given.seed))
        wrong, lost, tried, sound = wrong + len(bad), lost + len(gone), tried + many, sound + fine
        located = f"{fine - len(gone):4} of {fine:4} harmless located"
        print(f"{len(bad):3} of {many:5} changed accepted  {located}  {file.name}")  # noqa: T201
        for quote in (*bad, *gone) if given.verbose else ():
            print(f"      {quote.kind}: {quote.claimed!r}\n        of {quote.sentence!r}")  # noqa: T201
    share = 1 - lost / sound if sound else 1.0
    print(f"{wrong} of {tried} changed quotes accepted; {share:.4f} of {sound} harmless ones located")  # noqa: T201
    return 1 if wrong or share < 0.97 else 0


if __name__ == "__main__":
    sys.exit(main())
