"""How much of a file's text reaches the document, beside readers of other makers; and one text in several formats.

`python -m evals.reading coverage [FOLDER]` prints, for each file, the share of the characters of a reference reader
that stand in some block, tagged ones included: MuPDF and poppler's `pdftotext` for PDF, all `w:t` for Word, all visible
text in Chromium for HTML. `python -m evals.reading formats FILE FILE …` compares the clauses and labels of files that
hold one text.
"""

import argparse
import html
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

from rapidfuzz.distance import Indel

from compiler.parsers import parse
from compiler.text.labels import BULLETS
from ir.document import Block, Document

GRAM = 5  # characters that stand together in both readers for them to have read the same
CORPUS = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"
_LIGATURE = re.compile("[ﬀ-ﬆ]")
_HYPHEN = re.compile(r"(?<=[a-z])[-\u00ad\u2010]$", re.MULTILINE)  # a word cut at the end of its line
_CHECKED = str.maketrans("☒", "☑")  # both say that a box is checked; a document here has one sign for it


# --- coverage ---------------------------------------------------------------------------------------------------------


def covered(reference: str, found: str) -> tuple[int, int]:
    """How many characters of a reference text stand in another, and how many there are; white space aside.

    A character counts where one of the runs of five characters around it, inside a line, stands in the other text as
    often as it comes; a shorter word where the other text has it. Ligatures count as their letters, and the hyphen of a
    word cut at the end of a line not at all.

    >>> covered("the order is placed\\n12", "12 the order is placed"), covered("a second page", "another text")
    ((18, 18), (0, 11))
    """
    have = "".join(found.split())
    reference = _LIGATURE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), _HYPHEN.sub("", reference))
    grams = Counter(have[i : i + GRAM] for i in range(len(have) - GRAM + 1))
    right = total = 0
    for line in reference.translate(_CHECKED).splitlines():
        text = "".join(line.split())
        total += len(text)
        if len(text) < GRAM:
            right += len(text) if text in have else 0
            continue
        held = set[int]()
        for at in range(len(text) - GRAM + 1):
            gram = text[at : at + GRAM]
            if grams[gram] > 0:
                grams[gram] -= 1
                held.update(range(at, at + GRAM))
        right += len(held)
    return right, total


def whole_text(document: Document) -> str:
    """Everything that stands in some block, with its labels."""
    labels = (block.label.text for block in document.blocks if block.label and block.label.generated)
    return "\n".join([*(passage.text for passage in document.passages()), *labels])


def text_by_mupdf(file: Path) -> str:
    """What MuPDF reads, page by page."""
    import pymupdf

    with pymupdf.open(file) as pdf:
        return "\n".join(page.get_text() for page in pdf)


def text_by_poppler(file: Path) -> str:
    """What poppler reads."""
    return _output(["pdftotext", str(file), "-"])


def _output(command: list[str]) -> str:
    done = subprocess.run(command, check=True, capture_output=True, timeout=120)  # noqa: S603 - commands of this module
    return done.stdout.decode("utf-8", "replace")


