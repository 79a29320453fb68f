"""Where builds are: those of the workspace in `.flowc/builds`, and folders that were named when the server started."""

import json
import re
import secrets
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from compiler.build.folder import SUMMARY
from compiler.build.read_build import ReadBuild, read_build
from compiler.text.names import safe_name
from ir.base import Model
from server.errors import BuildUnreadable, UnknownPlace

FOLDER, ABOUT, ENDED, LOG = "builds", "build.json", "ended.json", "compile.log"
_ID = re.compile(r"[\w-]{1,120}")
State = Literal["waiting", "running", "done", "failed", "stopped"]


class About(Model):
    """What is known of a build before it is made.

    Args:
        model: whether a language model reads its documents.
    """

    title: str
    by: str
    at: str
    model: bool = False


class Ended(Model):
    """How the process of a build ended.

    Args:
        status: as `flowc compile` ends; 0 and 1 leave a build, 1 one with faults.
        message: what it said last, where it left none.
    """

    status: int
    message: str = ""


@dataclass(frozen=True)
class BuildFolder:
    """A build on the disk.

    Args:
        folder: what the server keeps of it; None for a folder that was named, of which nothing is written.
        out: what `flowc compile` writes.
    """

    id: str
    title: str
    out: Path
    folder: Path | None = None

    @property
    def documents(self) -> Path | None:
        """The documents that it is made from; None where they are not here."""
        return self.folder / "documents" if self.folder else None

    @property
    def about(self) -> About | None:
        """Who began it, and when; None for a folder that was named."""
        return About.model_validate(json.loads((self.folder / ABOUT).read_text("utf-8"))) if self.folder else None

    @property
    def ended(self) -> Ended | None:
        """How its process ended; None while it runs, or where the server ended before it."""
        file = self.folder / ENDED if self.folder else None
        return Ended.model_validate(json.loads(file.read_text("utf-8"))) if file and file.is_file() else None

    @property
    def is_made(self) -> bool:
        """Whether there is something to show."""
        return (self.out / SUMMARY).is_file()

    def read(self) -> ReadBuild:
        """What it came to.

        Raises:
            BadInputFile: it is not what was written.
            UnknownPlace: it is not made yet, or came to nothing.
        """
        if not self.is_made:
            raise UnknownPlace(f"the build {self.title} has nothing to show yet; its page says how far it is")
        return read_build(self.out)


def must_be_a_build(path: Path) -> None:
    """Stop where a path is no folder that `flowc compile` wrote.

    Raises:
        BuildUnreadable: with what to name instead.
    """
    if not (path / SUMMARY).is_file():
        raise BuildUnreadable(f"{path} is no build: it has no {SUMMARY}; name a folder of `flowc compile -o`")


class Builds:
    """The builds that a server shows.

    Args:
        root: the folder `.flowc` of the workspace.
        named: builds elsewhere, which are only shown.
    """

    def __init__(self, root: Path, named: Iterable[Path] = ()) -> None:
        self.root = root.resolve() / FOLDER
        self.named: dict[str, BuildFolder] = {}
        for path in named:
            whole = path.resolve()
            must_be_a_build(path)
            name, number = safe_name(whole.name), 2
            while name in self.named:
                name, number = f"{safe_name(whole.name)}-{number}", number + 1
            self.named[name] = BuildFolder(name, whole.name, whole)

    def all(self) -> list[BuildFolder]:
        """Those that were named, then those of the workspace, the latest first."""
        own = sorted((path for path in self.root.glob("*") if (path / ABOUT).is_file()), reverse=True)
        return [*self.named.values(), *(self._own(path) for path in own)]

    def build(self, build_id: str) -> BuildFolder:
        """One of them.

        Raises:
            UnknownPlace: there is none of this id.
        """
        if build_id in self.named:
            return self.named[build_id]
        if not _ID.fullmatch(build_id) or not (self.root / build_id / ABOUT).is_file():
            raise UnknownPlace(f"there is no build {build_id}; the list of builds shows what there is")
        return self._own(self.root / build_id)

    def new(self, about: About) -> BuildFolder:
        """A folder for a build that is to be made, with a place for its documents."""
        made = datetime.now(UTC).strftime("%Y%m%d-%H%M%S") + f"-{secrets.token_hex(3)}"
        folder = self.root / made
        (folder / "documents").mkdir(parents=True)
        (folder / ABOUT).write_text(json.dumps(about.to_json(), ensure_ascii=False), "utf-8")
        return self._own(folder)

    def discard(self, build: BuildFolder) -> None:
        """Take a build of the workspace away."""
        assert build.folder is not None and build.folder.parent == self.root
        shutil.rmtree(build.folder)

    def _own(self, folder: Path) -> BuildFolder:
        about = About.model_validate(json.loads((folder / ABOUT).read_text("utf-8")))
        return BuildFolder(folder.name, about.title, folder / "out", folder)
