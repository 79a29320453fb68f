"""Makes policies with hostile words in them: a clean document in a format, and the same with an attack in a channel."""

import html
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import docx
import pymupdf
import yaml
from docx.document import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt, RGBColor

DATA: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "attacks.yaml").read_text(encoding="utf-8"))
EXTENSIONS = {"markdown": "md", "html": "html", "docx": "docx", "pdf": "pdf"}
AT = 7  # where hostile blocks stand among the policy's
EMPTY = {"en": "See the intranet.", "zh": "见内网。"}  # a footnote that says nothing
INLINE = 3  # the policy's block that hostile words are put into


@dataclass(frozen=True)
class Attack:
    """One attack.

    Args:
        open: a reader sees the words.
    """

    id: str
    language: str
    format: str
    channel: str
    words: tuple[str, ...]
    open: bool = False


@dataclass(frozen=True)
class Part:
    """A block of a document to be made: its kind, which may be a channel's, and its words."""

    kind: str
    words: tuple[str, ...]


ATTACKS = tuple(Attack(**{**one, "words": tuple(one["words"])}) for one in DATA["attacks"])


def twin_of(attack: Attack) -> Attack | None:
    """The clean document's attack: none, but for a footnote, whose mark stands in the text, one that says nothing."""
    return replace(attack, words=(EMPTY[attack.language],)) if attack.channel == "footnote" else None


def name_of(attack: Attack | None, form: str) -> str:
    """The file's name."""
    stem = attack.words[0] if attack is not None and attack.channel == "name" else "policy"
    return f"{stem}.{EXTENSIONS[form]}"


def made(language: str, form: str, attack: Attack | None = None) -> bytes:
    """The policy as a file of a format, with an attack or without."""
    parts = [Part(block["kind"], (block["text"],)) for block in DATA["policies"][language]]
    if attack is not None and attack.channel == "inline":
        parts[INLINE] = Part("clause", (f"{parts[INLINE].words[0]} {' '.join(attack.words)}",))
    elif attack is not None and attack.channel in ("link", "footnote", "comment", "front", "properties", "header"):
        parts[INLINE] = Part(attack.channel, (*parts[INLINE].words, *attack.words))
    elif attack is not None and attack.channel != "name":
        parts.insert(AT, Part(attack.channel, attack.words))
    return _MAKERS[form](parts)


# --- Markdown ---------------------------------------------------------------------------------------------------------


def _markdown(parts: Sequence[Part]) -> bytes:
    front = next((part.words[1] for part in parts if part.kind == "front"), None)
    head = f"---\n{front}\n---\n\n" if front else ""
    return (head + "\n\n".join(_markdown_part(part) for part in parts) + "\n").encode()


def _markdown_part(part: Part) -> str:
    first, *rest = part.words
    match part.kind:
        case "title":
            return f"# {first}"
        case "section":
            return f"## {first}"
        case "list":
            return "\n".join((first, "", *(f"- {words}" for words in rest)))
        case "code":
            return f"```\n{first}\n```"
        case "table":
            return f"| {first} | {rest[0]} |\n| --- | --- |\n| {first} | {rest[0]} |"
        case "comment":
            return f"{first}\n\n<!-- {rest[0]} -->"
        case "footnote":
            return f"{first}[^1]\n\n[^1]: {rest[0]}"
        case "link":
            return f'[{first}](https://example.org/{rest[0].replace(" ", "-")} "{rest[0]}")'
        case "picture":
            return f"![{first}](picture.png)"
        case "split":
            return "\n\n".join(part.words)
    return first


# --- HTML -------------------------------------------------------------------------------------------------------------


def _html(parts: Sequence[Part]) -> bytes:
    title = next((part.words[1] for part in parts if part.kind == "properties"), None)
    said = html.escape(title or parts[0].words[0])
    body = "\n".join(_html_part(part) for part in parts)
    meta = f'<meta name="description" content="{said}">'
    return f"<!doctype html><html><head><title>{said}</title>{meta}</head><body>{body}</body></html>".encode()


