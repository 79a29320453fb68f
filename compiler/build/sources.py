"""Which files a build reads, and under what names."""

from dataclasses import dataclass
from pathlib import Path

from ir.decision import FILE as DECISIONS
from ir.errors import MissingPath, NoDocuments, UnreadableFile

IGNORED = (".", "~$", "__MACOSX")
NOT_DOCUMENTS = frozenset({"desktop.ini", "Thumbs.db", DECISIONS})
DATA = frozenset(
    [".cfg", ".css", ".csv", ".db", ".ini", ".js", ".json", ".jsonl", ".lock", ".log", ".py", ".sh", ".sql", ".toml"]
) | {".ts", ".tsv", ".yaml", ".yml"}


@dataclass(frozen=True)
class InputFile:
    """One file to compile.

    Args:
        doc_id: path relative to the folder that was named, with forward slashes; unique in the build.
        named: the person named the file itself, not a folder above it.
    """

    path: Path
    doc_id: str
    named: bool

    def read(self) -> bytes:
        """The bytes.

        Raises:
            UnreadableFile: it cannot be read.
        """
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise UnreadableFile(f"{self.path}: cannot be read: {error.strerror}; check its permissions") from error


def collect(paths: list[Path]) -> tuple[InputFile, ...]:
    """The files under the paths, folders searched to the bottom, in the order of their names.

    Hidden files, office lock files, links that lead nowhere, data and program files (by their suffix) and folders that
    an earlier build made are passed over; a file that is named itself is read whatever it is called.

    Raises:
        MissingPath: a path does not exist.
        NoDocuments: there is no file at all.
    """
    found: list[InputFile] = []
    for path in paths:
        if not path.exists():
            raise MissingPath(f"{path}: there is no such file or folder; check the spelling")
        if path.is_dir():
            builds = [summary.parent for summary in path.rglob("summary.json") if _is_build(summary)]
            files = sorted(
                file
                for file in path.rglob("*")
                if file.is_file() and _wanted(file.relative_to(path)) and not set(file.parents) & set(builds)
            )
            texts = [file for file in files if file.suffix.lower() not in DATA]
            found += [InputFile(file, file.relative_to(path).as_posix(), named=False) for file in texts]
        else:
            found.append(InputFile(path, path.name, named=True))
    if not found:
        names = ", ".join(str(path) for path in paths)
        left = skipped_files_notice(paths)
        raise NoDocuments(
            f"{names}: no file to compile; name a PDF, Word, HTML, Markdown or text file or a folder of them"
            + (f" ({left})" if left else "")
        )
    return _unique(found)


def skipped_files_notice(paths: list[Path]) -> str | None:
    """A notice of the data and program files in the folders, None where there are none."""
    folders = [path for path in paths if path.is_dir()]
    data = [file for path in folders for file in path.rglob("*") if file.suffix.lower() in DATA and file.is_file()]
    seen = [f for f in data if _wanted(Path(f.name)) and not any((up / "ledger.jsonl").is_file() for up in f.parents)]
    if not seen:
        return None
    kinds = ", ".join(sorted({file.suffix.lower() for file in seen}))
    return f"{len(seen)} data and program files ({kinds}) are no documents and were passed over; name one to compile it"


def _is_build(summary: Path) -> bool:
    """Whether a `summary.json` is of an earlier build, whose files are no documents."""
    try:
        return '"flowc"' in summary.read_text("utf-8")[:200] and (summary.parent / "ledger.jsonl").is_file()
    except (OSError, UnicodeDecodeError):
        return False


def _wanted(relative: Path) -> bool:
    return not any(part.startswith(IGNORED) for part in relative.parts) and relative.name not in NOT_DOCUMENTS


def _unique(files: list[InputFile]) -> tuple[InputFile, ...]:
    """Tell apart files of one name from different folders by the folders' names."""
    seen: set[Path] = set()
    kept = [f for f in files if not (f.path.resolve() in seen or seen.add(f.path.resolve()))]  # type: ignore[func-returns-value]
    names = [file.doc_id for file in kept]
    taken: set[str] = set()
    result = []
    for file in kept:
        name = file.doc_id if names.count(file.doc_id) == 1 else f"{file.path.resolve().parent.name}/{file.doc_id}"
        number = 2
        while name in taken:
            name, number = f"{number}-{file.doc_id}", number + 1
        taken.add(name)
        result.append(InputFile(file.path, name, file.named))
    return tuple(result)
