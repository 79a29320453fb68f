"""A build's folder while it is made: where each file goes, and what of the folder that stands goes with it."""

from pathlib import Path

from compiler.build.beside import keep, take_its_place
from compiler.build.earlier import MANIFEST, Earlier, Kept, beside_name, digest, manifest, on_disk
from compiler.build.files import output_failed, write_new


class FolderInMaking:
    """Takes in the files of a build, and puts them in the place of what stands when all are there.

    Args:
        earlier: what stands there.
        made: the folder in which they are made.
        force: write over what a person changed.
    """

    def __init__(self, earlier: Earlier, made: Path, *, force: bool = False) -> None:
        self._earlier, self._made, self._force = earlier, made, force
        self._digests: dict[str, str | None] = {}
        self.names: list[str] = []
        self.kept: list[Kept] = []

    def write(self, name: str, content: str) -> None:
        """Write a file, or, where a person's stands in its place, one beside it.

        Raises:
            OutputError: it cannot be written.
        """
        data = content.encode("utf-8", errors="backslashreplace")
        place = name
        while not self._force and self._earlier.is_changed(place, data):
            self._digests[place] = digest(data)  # so that the new one, put in its place, is the build's again
            place = beside_name(place)
        if place != name:
            self.kept.append(Kept(name, place))
        self._digests[place] = digest(data)
        self._put(place, data)

    def keep_the_rest(self, last: str) -> None:
        """Keep what a person changed among the files that the earlier build made and this one did not.

        Args:
            last: a file that is still to be written.
        """
        rest = self._earlier.digests.keys() - self._digests.keys() - {last}
        for name in sorted(rest):
            if not self._force and self._earlier.is_changed(name):
                self._digests[name] = self._earlier.digests[name]
                self.kept.append(Kept(name, None))

    def finish(self, last: str) -> None:
        """Let the folder appear.

        Args:
            last: the file that says that a build stands there.

        Raises:
            OutputError: it cannot; what was there is as it was.
        """
        gone = self._earlier.digests.keys() - self._digests.keys()
        self._put(MANIFEST, manifest(self._digests))
        if self._made.parent != self._earlier.out:
            keep(self._earlier.others({*self.names, *gone}, self._made), self._earlier.out, self._made)
        take_its_place(self._made, self._earlier.out, last)
        for name in gone:
            _remove(self._earlier.out, on_disk(name))

    def _put(self, name: str, data: bytes) -> None:
        path = on_disk(name)
        try:
            write_new(self._made / path, data, self._earlier.permissions(name))
        except OSError as error:
            raise output_failed(self._earlier.out / path, error) from error
        self.names.append(name)


def _remove(out: Path, name: str) -> None:
    """Take away a file of the earlier build, where files were moved in one by one, and its folder with the last."""
    path = (out / name).resolve()
    if out in path.parents and path.is_file():
        path.unlink()
        if path.parent != out and not any(path.parent.iterdir()):
            path.parent.rmdir()
