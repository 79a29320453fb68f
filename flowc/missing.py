"""A document that was named and is not there: which ones like it are, or what could be named."""

import unicodedata
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from flowc.stopping import existing_path

_NEAR, _BESIDE, _MOST = 60, 15, 3  # of 100, how alike names must be, and how near to the most like; how many are named
_LOOKED_AT = 5000  # entries of a folder, so that no folder keeps the message waiting
_KINDS = "flowc reads PDF, Word (.docx), HTML, Markdown and text files, and folders of them to the bottom"


def existing_document(path: Path) -> Path:
    """The path of a document or of a folder of them, which must exist.

    Raises:
        MissingPath: it does not; the message names documents of like names, by likeness, in the folder that was named,
            the one that its name was probably meant for, those below it and the one of the command; else what is read.
    """
    from ir.errors import MissingPath

    if path.exists() or path.is_symlink():
        return existing_path(path)
    near = _near(path)
    if near:
        quoted = [f'"{one}"' for one in near]
        hint = f"did you mean {quoted[0] if len(quoted) == 1 else ', '.join(quoted[:-1]) + ' or ' + quoted[-1]}?"
    else:
        hint = f"no name of a document in {_standing(path.parent).resolve()} is like it; {_KINDS}"
    raise MissingPath(f"{path}: there is no such file or folder; {hint}")


def _near(path: Path) -> list[Path]:
    """What bears the most like names, the most like first: documents, and folders where the name has no suffix."""
    found: dict[Path, tuple[float, bool]] = {}
    for folder in _folders(path):
        for one in _documents(folder, folders=not path.suffix):
            likeness = _likeness(path.stem, one.name if one.is_dir() else one.stem)
            if likeness >= _NEAR:
                found.setdefault(one, (likeness, one.suffix.lower() == path.suffix.lower()))
    best = max(found.values(), default=(0.0, False))[0]
    near = [one for one in found if found[one][0] >= best - _BESIDE]
    return sorted(near, key=lambda one: found[one], reverse=True)[:_MOST]


def _folders(path: Path) -> Iterator[Path]:
    """Where to look: the folder that was named, else those of like names; the folders in it; that of the command."""
    named = _standing(path.parent)
    yield named
    inside = [one for one in _entries(named) if one.is_dir()]
    if named == path.parent:
        yield from inside
    elif named == path.parent.parent:
        yield from (one for one in inside if _likeness(path.parent.name, one.name) >= _NEAR)
    if named != Path():
        yield Path()


def _standing(folder: Path) -> Path:
    """The folder; where a part of its path is not there, the nearest one above it."""
    return next(one for one in (folder, *folder.parents) if one.is_dir() or one == one.parent)


def _documents(folder: Path, *, folders: bool) -> Iterator[Path]:
    from compiler.parsers.suffixes import READ

    return (one for one in _entries(folder) if (folders if one.is_dir() else one.suffix.lower() in READ))


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(one for one in islice(folder.iterdir(), _LOOKED_AT) if not one.name.startswith((".", "~$")))
    except OSError:
        return []


def _likeness(name: str, other: str) -> float:
    """How alike two names are, of 100; case and how letters are composed do not count.

    One wrong character of two or three, as in 制渡 for 制度, is as near as names need to be.

    >>> _likeness("EXPENSE", "expense"), _likeness("制渡", "制度"), round(_likeness("报销办法", "报销制度"))
    (100.0, 60.0, 50)
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.fuzz import ratio

    first, second = (unicodedata.normalize("NFKC", one).casefold() for one in (name, other))
    slip = 1 < len(first) == len(second) < 4 and Levenshtein.distance(first, second) == 1
    return max(float(ratio(first, second)), float(_NEAR * slip))