def text_by_word(file: Path) -> str:
    """Every `w:t` of the package, a line for each paragraph."""
    lines = []
    with zipfile.ZipFile(file) as package:
        for name in package.namelist():
            if re.fullmatch(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml", name):
                for paragraph in ElementTree.fromstring(package.read(name)).iter():  # noqa: S314 - files that we chose
                    if paragraph.tag.endswith("}p"):
                        lines.append("".join(_own_text(paragraph)))
    return "\n".join(lines)


def _own_text(paragraph: ElementTree.Element) -> Iterator[str]:
    """The text of a paragraph without that of paragraphs inside it, and without the second form of the same drawing."""
    for child in paragraph:
        if child.tag.endswith("}p") or child.tag.endswith("}Fallback"):
            continue
        if child.tag.endswith("}t"):
            yield child.text or ""
        yield from _own_text(child)


def text_by_chromium(file: Path) -> str:
    """The text that a browser shows."""
    script = (
        b"<script>window.onload=function(){var t=document.body.innerText;document.documentElement.innerHTML="
        b"'<body><pre id=shown></pre></body>';document.getElementById('shown').textContent=t}</script>"
    )
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_bytes(file.read_bytes() + script)
        command = [
            str(browser()), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * 0.0.0.0",
            "--virtual-time-budget=4000", f"--user-data-dir={folder}/profile", "--dump-dom", page.as_uri(),
        ]  # fmt: skip
        shown = _output(command)
    match = re.search(r'<pre id="shown">(.*)</pre>', shown, re.DOTALL)
    return html.unescape(match[1]) if match else ""


def browser() -> str | None:
    """Chromium's command, None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def readers(file: Path) -> Mapping[str, Callable[[Path], str]]:
    """The reference readers of a file that are on this machine, by name."""
    known: dict[str, dict[str, Callable[[Path], str]]] = {
        ".pdf": {"mupdf": text_by_mupdf},
        ".docx": {"w:t": text_by_word},
    }
    if shutil.which("pdftotext"):
        known[".pdf"]["poppler"] = text_by_poppler
    if browser():
        known[".html"] = {"chromium": text_by_chromium}
    return known.get(file.suffix.lower(), {})


def coverage(folder: Path) -> Iterator[tuple[str, str, int, int]]:
    """Name of the file, of the reader, characters found and characters in all; files that are refused are left out."""
    for file in sorted(f for f in folder.rglob("*") if f.is_file()):
        document = parse(file.read_bytes(), file.name).document
        if document is None:
            continue
        text = whole_text(document)
        for name, reader in readers(file).items():
            yield str(file.relative_to(folder)), name, *covered(reader(file), text)


# --- one text in several formats --------------------------------------------------------------------------------------


def similarity(one: Document, other: Document) -> tuple[float, float]:
    """How alike two documents are in 0..1: the words of their clauses, with where each begins, and their labels.

    Clauses are headings, paragraphs and items of the body; tables are compared elsewhere. Bullets count as equal,
    whatever glyph a format draws.
    """
    words = [[w for b in _clauses(d) for w in ("¶", *b.body.split())] for d in (one, other)]
    labels = [[_label(b.label.text) for b in _clauses(d) if b.label] for d in (one, other)]
    return Indel.normalized_similarity(*words), Indel.normalized_similarity(*labels)


def _clauses(document: Document) -> list[Block]:
    return [block for block in document.body() if block.kind in ("heading", "paragraph", "list_item")]


def _label(text: str) -> str:
    return "•" if text and all(char in BULLETS + "-–" for char in text) else text.rstrip(".")


# --- commands ---------------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table; the status is 1 where a share is below 0.99, or a similarity below 0.97 (labels 0.95)."""
    parser = argparse.ArgumentParser(prog="python -m evals.reading", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("coverage").add_argument("folder", nargs="?", type=Path, default=CORPUS)
    commands.add_parser("formats").add_argument("files", nargs="+", type=Path)
    given = parser.parse_args(arguments)
    return _print_coverage(given.folder) if given.command == "coverage" else _print_formats(given.files)


def _print_coverage(folder: Path) -> int:
    short = 0
    for name, reader, right, total in coverage(folder):
        share = right / total if total else 1.0
        short += share < 0.99
        print(f"{share:.4f} {'*' if share < 0.99 else ' '} {right:8} of {total:8}  {reader:9} {name}")  # noqa: T201
    return 1 if short else 0


def _print_formats(files: Sequence[Path]) -> int:
    documents = {file: parse(file.read_bytes(), file.name).document for file in files}
    low = 0
    for one, other in combinations(files, 2):
        a, b = documents[one], documents[other]
        if a is None or b is None:
            print(f"refused: {one if a is None else other}")  # noqa: T201
            return 1
        clauses, labels = similarity(a, b)
        low += clauses < 0.97 or labels < 0.95
        print(f"clauses {clauses:.4f}  labels {labels:.4f}  {one.name} and {other.name}")  # noqa: T201
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
