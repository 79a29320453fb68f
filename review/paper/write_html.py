"""A report as one HTML file that is printed as it stands: no script, no network."""

import base64
import hashlib
import json
from importlib.resources import files

from compiler.report.markup import Markup, element, join
from review.paper.parts import Paper, Part, Picture, Section, Signatures, Table, Text


def html_page(paper: Paper) -> str:
    """The page."""
    style = _style(paper)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    language = "zh-CN" if paper.language == "zh" else "en"
    head = join(
        [
            element("meta", {"charset": "utf-8"}),
            element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
            element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
            element("title", {}, f"{paper.title} · {paper.kind}"),
            element("style", {}, Markup(style)),
        ]
    )
    body = element("body", {}, _header(paper), element("main", {}, map(_section, paper.sections)))
    return f"<!DOCTYPE html>\n{element('html', {'lang': language}, element('head', {}, head), body)}\n"


def _style(paper: Paper) -> str:
    """The style, with the words at the foot of each page."""
    before, _, rest = paper.page_of.partition("{0}")
    between, _, after = rest.partition("{1}")
    said = [json.dumps(text, ensure_ascii=False).replace("<", "\\3c ") for text in (before, between, after)]
    foot = f"{said[0]} counter(page) {said[1]} counter(pages) {said[2]}"
    return (files(__package__) / "paper.css").read_text(encoding="utf-8").replace("PAGE_OF", foot)


def _header(paper: Paper) -> Markup:
    facts = [element("div", {}, element("dt", {}, name), element("dd", {}, value)) for name, value in paper.facts]
    return element(
        "header",
        {},
        element("p", {"class": "kind"}, paper.kind),
        element("h1", {}, paper.title),
        element("dl", {}, facts),
    )


def _section(section: Section) -> Markup:
    return element("section", {}, element("h2", {}, section.title), map(_part, section.parts))


def _part(part: Part) -> Markup:
    match part:
        case Text():
            return element("p", {"class": "note" if part.note else None}, part.text)
        case Picture():
            return _picture(part)
        case Signatures():
            return _signatures(part)
        case Table():
            return _table(part)


def _signatures(part: Signatures) -> Markup:
    blank = [element("td", {}) for _ in part.head[1:]]
    rows = [element("tr", {}, element("td", {}, role), blank) for role in part.roles]
    table = element("table", {}, _head(part.head), element("tbody", {}, rows))
    signed = element("ul", {"class": "note"}, [element("li", {}, line) for line in part.signed])
    return element("div", {"class": "sign"}, table, signed, element("p", {"class": "note"}, part.note))


def _picture(part: Picture) -> Markup:
    data = f"data:image/png;base64,{base64.b64encode(part.png).decode()}"
    size = {"width": round(part.width * 4 / 3), "height": round(part.height * 4 / 3)}  # points as pixels
    note = element("figcaption", {"class": "note"}, part.note) if part.note else None
    return element("figure", {}, element("img", {"src": data, "alt": part.title, **size}), note)


def _table(part: Table) -> Markup:
    more = element("p", {"class": "note"}, part.more) if part.left_out else None
    if not part.head:
        return join([element("ul", {}, [element("li", {}, row.cells[0]) for row in part.rows]), more])
    columns = [element("col", {"width": f"{width:.0%}"}) for width in part.widths]
    rows = [element("tr", {}, [element("td", {}, cell) for cell in row.cells]) for row in part.rows]
    return join(
        [element("table", {}, element("colgroup", {}, columns), _head(part.head), element("tbody", {}, rows)), more]
    )


def _head(names: tuple[str, ...]) -> Markup:
    return element("thead", {}, element("tr", {}, [element("th", {"scope": "col"}, name) for name in names]))
