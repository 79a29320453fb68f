"""Names of the catalog for what other systems call otherwise."""

import hashlib
import re
import unicodedata
from collections.abc import Container

from ir.errors import BadSetting

_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+|[\u3400-\u9fff]+")
LONGEST = 60


def identifier_words(name: str) -> tuple[str, ...]:
    """The words of an identifier.

    >>> identifier_words("calculateBotProbabilityIndex"), identifier_words("GET /v2/orders/{orderId}")
    (('calculate', 'bot', 'probability', 'index'), ('get', 'v2', 'orders', 'order', 'id'))
    >>> identifier_words("getHTTPStatus"), identifier_words("validate_customer")
    (('get', 'http', 'status'), ('validate', 'customer'))
    """
    return tuple(word.lower() for word in _WORD.findall(_plain(name)))


def type_part(name: str) -> str:
    """One half of a Type's name for any name; what has no Latin letters gets one of its own that stays the same.

    >>> type_part("calculateBotProbabilityIndex"), type_part("Orders API (v2)"), type_part("查询订单")
    ('calculate_bot_probability_index', 'orders_api_v2', 'n_bdf6d4')
    """
    words = [word for word in identifier_words(name) if word.isascii()]
    text = "_".join(words)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST - 7].strip('_')}_{_digest(name)}"
    if not text:
        return f"n_{_digest(name)}"
    return text if text[0].isalpha() else f"n_{text}"


def field_name(name: str, taken: Container[str] = ()) -> str:
    """A field's name for any name: itself where references can hold it.

    >>> field_name("Captcha_tries"), field_name("$filter"), field_name("2nd line"), field_name("申请人")
    ('Captcha_tries', 'filter', 'f_2nd_line', 'f_0a2a5c')
    """
    found = name
    if not _FIELD.fullmatch(name):
        text = re.sub(r"[^A-Za-z0-9_-]+", "_", _plain(name)).strip("_-")
        found = text if _FIELD.fullmatch(text) else f"f_{text or _digest(name)}"
    return found if found not in taken else f"{found}_{_digest(name)}"


def check_namespace(name: str | None) -> None:
    """Refuse a namespace that no Type can have.

    Raises:
        BadSetting: it is none.
    """
    if name is not None and not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise BadSetting(
            f'--namespace: "{name}" is none; expected small letters, digits and _, as in {type_part(name)}'
        )


def check_entry_point(said: str | None) -> None:
    """Refuse what is neither a module nor a class of one.

    Raises:
        BadSetting: it is neither.
    """
    if said is not None and not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(:[A-Za-z_]\w*)?", said):
        raise BadSetting(
            f'--entry-point: "{said}" is none; expected a module, or a class of one, as in desk.tools:Desk'
        )


def _plain(name: str) -> str:
    """Accents and widths taken off letters."""
    return "".join(one for one in unicodedata.normalize("NFKD", name) if not unicodedata.combining(one))


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
