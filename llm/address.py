"""The address of an endpoint and its key: what is none is refused before anything is sent; secrets are not shown."""

import re
from urllib.parse import SplitResult, urlsplit

from ir.errors import BadSetting

OPENAI = "https://api.openai.com/v1"
"""Where a model is asked whose address nothing names."""
_EXAMPLE = "http://localhost:8000/v1"
_OTHER = re.compile(r"[^\x21-\x7e]")  # blanks, control characters, letters that no header and no address can have


def check_address(address: str, source: str = "--base-url") -> None:
    """Refuse what is no address of an endpoint.

    Args:
        source: what set it, for the message.

    Raises:
        BadSetting: it is none; the message shows it without what may be secret.

    >>> check_address("http://localhost:8000/v1")
    """
    fault = _fault(address)
    if fault:
        raise BadSetting(f"{source}: {shown_address(address)!r} {fault}; expected an address such as {_EXAMPLE}")


def shown_address(address: str) -> str:
    """An address as it may be printed and kept: without user, password and query.

    >>> shown_address("https://me:secret@host:8000/v1?key=s3cret")
    'https://host:8000/v1'
    """
    parts = _split(address)
    if parts is None or not parts.netloc:
        return re.sub(r"[?#].*", "", address.rpartition("@")[2], flags=re.DOTALL)[:200]
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def origin(address: str) -> str:
    """Scheme, host and port of an address: who is behind it.

    >>> origin("https://Me:secret@Host/v1"), origin("http://host:8000/v1")
    ('https://host:443', 'http://host:8000')
    """
    parts = urlsplit(address)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return f"{parts.scheme}://{(parts.hostname or '').lower()}:{port}"


def check_key(key: str, source: str = "OPENAI_API_KEY") -> None:
    """Refuse a key that cannot be sent; it is never shown.

    Raises:
        BadSetting: it has blanks, line breaks or letters that no key has.
    """
    if not key or _OTHER.search(key):
        what = "is empty" if not key else "has a blank, a line break or a letter that no key has"
        raise BadSetting(
            f"{source}: the key {what}; set it anew, without quotes around it (any word where none is needed)"
        )


def _fault(address: str) -> str | None:
    if _OTHER.search(address):
        return "has a blank or a letter that no address has"
    parts = _split(address)
    if parts is None:
        return "is no address"
    if parts.scheme not in ("http", "https"):
        return "does not begin with http:// or https://"
    if not parts.hostname:
        return "names no host"
    return None


def _split(address: str) -> SplitResult | None:
    """The parts of an address; None where there are none, as with a port that is no number."""
    try:
        parts = urlsplit(address)
        _ = parts.port, parts.hostname
    except ValueError:
        return None
    return parts
