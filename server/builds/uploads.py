"""Documents that come in: how many, how large, of which kinds, and under what names they are kept."""

import shutil
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from compiler.text.names import safe_name
from server.errors import BadForm, TooLarge

KINDS = (".pdf", ".docx", ".html", ".htm", ".md", ".txt")
MOST_FILES, MOST_BYTES = 50, 64 << 20


def keep_documents(files: Sequence[tuple[str, BinaryIO, int]], folder: Path) -> tuple[str, ...]:
    """Write documents into a folder; gives their names.

    Args:
        files: the name that the browser gave, the content, and its size.

    Raises:
        BadForm: there is none, there are too many, or one is of a kind that is not read.
        TooLarge: together they are larger than is taken.
    """
    if not files:
        raise BadForm("no document was chosen; choose at least one")
    if len(files) > MOST_FILES:
        raise BadForm(f"{len(files)} documents were chosen, and {MOST_FILES} are taken at a time; make several builds")
    if sum(size for _, _, size in files) > MOST_BYTES:
        raise TooLarge(f"the documents have more than {MOST_BYTES >> 20} MiB together; make several builds")
    names: dict[str, BinaryIO] = {}
    for given, content, _ in files:
        names[_free(clean_name(given), names)] = content
    for name, content in names.items():
        with (folder / name).open("xb") as out:
            shutil.copyfileobj(content, out)
    return tuple(names)


def clean_name(given: str) -> str:
    r"""The name under which a document is kept: no folder, nothing that a system or a reader could mistake.

    Raises:
        BadForm: it is of a kind that is not read.

    >>> clean_name("C:\\temp\\..\\制度 v2.PDF"), clean_name("../../etc/passwd.txt"), clean_name("<img src=x>.md")
    ('制度-v2.pdf', 'passwd.txt', 'img-src=x.md')
    """
    name = PurePosixPath(given.replace("\\", "/")).name
    suffix = PurePosixPath(name).suffix.casefold()
    if suffix not in KINDS:
        raise BadForm(f"{name or 'a file without a name'} is not read; expected {', '.join(KINDS)}")
    return safe_name(name[: -len(suffix)]) + suffix


def _free(name: str, taken: Sequence[str] | dict[str, BinaryIO]) -> str:
    """The name, with a number where another document has it already; case does not tell names apart."""
    path, known, found, number = PurePosixPath(name), {one.casefold() for one in taken}, name, 2
    while found.casefold() in known:
        found, number = f"{path.stem}-{number}{path.suffix}", number + 1
    return found
