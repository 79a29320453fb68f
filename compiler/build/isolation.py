"""A bug that one document or procedure sets off costs that one alone, and is told."""

import os
import traceback
from pathlib import Path

from compiler.budget import OverBudget
from ir.diagnostics import Diagnostic, Location, Severity


def refusal(code: str, message: str, doc_id: str) -> Diagnostic:
    """An error that says why nothing comes of a document."""
    return Diagnostic(error_code=code, severity=Severity.ERROR, message=message, location=Location(file=doc_id))


def over_budget(error: OverBudget, doc_id: str) -> Diagnostic:
    """What is said of a document that took more time of the processor, or memory, than it may."""
    message = f"{error}, which a document of this length may take, and was ended; split the document into parts"
    return refusal("over-budget", message, doc_id)


def internal_error(error: Exception, doc_id: str) -> Diagnostic:
    """What is said of a document that flowc itself stumbled over; the trace ends the build where it was asked for."""
    if os.environ.get("FLOWC_TRACEBACK"):
        raise error
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    message = f"flowc stumbled over this document ({type(error).__name__}: {error}, at {place}); this is a bug of flowc"
    return refusal("internal-error", f"{message}, please report it with the document", doc_id)
