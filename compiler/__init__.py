"""The compiler: `compile_documents` turns files and folders into validated, evidence-backed workflow drafts."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compiler.build.builder import compile_documents
    from compiler.build.results import Build, Compiled, DocumentResult
    from compiler.build.scheduler import Settings

__all__ = ["Build", "Compiled", "DocumentResult", "Settings", "compile_documents"]
_HOMES = {
    "Build": "compiler.build.results",
    "Compiled": "compiler.build.results",
    "DocumentResult": "compiler.build.results",
    "Settings": "compiler.build.scheduler",
    "compile_documents": "compiler.build.builder",
}


def __getattr__(name: str) -> object:
    """Import on use, so that a command that only prints help loads none of the libraries."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
