"""What a build came to: tables for people, JSON for programs, the forms on the way."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from compiler.build.folder import document_folders, procedure_path, summary
from compiler.build.results import Build, DocumentResult
from compiler.draft.compiled import Compiled
from compiler.grounding.coverage import Coverage
from flowc.source_text import SourceText
from flowc.terminal import clean, one_line, paint, print_line, table
from flowc.views.findings import headline, plural, tell_findings
from flowc.views.model import print_model
from ir.diagnostics import Diagnostic, Severity
from ir.workflow import Workflow

_SHOWN = 20
"""How many errors the summary lists; the review pages have all."""
_TITLE = 40
DUTIES = ("duties", "carried", "unplaced", "lost")


def summary_json(build: Build, out: Path, files: Iterable[Path]) -> dict[str, Any]:
    """What `summary.json` says, and the folder it is in."""
    names = sorted(path.relative_to(out).as_posix() for path in files)
    return {"out": str(out), **summary(build, document_folders(build), names)}


def print_summary(build: Build, out: Path) -> None:
    """Print what became of documents and procedures, the errors, and where to look."""
    table(
        ["document", "role", "procedures", *DUTIES, "warnings", "status"],
        [_document(one, build) for one in build.documents],
        numbers=["procedures", *DUTIES, "warnings"],
        wrapped=["document"],
    )
    if build.procedures:
        print_line()
        heads = ["procedure", "steps", "mapped", "human", "unmapped", "gaps", "errors", "warnings", "result"]
        table(heads, [_procedure(one) for one in build.procedures], numbers=heads[1:-1], wrapped=["procedure"])
    _print_pooled(build)
    _print_errors(build)
    print_model(build)
    folders = document_folders(build)
    print_line()
    print_line(f"{_verdict(build)} in {build.seconds:.1f} s")
    print_line(f"Look at {clean(str(out / 'index.html'))}")
    for one in build.procedures[:_SHOWN]:
        print_line(f"        {clean(str(out / procedure_path(one, folders)))}.review.html")


def _document(result: DocumentResult, build: Build) -> list[str]:
    status = result.refused.error_code if result.refused else "ok"
    warnings = sum(one.severity is Severity.WARNING for one in result.diagnostics)
    role = result.role.role if result.role else "-"
    counted = result.coverage(one.procedure for one in build.procedures)
    duties = _shares(counted) if counted and result.procedures else ["-"] * len(DUTIES)
    return [result.doc_id, role, str(len(result.procedures)), *duties, str(warnings), status]


def _shares(counted: Coverage) -> list[str]:
    """How many duty sentences there are, and the shares of them that are carried, listed as unplaced, and lost."""
    parts = (counted.carried, counted.unplaced, counted.lost)
    return [str(counted.total), *(f"{part / counted.total:.2f}" if counted.total else "-" for part in parts)]


def _procedure(compiled: Compiled) -> list[str]:
    shares = compiled.shares()
    numbers = [len(compiled.procedure.steps), shares["mapped"], shares["human"], shares["unmapped"]]
    numbers += [len(compiled.workflow.gaps), *(_count(compiled, one) for one in (Severity.ERROR, Severity.WARNING))]
    title = one_line(compiled.procedure.title, _TITLE)
    return [title, *(str(number) for number in numbers), "valid" if compiled.valid else "invalid"]


def _print_pooled(build: Build) -> None:
    """What became of all duty sentences and of all steps."""
    counted = [one.coverage(p.procedure for p in build.procedures) for one in build.documents if one.procedures]
    known = [one for one in counted if one is not None]
    if not known or not build.procedures:
        return
    duties = Coverage(
        sum(c.carried for c in known), sum(c.unplaced for c in known), tuple(p for c in known for p in c.lost_pieces)
    )
    shares = [one.shares() for one in build.procedures]
    total = sum(sum(one.values()) for one in shares)
    said = zip(DUTIES[1:], _shares(duties)[1:], strict=True)
    print_line()
    print_line(f"{plural(duties.total, 'duty sentence')}: " + ", ".join(f"{name} {share}" for name, share in said))
    kinds = ", ".join(f"{kind} {sum(one[kind] for one in shares) / max(1, total):.2f}" for kind in shares[0])
    print_line(f"{plural(total, 'step')}: {kinds}")


def _count(compiled: Compiled, severity: Severity) -> int:
    return sum(one.severity is severity for one in compiled.diagnostics)


def _print_errors(build: Build) -> None:
    """The errors, each with what it is about; the first ones, where there are many."""
    found = [(one.doc_id, fault) for one in build.documents for fault in one.diagnostics]
    found += [(one.procedure.id, fault) for one in build.procedures for fault in one.diagnostics]
    errors = [(name, fault) for name, fault in found if fault.severity is Severity.ERROR]
    if errors:
        print_line()
    for name, fault in errors[:_SHOWN]:
        print_line(headline(SourceText(": ".join(part for part in (name, _inside(fault)) if part)), fault))
    if len(errors) > _SHOWN:
        print_line(f"… and {plural(len(errors) - _SHOWN, 'error')} more")


def _inside(fault: Diagnostic) -> str:
    return str(fault.location.model_copy(update={"file": None, "workflow": None}))


def _verdict(build: Build) -> str:
    valid = sum(one.valid for one in build.procedures)
    refused = sum(one.refused is not None for one in build.documents)
    words = f"{plural(len(build.documents), 'document')}, {plural(len(build.procedures), 'procedure')}"
    parts = [f"{valid} valid", f"{len(build.procedures) - valid} invalid", f"{refused} refused"]
    shown = ", ".join(part for part in parts if not part.startswith("0 "))
    return f"{words}: " + paint(shown or "nothing to compile", "green" if build.clean else "red")


def tell_refusals(build: Build) -> bool:
    """Say on stderr which documents were refused, and why; gives whether any was."""
    refused = [one for one in build.documents if one.refused]
    for one in refused:
        tell_findings(SourceText(one.doc_id), [fault for fault in one.diagnostics if fault.severity is Severity.ERROR])
    return bool(refused)


def emitted(build: Build, form: str) -> Any:
    """A form on the way as JSON: documents, procedures and drafts as lists, candidates by procedure and step."""
    match form:
        case "document":
            return [one.document.to_json() for one in build.documents if one.document]
        case "procedure":
            return [one.procedure.to_json() for one in build.procedures]
        case "candidates":
            return {
                one.procedure.id: {step: [c.to_json() for c in found] for step, found in one.candidates.items()}
                for one in build.procedures
            }
        case "draft":
            drafts = [record.output for record in build.records if record.name == "synthesize_draft"]
            return [{"dsl_version": one.dsl_version, **one.to_json()} for one in drafts if isinstance(one, Workflow)]
    raise ValueError(form)
