"""Why a source cannot be imported."""

from collections.abc import Sequence

from catalog.errors import CatalogFault
from ir.errors import CompilerError


class MalformedSource(CompilerError):  # noqa: N818 - named for the fault, as the codes are
    """A source is not of its form; `faults` holds all that is wrong with it."""

    code, exit_status = "malformed-source", 2

    def __init__(self, faults: Sequence[CatalogFault]) -> None:
        self.faults = tuple(faults)
        count = f"{len(self.faults)} fault" + ("s" if len(self.faults) != 1 else "")
        lines = [f"  {fault}" for fault in self.faults]
        super().__init__("\n".join([f"nothing was imported, the source has {count}:", *lines]))


class ImportClash(MalformedSource):
    """Two tools of a source would be Types of the same name, or a Type takes the name of another import's."""

    code = "import-clash"


class UnreachableSource(CompilerError):  # noqa: N818
    """A server did not answer, or not within its bounds."""

    code, exit_status = "unreachable-source", 3


class MissingExtra(CompilerError):  # noqa: N818
    """What this needs is not installed."""

    code, exit_status = "missing-extra", 3
