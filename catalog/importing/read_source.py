"""Reads the file of a source, JSON or YAML, and finds out what kind of source it is."""

import json
from pathlib import Path

from catalog.errors import CatalogFault
from catalog.importing.errors import MalformedSource
from catalog.read import Parsed, parse
from ir.errors import UnreadableFile

LARGEST = 64 * 1024 * 1024
"""Bytes of a file; the largest published descriptions of services have about 12 MB."""


def read_source(path: Path) -> Parsed:
    """The data of a file, with the lines where it is YAML.

    Raises:
        UnreadableFile: the system does not let it be read, or it is too large.
        MalformedSource: it is neither JSON nor YAML in UTF-8.
    """
    return parsed_text(read_text(path), str(path), json_only=path.suffix.lower() == ".json")


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        UnreadableFile: the system does not let it be read, or it is too large.
        MalformedSource: it is not in UTF-8.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise UnreadableFile(f"{path}: it has more than {LARGEST // 2**20} MB; name a smaller file")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}; check the path and its permissions") from error
    except UnicodeDecodeError as error:
        found = f"a byte that is no UTF-8 at {error.start}"
        fault = CatalogFault(str(path), "", found, "text in UTF-8", "save the file as UTF-8")
        raise MalformedSource([fault]) from error


def _no_number(constant: str) -> object:
    raise json.JSONDecodeError(f"{constant} is no JSON", constant, 0)


def parsed_text(text: str, file: str, *, json_only: bool = False) -> Parsed:
    """The data of a text.

    Raises:
        MalformedSource: it is neither JSON nor, unless that alone may be, YAML.
    """
    is_json = json_only or text.lstrip()[:1] in ("{", "[")
    try:
        if is_json:
            data = json.loads(text, parse_constant=_no_number)
            json.dumps(data, ensure_ascii=False).encode("utf-8")
            return Parsed(file, data, None)
    except UnicodeEncodeError as error:
        found = "half of a pair of surrogates, which is no character"
        raise MalformedSource([CatalogFault(file, "", found, "text that is text", "correct the file")]) from error
    except (json.JSONDecodeError, RecursionError) as error:
        if json_only or isinstance(error, RecursionError):
            found = error.msg if isinstance(error, json.JSONDecodeError) else "values within values without end"
            line = error.lineno if isinstance(error, json.JSONDecodeError) else None
            raise MalformedSource(
                [CatalogFault(file, "", found, "one JSON value", "correct the file", line)]
            ) from error
    parsed = parse(text, file, foreign=True)
    if parsed.faults:
        raise MalformedSource(parsed.faults)
    return parsed
