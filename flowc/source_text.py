"""The text of a file whose findings are shown, and where in it a finding stands."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from flowc.spots import Spot, spot_at, spots
from ir.diagnostics import Diagnostic, Location

_SAYS_WHERE = re.compile(r"line (\d+), column (\d+): ")


@dataclass(frozen=True)
class Region:
    """A part of a text: lines and columns from 1, in code points; the end column is the first one after it."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class SourceText:
    """A file whose diagnostics are shown.

    Args:
        name: as the person named it.
        text: its content; empty where it is not to be quoted.
    """

    name: str
    text: str = ""

    @classmethod
    def read(cls, path: Path) -> "SourceText":
        """The file's text, as far as it is text."""
        return cls(str(path), path.read_bytes().decode("utf-8-sig", errors="replace"))

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return self.text.split("\n")

    @cached_property
    def root(self) -> Spot | None:
        """The places of all values."""
        return spots(self.text, is_yaml=self.name.lower().endswith((".yaml", ".yml"))) if self.text else None

    def place(self, diagnostic: Diagnostic) -> tuple[int, int] | None:
        """Line and column of what a diagnostic is about, None where that is not one place."""
        said = _SAYS_WHERE.match(diagnostic.message)
        if said:
            return int(said[1]), int(said[2])
        return self.at(diagnostic.location)

    def at(self, location: Location) -> tuple[int, int] | None:
        """Line and column of a location."""
        if self.root is None or not location.pointer:
            return None
        spot = spot_at(self.root, location.pointer)
        return spot.line, spot.column

    def region(self, location: Location) -> Region | None:
        """From where to where the value of a location stands, of a member of an object with its key."""
        if self.root is None or not location.pointer:
            return None
        spot = spot_at(self.root, location.pointer)
        return Region(spot.line, spot.column, *self.position(spot.end))

    def region_of(self, diagnostic: Diagnostic) -> Region | None:
        """From where to where stands what a diagnostic is about; one character where the text itself is malformed."""
        if said := _SAYS_WHERE.match(diagnostic.message):
            line, column = int(said[1]), int(said[2])
            return Region(line, column, line, column + 1)
        return self.region(diagnostic.location)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a code point of the text."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]
