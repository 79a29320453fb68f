"""Faults of the catalog's own files, which stop the program: nothing may be compiled against a broken catalog."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class CatalogFault:
    """One breach of contract in one file.

    Args:
        file: path as the person would open it.
        pointer: JSON pointer into the file; empty for the file as a whole.
        found: what stands there.
        expected: what should.
        next_step: what to do about it.
        line: from 1, where it is known.
    """

    file: str
    pointer: str
    found: str
    expected: str
    next_step: str
    line: int | None = None

    def __str__(self) -> str:
        """`FILE:LINE: POINTER: found …, expected …; NEXT STEP`."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.pointer or '/'}: found {self.found}, expected {self.expected}; {self.next_step}"


class CatalogError(Exception):
    """The catalog cannot be used; `faults` holds everything that is wrong with it, not only the first fault."""

    code = "malformed-catalog"
    told = "the catalog has {count}:"

    def __init__(self, faults: Sequence[CatalogFault]) -> None:
        self.faults = tuple(faults)
        count = f"{len(self.faults)} fault" + ("s" if len(self.faults) != 1 else "")
        super().__init__("\n".join([self.told.format(count=count), *(f"  {fault}" for fault in self.faults)]))

    def __reduce__(self) -> tuple[type["CatalogError"], tuple[tuple[CatalogFault, ...]]]:
        """Keep the faults when the error crosses a process border."""
        return type(self), (self.faults,)


class CatalogClash(CatalogError):  # noqa: N818 - named for the fault, as the codes are
    """Catalogs that are sound by themselves cannot be used together."""

    code = "catalog-clash"
    told = "the catalogs give the same name to different things, {count}:"
