"""Word files with every kind of numbering that policies use; each paragraph's text is its own, so that its label shows.

`python tests/compiler/parsers/numbering_samples.py --accept` asks LibreOffice what it prints and writes
`numbering_expected.json`.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from document_makers import abstract, item, level, make_docx, num, para

EXPECTED = Path(__file__).with_name("numbering_expected.json")
OFFICE = shutil.which("soffice")


def _restart(*starts: tuple[int, int]) -> str:
    overrides = (f'<w:lvlOverride w:ilvl="{at}"><w:startOverride w:val="{n}"/></w:lvlOverride>' for at, n in starts)
    return "".join(overrides)


def _counted(fmt: str, text: str = "%1.", count: int = 12) -> bytes:
    """One list in one number format."""
    numbering = abstract(0, level(0, fmt, text)) + num(1, 0)
    return make_docx("".join(item(words(n), 1) for n in range(count)), numbering=numbering)


def words(number: int) -> str:
    """The text of a paragraph, like no other's."""
    return f"clause{number:03d}end"


def _listed(numbering: str, lists: str) -> bytes:
    """A paragraph for each `list.level`, plain for `-`."""
    made = []
    for number, place in enumerate(lists.split()):
        num_id, _, at = place.partition(".")
        made.append(para(words(number)) if place == "-" else item(words(number), int(num_id), int(at)))
    return make_docx("".join(made), numbering=numbering)


_ARTICLES = (
    level(0, "chineseCountingThousand", "第%1章"),
    level(1, "chineseCountingThousand", "第%2条", extra='<w:lvlRestart w:val="0"/>'),
    level(2, "chineseCounting", "（%3）"),
    level(3, "decimal", "%4."),
)
_DECIMAL = (level(0, "decimal", "%1"), level(1, "decimal", "%1.%2"), level(2, "decimal", "%1.%2.%3"))
_ENGLISH = (
    level(0, "upperRoman", "Part %1"),
    level(1, "decimal", "Section %2.", extra='<w:lvlRestart w:val="0"/>'),
    level(2, "lowerLetter", "(%3)"),
    level(3, "lowerRoman", "(%4)"),
)
_ALL = _restart((0, 1), (1, 1), (2, 1))
_STYLES = (
    '<w:style w:type="paragraph" w:styleId="Chapter"><w:name w:val="Chapter"/><w:pPr><w:numPr><w:numId w:val="1"/>'
    "</w:numPr></w:pPr></w:style>"
    '<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr><w:ilvl w:val="1"/>'
    '<w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="Sub"/><w:basedOn w:val="Clause"/></w:style>'
)


