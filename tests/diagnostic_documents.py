"""Documents that docs/diagnostics.md only describes, made on the spot: with the fault, and without it."""

import io

import docx
import pymupdf
from docx.oxml import parse_xml


def pdf(*texts: str, password: str | None = None) -> bytes:
    """A PDF with a page a text; an empty text makes a page that is a picture."""
    grey = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 80), False)
    grey.clear_with(200)
    with pymupdf.open() as made:
        for text in texts:
            page = made.new_page()
            if text:
                page.insert_text((72, 90), text)
            else:
                page.insert_image(page.rect, stream=grey.tobytes("png"))
        locked = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password, "owner_pw": password}
        return bytes(made.tobytes(**locked) if password else made.tobytes())


def word(paragraph: str) -> bytes:
    """A Word file with one paragraph, given as WordprocessingML."""
    made, out = docx.Document(), io.BytesIO()
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    made.element.body.insert(0, parse_xml(paragraph.replace("<w:p>", f"<w:p {space}>", 1)))
    made.save(out)
    return out.getvalue()


RULE = "The clerk shall check the invoice."
OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "WordDocument".encode("utf-16-le")
DESCRIBED: dict[str, tuple[bytes, bytes]] = {
    "dangling-reference": (
        b"# Rules\n\n## Article 1\n\nThe clerk reports under Article 9.\n\n## Article 2\n\nThe manager signs.",
        b"# Rules\n\n## Article 1\n\nThe clerk reports under Article 2.\n\n## Article 2\n\nThe manager signs.",
    ),
    "empty-document": (b"", RULE.encode()),
    "encrypted-document": (pdf(RULE, password="secret"), pdf(RULE)),
    "image-only-document": (pdf("", ""), pdf(RULE, RULE)),
    "image-only-page": (pdf("", RULE), pdf(RULE, RULE)),
    "legacy-word-document": (OLD_WORD, word(f"<w:p><w:r><w:t>{RULE}</w:t></w:r></w:p>")),
    "oversize-document": (RULE.encode() * 40, RULE.encode()),
    "repaired-document": (pdf(RULE).replace(b"startxref", b"startxxxx"), pdf(RULE)),
    "truncated-document": (b"", pdf(RULE)),
    "undecodable-text": ("运输管理制度".encode() * 400 + b"\xff", "运输管理制度".encode() * 400),
    "unreadable-document": (b"", pdf(RULE)),
}
"""Bad and good bytes of what the page only describes."""
