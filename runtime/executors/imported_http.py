"""The request that the binding of an imported Type stands for: each input where the operation wants it."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus, urlencode, urlsplit

from pydantic import JsonValue

from catalog.binding import HttpBinding
from ir.fields import Fields, FieldSpec
from runtime.executors.contract import ExecutorFault
from runtime.executors.renamed import sent, there

_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json(?:\s*;.*)?|\*/\*", re.IGNORECASE)
_FORM = "application/x-www-form-urlencoded"
_IN_PATH = re.compile(r"\{([^{}]+)\}")
_SINGLE = ("path", "query", "header", "cookie")
"""Places outside of a body; how an object stands in them is not noted, and of a list only where it does."""
_ALSO_SET = ("accept", "content-type", "content-length", "host", "idempotency-key", "cookie")


@dataclass(frozen=True)
class Request:
    """A request.

    Args:
        content: as httpx takes it.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    content: Mapping[str, Any]


def unsaid(binding: HttpBinding, inputs: Fields, base_url: str | None, headers: Mapping[str, str]) -> Iterator[str]:
    """What a request needs and the binding does not say, each in a sentence with the next step.

    Args:
        base_url: of the settings.
        headers: that the settings set.
    """
    server = urlsplit(binding.server or "")
    if base_url is None and (server.scheme not in ("http", "https") or not server.hostname or "{" in server.netloc):
        yield f"its server is {binding.server!r}, which is no address; write base_url"
    elif base_url is None and "@" in server.netloc:
        yield "its server has a user or password in it; write base_url without, and name a variable under headers"
    by_place = {name: binding.places.get(name) for name in inputs}
    for name, place in by_place.items():
        if place is None:
            yield f"where the input {name} goes is not noted; add it to `places`"
        elif place in _SINGLE and not _stands_outside(name, inputs[name], binding):
            yield f"how the {inputs[name].type} {name} stands in the {place} is not noted; use another kind for it"
        elif place == "body" and binding.media_type == _FORM and inputs[name].type in ("array", "object"):
            yield f"how the {inputs[name].type} {name} stands in a form is not noted; use another kind for it"
    yield from _unsaid_of_path(binding, inputs)
    taken = {*_ALSO_SET, *(one.lower() for one in headers)}
    for name, place in by_place.items():
        if place == "header" and sent(name, binding.names).lower() in taken:
            yield f"the input {name} is a header that is set already; take it out of the Type, or out of the settings"
    bodies = [name for name, place in by_place.items() if place in ("body", "whole-body")]
    if bodies and binding.media_type is None:
        yield "of which media type its body is is not noted; add `media_type`"
    elif bodies and not _is_sent(binding, inputs):
        yield f"a body of {binding.media_type} is none that can be sent; use another kind for it"
    if len(bodies) > 1 and "whole-body" in by_place.values():
        yield "one input is the whole body, and others are in it; correct `places`"


def _stands_outside(name: str, spec: FieldSpec, binding: HttpBinding) -> bool:
    """Whether an input can stand outside of a body: a single value, or a list of these of which it is noted how."""
    if spec.type != "array":
        return spec.type != "object"
    return name in binding.lists and spec.items is not None and spec.items.type not in ("array", "object")


def _unsaid_of_path(binding: HttpBinding, inputs: Fields) -> Iterator[str]:
    wanted = set(_IN_PATH.findall(binding.path))
    given = {sent(name, binding.names): name for name in inputs if binding.places.get(name) == "path"}
    for one in sorted(wanted - set(given)):
        yield f"no input fills {{{one}}} of its path; add it"
    for one in sorted(set(given) - wanted):
        yield f"the input {given[one]} goes in the path, which has no {{{one}}}; correct `places`"
    for one in sorted(wanted & set(given)):
        if inputs[given[one]].required is not True:
            yield f"the input {given[one]} is in the path, and may be left out; make it required"


def _is_sent(binding: HttpBinding, inputs: Fields) -> bool:
    kind = binding.media_type or ""
    whole = [inputs[name] for name, place in binding.places.items() if place == "whole-body" and name in inputs]
    if _JSON.fullmatch(kind):
        return True
    if whole:
        return kind.startswith("text/") and whole[0].type not in ("array", "object")
    return kind == _FORM