def samples() -> Mapping[str, bytes]:
    """The files by name."""
    names = ("Chapter", "Clause", "Sub", "Chapter", "Sub")
    styled = (para(words(n), f'<w:pStyle w:val="{name}"/>') for n, name in enumerate(names))
    chapter, clause = '<w:pStyle w:val="Chapter"/>', '<w:pStyle w:val="Clause"/>'
    linked = abstract(0, level(0, "decimal", "%1", extra=chapter), level(1, "decimal", "%1.%2", extra=clause)) + num(
        1, 0
    )
    legal = level(0, "chineseCountingThousand", "%1、"), level(1, "decimal", "%1.%2", extra="<w:isLgl/>")
    never = '<w:lvlRestart w:val="0"/>'
    rows = "".join(f"<w:tr><w:tc>{item(words(n), 1)}</w:tc></w:tr>" for n in range(4))
    unnumbered = para(words(2), '<w:pStyle w:val="Chapter"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>')
    return {
        "articles run through chapters": _listed(
            abstract(0, *_ARTICLES) + num(1, 0), "1.0 1.1 1.2 1.2 1.3 1.1 1.0 1.1 1.2 1.1"
        ),
        "sections run through parts": _listed(
            abstract(0, *_ENGLISH) + num(1, 0), "1.0 1.1 1.2 1.3 1.3 1.2 1.0 1.1 1.2 1.3"
        ),
        "decimal levels": _listed(
            abstract(0, *_DECIMAL) + num(1, 0), "1.0 1.1 1.2 1.2 1.1 1.2 1.0 1.1 1.2"
        ),
        "a level is left out": _listed(abstract(0, *_DECIMAL) + num(1, 0), "1.0 1.2 1.2 1.1 1.2"),
        "figures under Chinese numbers": _listed(
            abstract(0, *legal) + num(1, 0), "1.0 1.1 1.1 1.0 1.1",
        ),
        "restart by override": _listed(
            abstract(0, level(0, "decimal", "%1."))
            + num(1, 0)
            + num(2, 0, _restart((0, 1)))
            + num(3, 0, _restart((0, 7))),
            "1.0 1.0 2.0 2.0 - 2.0 3.0 3.0",
        ),
        "continued after text and bullets": _listed(
            abstract(0, level(0, "decimal", "%1.")) + abstract(1, level(0, "bullet", "•")) + num(1, 0) + num(2, 1),
            "1.0 1.0 - 2.0 2.0 1.0 - 1.0",
        ),
        "lists within a list, each its own": _listed(
            abstract(0, level(0, "decimal", "%1."), level(1, "decimal", "%2."), level(2, "decimal", "%3."))
            + num(1, 0, _ALL) + num(2, 0, _ALL) + num(3, 0, _ALL) + num(4, 0, _ALL),
            "1.0 2.1 2.1 1.0 3.1 4.2 3.1 1.0 1.0",
        ),
        "two lists of one definition": _listed(
            abstract(0, level(0, "decimal", "%1."), level(1, "lowerLetter", "%2)")) + num(1, 0) + num(2, 0),
            "1.0 1.1 1.1 2.0 2.1 1.0 1.1",
        ),
        "a level defined anew": _listed(
            abstract(0, level(0, "decimal", "%1."))
            + num(1, 0)
            + num(2, 0, f'<w:lvlOverride w:ilvl="0">{level(0, "upperLetter", "%1)", 3)}</w:lvlOverride>'),
            "1.0 1.0 2.0 2.0",
        ),
        "numbers through styles": make_docx("".join(styled), numbering=linked, styles=_STYLES),
        "a heading whose number is taken away": make_docx(
            para(words(0), '<w:pStyle w:val="Chapter"/>') + para(words(1), '<w:pStyle w:val="Clause"/>') + unnumbered
            + para(words(3), '<w:pStyle w:val="Clause"/>') + para(words(4), '<w:pStyle w:val="Chapter"/>'),
            numbering=linked, styles=_STYLES,
        ),
        "begins at five, one level never begins anew": _listed(
            abstract(0, level(0, "decimal", "%1.", 5), level(1, "lowerLetter", "%2.", extra=never)) + num(1, 0),
            "1.0 1.1 1.1 1.0 1.1 1.0 1.1",
        ),
        "a list in table cells": make_docx(
            f"<w:tbl>{rows}</w:tbl>{item(words(4), 1)}",
            numbering=abstract(0, level(0, "decimal", "%1.")) + num(1, 0),
        ),
        "Chinese counting": _counted("chineseCounting", "（%1）", 21),
        "Chinese counting of thousands": _counted("chineseCountingThousand", "第%1条", 112),
        "Japanese counting": _counted("japaneseCounting", "%1、"),
        "Chinese digits": _counted("ideographDigital", "%1、"),
        "Chinese figures of law": _counted("chineseLegalSimplified", "%1、", 21),
        "stems": _counted("ideographTraditional", "%1.", 10),
        "branches": _counted("ideographZodiac", "%1.", 12),
        "circled": _counted("decimalEnclosedCircle", "%1", 20),
        "circled in Chinese use": _counted("decimalEnclosedCircleChinese", "%1", 10),
        "with a full stop": _counted("decimalEnclosedFullstop", "%1", 12),
        "in brackets": _counted("decimalEnclosedParen", "%1", 12),
        "full width": _counted("decimalFullWidth", "%1．"),
        "letters": _counted("lowerLetter", "%1)", 30),
        "capital letters": _counted("upperLetter", "Annex %1", 28),
        "Roman figures": _counted("lowerRoman", "(%1)", 24),
        "capital Roman figures": _counted("upperRoman", "%1.", 14),
        "ordinals": _counted("ordinal", "%1", 23),
        "ordinals in words": _counted("ordinalText", "%1", 12),
        "numbers in words": _counted("cardinalText", "%1", 22),
        "with a zero": _counted("decimalZero", "%1", 12),
    }  # fmt: skip


def printed(name: str, data: bytes) -> list[str]:
    """The label that LibreOffice prints before each paragraph of a sample.

    Raises:
        subprocess.CalledProcessError: it could not convert the file.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "sample.docx")
        source.write_bytes(data)
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = [
            str(OFFICE),
            profile,
            "--headless",
            "--convert-to",
            "txt:Text (encoded):UTF8",
            "--outdir",
            folder,
            str(source),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        lines = Path(folder, "sample.txt").read_text("utf-8-sig").splitlines()
    marks = [(line, line.index("clause")) for line in lines if "clause" in line]
    held = {line[at : line.index("end", at) + 3]: line[:at].strip() for line, at in marks}
    return [held[words(number)] for number in range(len(held))]


def main() -> None:
    """Write what LibreOffice prints."""
    if "--accept" in sys.argv and OFFICE:
        found = {name: printed(name, data) for name, data in samples().items()}
        EXPECTED.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
