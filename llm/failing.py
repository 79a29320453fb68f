"""What is said where a model gave nothing that can be used."""

from ir.diagnostics import Diagnostic, Location, Severity


def model_failed(doc_id: str, message: str, found: str, expected: str, block: str | None = None) -> Diagnostic:
    """A `model-failed` warning about a document.

    Args:
        found: the kind of the fault, or what came instead of an answer.
        block: where the part begins that was not answered.
    """
    return Diagnostic(
        error_code="model-failed",
        severity=Severity.WARNING,
        message=message,
        location=Location(file=doc_id, block=block),
        found=found,
        expected=expected,
    )
