"""Writing files that others read: whole or not at all, under names that any system can hold."""

import os
import re
import stat
import tempfile
import unicodedata
from pathlib import Path

from ir.errors import CompilerError

_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f/\\:*?\"<>|.\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)", re.IGNORECASE)
_LONGEST_BYTES = 120


class OutputError(CompilerError):
    """A file or folder of the build cannot be written."""

    code = "output-failed"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never a part; missing folders are made.

    A file that is there keeps its permissions.

    Args:
        content: text is written as UTF-8 with line feeds as they stand.

    Raises:
        OutputError: the folder or the file cannot be written; the message says what to do.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".write-", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
        Path(temporary).replace(path)
    except OSError as error:
        raise OutputError(
            f"cannot write {path}: {error.strerror or error}; make the folder {path.parent} writable, free disk space, "
            "or name another folder for the output"
        ) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    """The permissions that new files are not given; a temporary file is made with fewer than a file should have."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


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
