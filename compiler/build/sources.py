"""Which files a build reads, and under what names."""

import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path

from compiler.parsers.limits import Limits
from compiler.text.names import printable_path
from ir.decisions.decision import FILE as DECISIONS
from ir.errors import MissingPath, NoDocuments, UnreadableFile

IGNORED = (".", "~$", "__MACOSX")
NOT_DOCUMENTS = frozenset({"desktop.ini", "Thumbs.db", DECISIONS})
DATA = frozenset(
    [".cfg", ".css", ".csv", ".db", ".ini", ".js", ".json", ".jsonl", ".lock", ".log", ".py", ".sh", ".sql", ".toml"]
) | {".ts", ".tsv", ".yaml", ".yml"}
LARGEST = Limits().bytes
_KINDS = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class InputFile:
    """One file to compile.

    Args:
        doc_id: path relative to the folder that was named, with forward slashes; unique in the build, and printable
            whatever the file is called.
        named: the person named the file itself, not a folder above it.
        hindrance: why it is not read, where that is known before.
    """

    path: Path
    doc_id: str
    named: bool
    hindrance: str | None = None

    @classmethod
    def of(cls, path: Path) -> "InputFile":
        """A file that was named itself."""
        return cls(path, printable_path(path.name), named=True)

    @property
    def size(self) -> int:
        """How many bytes it has.

        Raises:
            UnreadableFile: it cannot be read.
        """
        if self.hindrance:
            raise UnreadableFile(f"{printable_path(self.path)}: {self.hindrance}")
        try:
            found = self.path.stat()
        except OSError as error:
            raise self._unreadable(error) from error
        if not stat.S_ISREG(found.st_mode):
            kind = _KINDS.get(stat.S_IFMT(found.st_mode), "folder")
            raise UnreadableFile(f"{printable_path(self.path)}: is a {kind}, not a file; save what it gives as a file")
        return found.st_size

    def read(self) -> bytes:
        """The bytes; of a file that is larger than any document may be, so many that this shows.

        Raises:
            UnreadableFile: it cannot be read.
        """
        self.size  # noqa: B018 - refuses what is no file, which opening could wait for
        try:
            with os.fdopen(os.open(self.path, os.O_RDONLY | _AT_ONCE), "rb") as file:
                return file.read(LARGEST + 1)
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> UnreadableFile:
        advice = f"cannot be read: {error.strerror}; check its permissions"
        return UnreadableFile(f"{printable_path(self.path)}: {advice}")


def collect(paths: list[Path]) -> tuple[InputFile, ...]:
    """The files under the paths, folders searched to the bottom, in the order of their names.

    Hidden files, office lock files, data and program files (by their suffix) and folders that an earlier build made are
    passed over; a file that is named itself is read whatever it is called. Links that lead out of the folder that was
    named, or nowhere, pipes, devices and folders that cannot be listed are among what is found, and not read.

    Raises:
        MissingPath: a path does not exist.
        NoDocuments: there is no file at all.
    """
    found: list[InputFile] = []
    for path in paths:
        if not path.exists():
            raise MissingPath(f"{path}: there is no such file or folder; check the spelling")
        if path.is_dir():
            inside = [one for one in _searched(path).found if not _is_data(one)]
            found += sorted(inside, key=lambda one: [os.fsencode(part) for part in one.path.relative_to(path).parts])
        else:
            found.append(InputFile.of(path))
    if not found:
        names = ", ".join(str(path) for path in paths)
        left = skipped_files_notice(paths)
        raise NoDocuments(
            f"{names}: no file to compile; name a PDF, Word, HTML, Markdown or text file or a folder of them"
            + (f" ({left})" if left else "")
        )
    return _unique(found)


def skipped_files_notice(paths: list[Path]) -> str | None:
    """A notice of the data and program files and the earlier builds in the folders, None where there are none."""
    searched = [_searched(path) for path in paths if path.is_dir()]
    data = [one.path.suffix.lower() for each in searched for one in each.found if _is_data(one)]
    builds = sorted(printable_path(folder) for each in searched for folder in each.builds)
    told = []
    if data:
        kinds = ", ".join(sorted(set(data)))
        told.append(f"{len(data)} data and program files ({kinds}) are no documents and were passed over")
        told.append("name one to compile it")
    if builds:
        told.append(f"an earlier build stands in {', '.join(builds)}, which was passed over")
    return "; ".join(told) or None


def _is_data(file: InputFile) -> bool:
    return file.path.suffix.lower() in DATA


@dataclass(frozen=True)
class _Searched:
    """What is in a folder, in no order: what may be documents, and folders in which earlier builds stand."""

    found: tuple[InputFile, ...]
    builds: tuple[Path, ...]


def _searched(folder: Path) -> _Searched:
    real = Path(os.path.realpath(folder))
    found, builds, waiting = list[InputFile](), list[Path](), [folder]

    def add(path: Path, hindrance: str) -> None:
        name = printable_path(path.relative_to(folder))
        found.append(InputFile(path, name, named=False, hindrance=hindrance or None))

    while waiting:
        current = waiting.pop()
        if _is_build(current):
            builds.append(current)
            continue
        try:
            with os.scandir(current) as listed:
                entries = [entry for entry in listed if _wanted(entry.name)]
        except OSError as error:
            add(current, f"cannot be listed: {error.strerror}; check its permissions")
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif (hindrance := _hindrance(entry, real)) is not None:
                add(Path(entry.path), hindrance)
    return _Searched(tuple(found), tuple(builds))


def _hindrance(entry: "os.DirEntry[str]", folder: Path) -> str | None:
    """Why a file or link is not read; empty for one that is, None for one that is found elsewhere."""
    if not entry.is_symlink():
        return ""
    target = Path(os.path.realpath(entry.path))
    if not os.path.lexists(target) or target.is_symlink():
        return "is a link that leads nowhere; take it away, or restore what it leads to"
    if not target.is_relative_to(folder):
        return "is a link that leads out of the folder that was named and was not followed; name it to compile it"
    return None if target.is_dir() else ""


def _is_build(folder: Path) -> bool:
    """Whether an earlier build stands in a folder, whose files are no documents."""
    summary = folder / "summary.json"
    try:
        if not (summary.is_file() and (folder / "ledger.jsonl").is_file()):
            return False
        with summary.open("rb") as file:
            return b'"flowc"' in file.read(200)
    except OSError:
        return False


def _wanted(name: str) -> bool:
    return not name.startswith(IGNORED) and name not in NOT_DOCUMENTS


def _unique(files: list[InputFile]) -> tuple[InputFile, ...]:
    """Each file once, those of one name told apart by the names of their folders."""
    read = {os.path.realpath(file.path) for file in files if not file.hindrance}
    kept: dict[str, InputFile] = {}
    for file in files:
        real = os.path.realpath(file.path)
        if not file.hindrance:
            kept.setdefault(real, file)
        elif real not in read:
            kept[f"not read: {file.path}"] = file
    names = [file.doc_id for file in kept.values()]
    taken: set[str] = set()
    result = []
    for file in kept.values():
        name = file.doc_id
        if names.count(name) > 1:
            name = f"{printable_path(Path(os.path.realpath(file.path)).parent.name)}/{name}"
        number = 2
        while name in taken:
            name, number = f"{number}-{file.doc_id}", number + 1
        taken.add(name)
        result.append(replace(file, doc_id=name))
    return tuple(result)
