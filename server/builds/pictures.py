"""Pictures of the pages of a PDF, made by a process of its own, since a broken file may end the one that draws it.

python -m server.builds.pictures FILE FIRST FOLDER
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

AT_ONCE, SECONDS = 10, 60.0
"""Pages that are drawn at a time, and what that may take."""


@dataclass(frozen=True)
class DrawnPage:
    """A page that was drawn.

    Args:
        width, height: in points.
    """

    number: int
    width: float
    height: float


def drawn_pages(file: Path, first: int, folder: Path) -> tuple[DrawnPage, ...]:
    """Have pages drawn, from the first on; none where the file cannot be drawn.

    Args:
        folder: where the pictures are kept, and taken from the next time.
    """
    listed = folder / f"from-{first}.json"
    if not listed.is_file():
        words = [sys.executable, "-m", "server.builds.pictures", str(file), str(first), str(folder)]
        try:
            subprocess.run(words, check=True, timeout=SECONDS, capture_output=True)  # noqa: S603 - our own
        except (subprocess.SubprocessError, OSError):
            return ()
    return tuple(DrawnPage(*one) for one in json.loads(listed.read_text("utf-8")))


def picture_file(folder: Path, number: int) -> Path:
    """The picture of a page."""
    return folder / f"{number}.png"


def _draw(file: Path, first: int, folder: Path) -> None:
    from compiler.parsers.pdf.pictures import page_pictures

    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for number, width, height, png in page_pictures(file.read_bytes(), AT_ONCE, first):
        picture_file(folder, number).write_bytes(png)
        found.append((number, width, height))
    listed = folder / f"from-{first}.json"
    part = listed.with_suffix(".part")
    part.write_text(json.dumps(found), "utf-8")
    part.replace(listed)


if __name__ == "__main__":
    _draw(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