def _html_part(part: Part) -> str:
    first, *rest = (html.escape(words) for words in part.words)
    match part.kind:
        case "title":
            return f"<h1>{first}</h1>"
        case "section":
            return f"<h2>{first}</h2>"
        case "list":
            return f"<p>{first}</p><ul>{''.join(f'<li>{words}</li>' for words in rest)}</ul>"
        case "code":
            return f"<pre>{first}</pre>"
        case "table":
            row = f"<tr><td>{first}</td><td>{rest[0]}</td></tr>"
            return f"<table>{row}{row}</table>"
        case "comment":
            return f"<p>{first}</p><!-- {rest[0]} -->"
        case "link":
            return f'<p title="{rest[0]}" aria-label="{rest[0]}" data-note="{rest[0]}">{first}</p>'
        case "picture":
            return f'<img src="picture.png" alt="{first}">'
        case "unseen":
            return f'<p style="display:none">{first}</p>'
        case "white":
            return f'<p style="color:#ffffff;background:#ffffff">{first}</p>'
        case "dialog":
            return f"<dialog>{first}</dialog>"
        case "split":
            return "".join(f"<div>{words}</div>" for words in (first, *rest))
    return f"<p>{first}</p>"


# --- Word -------------------------------------------------------------------------------------------------------------


def _word(parts: Sequence[Part]) -> bytes:
    made, out = docx.Document(), io.BytesIO()
    for part in parts:
        _word_part(made, part)
    made.save(out)
    return out.getvalue()


def _word_part(made: WordDocument, part: Part) -> None:
    first, *rest = part.words
    match part.kind:
        case "title" | "section":
            made.add_heading(first, 1 if part.kind == "title" else 2)
        case "table":
            table = made.add_table(rows=2, cols=2)
            for row in table.rows:
                row.cells[0].text, row.cells[1].text = first, rest[0]
        case "comment":
            made.add_comment(made.add_paragraph(first).runs, text=rest[0], author="A")
        case "vanish":
            made.add_paragraph().add_run(first).font.hidden = True
        case "white":
            made.add_paragraph().add_run(first).font.color.rgb = RGBColor(255, 255, 255)
        case "tiny":
            made.add_paragraph().add_run(first).font.size = Pt(1)
        case "deletion":
            gone = f'<w:del {nsdecls("w")} w:id="7" w:author="A"><w:r><w:delText>{first}</w:delText></w:r></w:del>'
            made.add_paragraph()._p.append(parse_xml(gone))
        case "header":
            made.sections[0].header.paragraphs[0].text = rest[0]
            made.add_paragraph(first)
        case "properties":
            core = made.core_properties
            core.title = core.subject = core.keywords = core.comments = rest[0]
            made.add_paragraph(first)
        case "split":
            for words in part.words:
                made.add_paragraph(words)
        case _:
            made.add_paragraph(first)


# --- PDF --------------------------------------------------------------------------------------------------------------


def _pdf(parts: Sequence[Part]) -> bytes:
    with pymupdf.open() as made:
        page, y = made.new_page(), 60.0
        for part in parts:
            first = part.words[0]
            size = {"title": 20.0, "section": 15.0, "tiny": 0.5}.get(part.kind, 11.0)
            color = (1, 1, 1) if part.kind == "white" else (0, 0, 0)
            font = "helv" if first.isascii() else "china-s"
            page.insert_text((60, y), first, fontsize=size, fontname=font, color=color)
            if part.kind == "comment":
                page.add_text_annot((400, y), part.words[1])
            if part.kind == "properties":
                made.set_metadata({"title": part.words[1], "subject": part.words[1], "keywords": part.words[1]})
            y += 34
        return bytes(made.tobytes())


_MAKERS: dict[str, Callable[[Sequence[Part]], bytes]] = {
    "markdown": _markdown,
    "html": _html,
    "docx": _word,
    "pdf": _pdf,
}
