"""Names made from any text, which every system can hold as the name of a file; names of files as text."""

import os
import re
import unicodedata
from pathlib import PurePath

_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f/\\:*?\"<>|.\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)", re.IGNORECASE)
_LONGEST_BYTES = 120
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_CHINESE = re.compile(r"[\x20-\x7e\u2014\u2018-\u201d\u2026\u3000-\u301f\u4e00-\u9fff\uff01-\uff5e]+")


def safe_name(text: str) -> str:
    """A name for a file made from any text: letters and digits of any script stay, all else that could harm goes.

    Dots, white space, control characters and what means something in paths become hyphens; names that Windows reserves
    get an underscore; the name is at most 120 bytes long in UTF-8 and never empty. The caller keeps names unique.

    >>> safe_name("危险品运输 / 管理制度 v1.2"), safe_name("../etc/passwd"), safe_name("CON"), safe_name("…")
    ('危险品运输-管理制度-v1-2', 'etc-passwd', 'CON_', 'unnamed')
    """
    name = _UNSAFE.sub("-", unicodedata.normalize("NFKC", text))
    name = re.sub(r"-{2,}", "-", name).strip("-~ ")
    name = name.encode()[:_LONGEST_BYTES].decode(errors="ignore").rstrip("-~ ")
    return f"{name}_" if _RESERVED.fullmatch(name) else name or "unnamed"


def printable_path(path: str | PurePath) -> str:
    r"""A path as text that can be printed and written anywhere, with forward slashes; the same whatever the locale.

    Names of files are bytes. Those that are not UTF-8 are read as Chinese of Windows where that gives Chinese, else
    what is no text stands as `%` and two digits, as do characters that act on a terminal or turn the direction of
    writing.

    >>> printable_path("法规/a\u202eb.pdf")
    '法规/a%E2%80%AEb.pdf'
    >>> printable_path(os.fsdecode("制度".encode("gbk") + b" 1.pdf")), printable_path(os.fsdecode(b"caf\xe9.md"))
    ('制度 1.pdf', 'caf%E9.md')
    """
    plain = path.as_posix() if isinstance(path, PurePath) else path
    return "/".join(map(_spelled, plain.split("/")))


def _spelled(name: str) -> str:
    raw = os.fsencode(name)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("gb18030", errors="replace")
        if not _CHINESE.fullmatch(text):
            text = raw.decode("utf-8", errors="surrogateescape")
    return _UNPRINTABLE.sub(lambda match: _percent(match[0]), text)


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", errors="surrogateescape"))
