"""The diagnostics of reading, each with its place and what to do next."""

from collections.abc import Sequence

from pydantic import JsonValue

from compiler.parsers.suffixes import NAMES, claimed_otherwise
from ir.diagnostics import Diagnostic, Location, Severity
from ir.source import MediaKind

OCR = "Read it with the `ocr` extra, or supply a version that carries text."


def fault(
    code: str,
    path: str,
    message: str,
    *,
    severity: Severity = Severity.ERROR,
    page: int | None = None,
    expected: JsonValue = None,
    found: JsonValue = None,
) -> Diagnostic:
    """A diagnostic about the document at `path`."""
    place = Location(file=path, page=page)
    return Diagnostic(
        error_code=code, severity=severity, message=message, location=place, expected=expected, found=found
    )


def encrypted(path: str, what: str) -> Diagnostic:
    """The document opens only with a password."""
    return fault(
        "encrypted-document",
        path,
        f"this {what} opens only with a password; save a copy without one and compile that",
        found=what,
    )


def truncated(path: str, what: str, found: str) -> Diagnostic:
    """The file ends early, and nothing of it could be read."""
    return fault(
        "truncated-document",
        path,
        f"this {what} is cut off ({found}); fetch or export it again",
        expected="a complete file",
        found=found,
    )


def unreadable(path: str, what: str, found: str) -> Diagnostic:
    """The content is damaged."""
    return fault(
        "unreadable-document",
        path,
        f"this {what} is damaged and cannot be read ({found}); export it again from its source",
        found=found,
    )


def unsupported(path: str, what: str, advice: str) -> Diagnostic:
    """A kind of content that no parser reads."""
    return fault(
        "unsupported-document",
        path,
        f"the content is {what}, not PDF, Word (DOCX), HTML, Markdown or plain text{_despite(path)}; {advice}",
        expected=["pdf", "docx", "html", "markdown", "text"],
        found=what,
    )


def kind_differs(path: str, kind: MediaKind) -> Diagnostic | None:
    """The file's name says another kind than its content is of, which was read as what it is; None where they agree."""
    if (claimed := claimed_otherwise(path, kind)) is None:
        return None
    suffix, said = claimed
    return fault(
        "file-kind-mismatch",
        path,
        f"the file's name ends in {suffix} ({said}), but its content is {NAMES[kind]} and was read as that; check that "
        "it is the document that is meant, and export it again or name it after what it is",
        severity=Severity.WARNING,
        expected=said,
        found=NAMES[kind],
    )


def _despite(path: str) -> str:
    claimed = claimed_otherwise(path, None)
    return f", although the file's name ends in {claimed[0]}" if claimed else ""


def legacy_word(path: str) -> Diagnostic:
    """A Word 97–2003 file."""
    return fault(
        "legacy-word-document",
        path,
        f"this is a Word 97–2003 document (.doc){_despite(path)}; open it in Word or LibreOffice and save it as .docx",
        expected="docx",
        found="doc",
    )


def oversize(path: str, measure: str, found: float, allowed: float) -> Diagnostic:
    """The document exceeds a limit."""
    return fault(
        "oversize-document",
        path,
        f"the document has {found:g} {measure}, more than the {allowed:g} allowed; split it or raise the limit",
        expected=allowed,
        found=found,
    )


def exhausted(path: str, measure: str, allowed: float) -> Diagnostic:
    """Reading was ended because it took more than is allowed; how much it would have taken is not known."""
    return fault(
        "oversize-document",
        path,
        f"reading took more than the {allowed:g} {measure} allowed and was ended; split the document, or raise the "
        "limit",
        expected=allowed,
    )


def empty(path: str, found: str = "no text at all") -> Diagnostic:
    """There is nothing to read."""
    return fault(
        "empty-document",
        path,
        f"the document has {found}; check that the right file was given",
        expected="text",
        found=found,
    )


def image_only(path: str, pages: Sequence[int], *, garbled: bool = False) -> Diagnostic:
    """No page carries usable text."""
    what = "letters that stand for no words, or images" if garbled else "images only"
    return fault(
        "image-only-document",
        path,
        f"no page carries usable text ({page_list(pages)}: {what}). {OCR}",
        page=pages[0],
        expected="text on at least one page",
        found=list(pages),
    )


def image_only_page(path: str, page: int, *, garbled: bool = False) -> Diagnostic:
    """One page carries no usable text, others do."""
    what = "bears letters that stand for no words" if garbled else "is an image without usable text"
    return fault(
        "image-only-page",
        path,
        f"page {page} {what} and was not read. {OCR}",
        severity=Severity.WARNING,
        page=page,
    )


def repaired(path: str, count: int, without: Sequence[int], *, cut: bool) -> Diagnostic:
    """A damaged file of which some was read.

    Args:
        count: pages that were found.
        without: those on which no text was found.
        cut: its end is missing.
    """
    what = "the file is cut off (the end-of-file mark is missing)" if cut else "the file's structure is damaged"
    told = f"{count} pages were found and read" if count != 1 else "1 page was found and read"
    if without:
        told = f"of {count} pages that were found, text was read on {count - len(without)} and none on "
        told += page_list(without)
    return fault(
        "repaired-document",
        path,
        f"{what} and was repaired: {told}; others, or parts of them, may be missing: compare them with the original, "
        "or fetch or export it again",
        severity=Severity.WARNING,
        expected="a complete file",
        found={"pages": count, "without_text": list(without)},
    )


def tracked_changes(path: str, shown: int, apart: int, revisions: str = "accepted") -> Diagnostic:
    """The document holds changes that nobody has accepted or rejected yet.

    Args:
        shown: changes that were read as text; for `both` all of them.
        apart: those that were kept apart.
    """
    insertions, deletions = (apart, shown) if revisions == "original" else (shown, apart)
    read = {
        "accepted": f"{insertions} insertions were read as text, {deletions} deletions were left out",
        "original": f"{deletions} deletions were read as text, {insertions} insertions were left out",
        "both": f"the text of all {shown} was read, deleted in [-…-] and inserted in {{+…+}}",
    }[revisions]
    return fault(
        "tracked-changes",
        path,
        f"the document has unsettled tracked changes: {read}; accept or reject them in Word if that is not what is "
        "meant, or choose with --revisions",
        severity=Severity.WARNING,
        expected="no tracked changes",
        found={"insertions": insertions, "deletions": deletions} if revisions != "both" else {"changes": shown},
    )


def dangling_reference(path: str, words: str, block: str, page: int | None) -> Diagnostic:
    """The document points to a clause that it does not have."""
    place = Location(file=path, block=block, page=page)
    return Diagnostic(
        error_code="dangling-reference",
        severity=Severity.WARNING,
        message=f"“{words}” points to no clause of this document; correct the number, or name the text it belongs to",
        location=place,
        expected="a clause of this document",
        found=words,
    )


def undecodable(path: str, encoding: str, count: int) -> Diagnostic:
    """Some bytes stand for no character in the encoding."""
    return fault(
        "undecodable-text",
        path,
        f"{count} bytes are not valid {encoding} and read as �; save the file as UTF-8",
        severity=Severity.WARNING,
        expected=encoding,
        found=count,
    )


def page_list(pages: Sequence[int]) -> str:
    """Page numbers with runs drawn together.

    >>> page_list([1, 2, 3, 7])
    'pages 1–3, 7'
    >>> page_list([4])
    'page 4'
    """
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], page]
        else:
            runs.append([page])
    return ("pages " if len(pages) > 1 else "page ") + ", ".join("–".join(map(str, run)) for run in runs)
