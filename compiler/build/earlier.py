"""What stands in a folder before a build is written there: what an earlier build made of it, and what people did."""

import hashlib
import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

MANIFEST = "files.sha256"
"""A line for each file of a build, as `sha256sum -c` reads them: what was written, whatever stands there now."""


@dataclass(frozen=True)
class Kept:
    """A file of a build's folder that is a person's, and was kept.

    Args:
        file: path in the folder.
        new: where what was compiled stands; None where nothing of that name was.
    """

    file: str
    new: str | None


@dataclass(frozen=True)
class Earlier:
    """What stands in a folder.

    Args:
        digests: SHA-256 of each file as the earlier build wrote it; None for one that kept no digests.
    """

    out: Path
    digests: Mapping[str, str | None]

    def is_changed(self, name: str, content: bytes | None = None) -> bool:
        """Whether a file is there that is not what the earlier build wrote, nor what is to be written."""
        path = self.out / on_disk(name)
        if not os.path.lexists(path) or (name in self.digests and self.digests[name] is None):
            return False
        if path.is_symlink() or not path.is_file():
            return True
        try:
            found = path.read_bytes()
        except OSError:
            return True
        return found != content and digest(found) != self.digests.get(name)

    def permissions(self, name: str) -> int | None:
        """The permissions of a file, None where there is none."""
        path = self.out / on_disk(name)
        return path.stat().st_mode & 0o7777 if path.is_file() else None

    def others(self, own: Collection[str], private: Path) -> Iterator[str]:
        """Paths below the folder, as the system spells them, that no build made; folders before what is in them.

        Args:
            own: files that this build made, or the earlier one, and that nobody changed.
            private: a folder that is passed over.
        """
        made = {on_disk(name) for name in own}
        above = {parent.as_posix() for name in made for parent in PurePosixPath(name).parents}
        waiting = [self.out] if self.out.is_dir() else []
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
            for entry in found:
                path = Path(entry.path)
                name = path.relative_to(self.out).as_posix()
                is_folder = entry.is_dir(follow_symlinks=False)
                if path == private or (name in made and not is_folder):
                    continue
                if not is_folder or name not in above:
                    yield name
                if is_folder:
                    waiting.append(path)


def read_earlier(out: Path, summary: str) -> Earlier:
    """What the build that stands in a folder says of itself; nothing where none does.

    Args:
        summary: name of the file in which builds list their files; those before there were digests have no other list.
    """
    return Earlier(out, _digests(out / MANIFEST) or dict.fromkeys(_listed(out / summary)))


def manifest(digests: Mapping[str, str | None]) -> bytes:
    """The manifest of files with these digests."""
    return "".join(f"{found}  {name}\n" for name, found in sorted(digests.items()) if found).encode()


def digest(content: bytes) -> str:
    """What tells one content from another."""
    return hashlib.sha256(content).hexdigest()


def beside_name(name: str) -> str:
    """Where what was compiled goes while a person's file has its name.

    >>> beside_name("policy/claims.workflow.json")
    'policy/claims.workflow.new.json'
    """
    path = PurePosixPath(name)
    return path.with_name(f"{path.stem}.new{path.suffix}").as_posix()


def on_disk(name: str) -> str:
    """The name with which a file is opened whose name in UTF-8 is this, whatever the locale."""
    return os.fsdecode(name.encode("utf-8"))


def _digests(file: Path) -> dict[str, str | None]:
    try:
        lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    except (OSError, UnicodeDecodeError):
        return {}
    parts = [line.split("  ", 1) for line in lines]
    return {part[1]: part[0] for part in parts if len(part) == 2 and _is_inside(part[1])}


def _listed(file: Path) -> list[str]:
    try:
        names = json.loads(file.read_text("utf-8"))["files"] if file.is_file() else []
        return [name for name in names if isinstance(name, str) and _is_inside(name)]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def _is_inside(name: str) -> bool:
    """Whether a path leads nowhere but into the folder that it is told of."""
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts and "\0" not in name and name.isprintable()
