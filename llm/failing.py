"""What is said where a model gave nothing that can be used."""

from ir.diagnostics import Diagnostic, Location, Severity
from llm.faults import ModelFault

_OFFLINE = "compile with --offline or --fallback offline to have it read without a model"
_STEPS = {
    "unreachable": "check the address (--base-url, `flowc config`) and that an endpoint runs there",
    "open": "compile again when the endpoint is well; what was answered is kept",
    "cut": "let answers be longer (max_tokens in model_options), or name another model",
    "malformed": "name another model",
    "unsupported": "name another model, or an endpoint that holds its answers to a form",
    "stale": "record anew with --model NAME --record DIR, or name the recording of these documents",
    "spent": "raise --max-cost or --max-cost-per-document; what was answered is kept",
}
_REFUSED = {
    401: "check the key (FLOWC_API_KEY, OPENAI_API_KEY)",
    402: "check the account of the key",
    403: "check the key (FLOWC_API_KEY, OPENAI_API_KEY) and what it allows",
    404: "check the model's name and the address, which mostly ends in /v1",
    429: "check the account of the key",
}


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


def no_answer(doc_id: str, fault: ModelFault | None) -> Diagnostic:
    """A `no-answer` error about a document that no model read, and that nothing else was to read.

    Args:
        fault: of the first request that was not answered.
    """
    found = f" ({fault})" if fault else ""
    step = f"{next_step(fault)}, or {_OFFLINE}" if fault else _OFFLINE
    return Diagnostic(
        error_code="no-answer",
        severity=Severity.ERROR,
        message=f"the model did not read this document{found}; it has no draft; {step}",
        location=Location(file=doc_id),
        found=fault.kind if fault else None,
        expected="an answer of the form",
    )


def nothing_answered(asked: int, fault: ModelFault | None, where: str) -> str:
    """What is said of a build none of whose requests was answered.

    Args:
        where: the address that was asked, or the recording.
    """
    many = "the one request" if asked == 1 else f"any of {asked} requests"
    step = f"{next_step(fault)}, or {_OFFLINE}" if fault else _OFFLINE
    return f"no answer to {many} from {where} ({fault}); nothing is written\n{step}"


def next_step(fault: ModelFault) -> str:
    """What a person does about a fault.

    >>> next_step(ModelFault("refused", "HTTP 401", 401))
    'check the key (FLOWC_API_KEY, OPENAI_API_KEY)'
    """
    if fault.status is not None and 300 <= fault.status < 400:
        return "name the address itself, not one that leads to it"
    if fault.kind == "unreachable" and fault.status is not None:
        return "compile again when the endpoint is well"
    if fault.kind == "refused":
        return _REFUSED.get(fault.status or 0, "check the model's name and the address, which mostly ends in /v1")
    return _STEPS.get(fault.kind, "name another model")
