"""Names made from any text, which every system can hold as the name of a file."""

import re
import unicodedata

_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f/\\:*?\"<>|.\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)", re.IGNORECASE)
_LONGEST_BYTES = 120


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
