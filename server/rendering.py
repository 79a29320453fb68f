"""Pages from templates: text is escaped, the words are in the reader's language, forms bring the session's token."""

import json
import re
from functools import cache
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from compiler.report.markup import Markup as ReportMarkup
from compiler.report.markup import visible
from ir.source import Language
from server.access import may_read
from server.sessions import Session
from server.site import Site
from server.words import TEMPLATES, Words, asked_language

LANGUAGE = "flowc_language"


@cache
def environment() -> Environment:
    """The templates; what they name and was not given is a fault, not nothing."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_shown,
    )  # fmt: skip
    made.filters["moment"] = lambda at: at[:16].replace("T", " ")
    made.filters["json_text"] = lambda value: json.dumps(value, ensure_ascii=False)
    made.filters["column"] = _column
    return made


def _shown(value: object) -> object:
    """Text without characters that a reader cannot see; markup of the reports as what it is."""
    if isinstance(value, ReportMarkup):
        return Markup(value)  # noqa: S704 - it was made by functions that escape
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def _column(message: str) -> int | None:
    """The column of a text that a fault's message names; None where it names none."""
    found = re.search(r"\bcolumn (\d+)", message)
    return int(found[1]) if found else None


def language_of(request: Request) -> Language:
    """The reader's language: as chosen, else as the browser asks."""
    chosen = request.cookies.get(LANGUAGE)
    if chosen in ("zh", "en"):
        return "zh" if chosen == "zh" else "en"
    return asked_language(request.headers.get("accept-language", ""))


def page(
    request: Request, template: str, session: Session | None = None, status: int = 200, **values: Any
) -> HTMLResponse:
    """A page, or a part of one."""
    return HTMLResponse(rendered(request, template, session, **values), status)


def rendered(request: Request, template: str, session: Session | None = None, **values: Any) -> str:
    """A template filled in."""
    site: Site = request.app.state.site
    words = Words(language_of(request))
    return environment().get_template(template).render(
        w=words,
        language="zh-CN" if words.language == "zh" else "en",
        user=session.user if session else None,
        reads=session is not None and may_read(session.user),
        csrf=session.csrf if session else "",
        here=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        path=request.url.path,
        site=site,
        **values,
    )  # fmt: skip
