"""flowc: policy documents to workflow drafts that are validated and tied to the words they came from.

What programs use: `flowc.compile`, `parse`, `validate`, `explain`, `diff`, `walk`, `write` and `Settings`, with the
forms that they take and give. Each is imported when it is first asked for; `docs/using.md` shows them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compiler.build.results import Build, DocumentResult
    from compiler.build.scheduler import Settings
    from compiler.draft.compiled import Compiled
    from flowc.api import compile, diff, explain, parse, validate, walk, write  # noqa: A004 - as the command is called
    from ir.diagnostics import Diagnostic
    from ir.document import Document
    from ir.errors import CompilerError
    from ir.procedure import Procedure
    from ir.workflow import Workflow
    from llm.choice import ModelChoice

__all__ = [
    "Build",
    "Compiled",
    "CompilerError",
    "Diagnostic",
    "Document",
    "DocumentResult",
    "ModelChoice",
    "Procedure",
    "Settings",
    "Workflow",
    "compile",
    "diff",
    "explain",
    "parse",
    "validate",
    "walk",
    "write",
]
_HOMES = {
    "Build": "compiler.build.results",
    "Compiled": "compiler.draft.compiled",
    "CompilerError": "ir.errors",
    "Diagnostic": "ir.diagnostics",
    "Document": "ir.document",
    "DocumentResult": "compiler.build.results",
    "ModelChoice": "llm.choice",
    "Procedure": "ir.procedure",
    "Settings": "compiler.build.scheduler",
    "Workflow": "ir.workflow",
}


def __getattr__(name: str) -> object:
    """Import on use, so that a command that only prints help loads none of the libraries."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "flowc.api")), name)