def request_of(binding: HttpBinding, fields: Fields, inputs: Mapping[str, JsonValue], base_url: str | None) -> Request:
    """The request for a node's inputs; those that are not given stand nowhere.

    Raises:
        ExecutorFault: an input cannot stand where it has to.
    """
    repeated: set[str] = set()
    at: dict[str, dict[str, JsonValue]] = {place: {} for place in (*_SINGLE, "body", "whole-body")}
    for name, value in inputs.items():
        spec = fields.get(name)
        place = binding.places.get(name)
        if place is None or (value is None and not (place in ("body", "whole-body") and _takes_null(spec))):
            continue
        called = sent(name, binding.names)
        at[place][called] = there(value, spec, f"inputs.{name}", binding.names)
        if binding.lists.get(name) == "repeat":
            repeated.add(called)
    path = _IN_PATH.sub(lambda found: _in_path(found[1], at["path"].get(found[1])), binding.path)
    url = (base_url or binding.server or "").rstrip("/") + path
    query = "&".join(part for name, one in at["query"].items() for part in _in_query(name, one, name in repeated))
    if query:
        url += ("&" if "?" in url else "?") + query
    headers = {name: _in_header(name, one) for name, one in at["header"].items()}
    if at["cookie"]:
        headers["Cookie"] = "; ".join(f"{name}={quote(_text(one), safe='')}" for name, one in at["cookie"].items())
    body, kind = _body(binding, at)
    return Request(binding.method, url, {**headers, **kind}, {"content": body} if body is not None else {})


def _takes_null(spec: FieldSpec | None) -> bool:
    return spec is not None and spec.nullable and spec.required is True


def _body(binding: HttpBinding, at: Mapping[str, Mapping[str, JsonValue]]) -> tuple[bytes | None, dict[str, str]]:
    """The body and the header that says what it is; none where no input stands in it."""
    kind = binding.media_type or ""
    takes = bool({"body", "whole-body"} & {*binding.places.values()})
    if not takes or ("body" not in binding.places.values() and not at["whole-body"]):
        return None, {}
    told = {"Content-Type": "application/json" if kind == "*/*" else kind}
    if "whole-body" in binding.places.values():
        (value,) = at["whole-body"].values()
        text = json.dumps(value, ensure_ascii=False) if _JSON.fullmatch(kind) else _text(value)
        return text.encode(), told
    if kind == _FORM:
        return urlencode({name: _text(one) for name, one in at["body"].items()}).encode(), told
    return json.dumps(dict(at["body"]), ensure_ascii=False).encode(), told


def _in_query(name: str, value: JsonValue, repeat: bool) -> Iterator[str]:
    """The parts of a query that an input makes; an empty list makes none."""
    if not isinstance(value, list):
        yield urlencode({name: _text(value)})
    elif repeat:
        yield from (urlencode({name: _text(one)}) for one in value)
    elif value:
        yield f"{quote_plus(name)}={','.join(quote_plus(_text(one)) for one in value)}"


def _in_path(name: str, value: JsonValue) -> str:
    if isinstance(value, list):
        return ",".join(_in_path(name, one) for one in value or [None])
    if value is None or _text(value).strip() in ("", ".", ".."):
        raise ExecutorFault("BAD_INPUT", f"{name} is {value!r}, which cannot stand in an address", made=False)
    return quote(_text(value), safe="")


def _in_header(name: str, value: JsonValue) -> str:
    text = ",".join(map(_text, value)) if isinstance(value, list) else _text(value)
    if not text.isascii() or not text.isprintable():
        raise ExecutorFault("BAD_INPUT", f"{name} is {value!r}, which cannot stand in a header", made=False)
    return text


def _text(value: JsonValue) -> str:
    """A single value as it stands in an address, a header or a form.

    >>> _text(True), _text(5000.0), _text("硫酸")
    ('true', '5000', '硫酸')
    """
    if isinstance(value, str):
        return value
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)
