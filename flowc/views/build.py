"""What a build came to: tables for people, JSON for programs, the forms on the way."""

from pathlib import Path
from typing import Any

from compiler.build.folder import Written, document_folders, procedure_path, summary
from compiler.build.results import Build, DocumentResult
from compiler.draft.compiled import Compiled
from compiler.report.words import Words
from flowc.source_text import SourceText
from flowc.terminal import Colour, clean, one_line, paint, print_line, print_notice, table
from flowc.views.findings import headline, plural, tell_findings
from flowc.views.model import print_model
from ir.diagnostics import Diagnostic, Severity
from ir.document import Document
from ir.workflow import Workflow

_DOUBTED = ("file-kind-mismatch", "repaired-document")
_SHOWN = 20
"""How many errors the summary lists; the review pages have all."""
_TITLE = 40
STATEMENTS = ("statements", "carried", "constraint", "question", "unplaced", "set aside")


def summary_json(build: Build, out: Path, written: Written) -> dict[str, Any]:
    """What `summary.json` says, and the folder it is in."""
    names = sorted(path.relative_to(out).as_posix() for path in written.files)
    return {"out": str(out), **summary(build, document_folders(build), names, written.kept, out)}


def tell_kept(written: Written, out: Path) -> None:
    """Say on stderr which files a person had changed, and where what was compiled stands."""
    for one in written.kept:
        what = f"what was compiled is in {out / one.new}" if one.new else "this build makes no such file"
        print_notice(f"{out / one.file} was changed by hand and is kept; {what}; compare them, or compile with --force")


def print_summary(build: Build, out: Path) -> None:
    """Print what became of documents and procedures, the errors, and where to look."""
    table(
        ["document", "role", "procedures", *STATEMENTS, "warnings", "status"],
        [_document(one, build) for one in build.documents],
        numbers=["procedures", *STATEMENTS, "warnings"],
        wrapped=["document"],
    )
    if build.procedures:
        print_line()
        heads = ["procedure", "steps", "executable", "manual", "unmapped", "questions", "weighty", "unenforced"]
        heads += ["errors", "warnings", "read by"]
        table(heads, [_procedure(one) for one in build.procedures], numbers=heads[1:-1], wrapped=["procedure"])
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
    counted = build.statements_of(result.doc_id)
    told = [str(number) for number in counted.model_dump().values()] if counted else ["-"] * len(STATEMENTS)
    return [result.doc_id, role, str(len(result.procedures)), *told, str(warnings), status]


def _procedure(compiled: Compiled) -> list[str]:
    said = compiled.verdict
    numbers = [said.steps.all, said.steps.executable, said.steps.manual, said.steps.unmapped, said.questions.all]
    numbers += [said.questions.weighty, said.prohibitions.unenforced]
    numbers += [_count(compiled, one) for one in (Severity.ERROR, Severity.WARNING)]
    title = one_line(compiled.procedure.title, _TITLE)
    return [title, *(str(number) for number in numbers), said.read_by]


def _count(compiled: Compiled, severity: Severity) -> int:
    return sum(one.severity is severity for one in compiled.diagnostics)


def _print_errors(build: Build) -> None:
    """The errors, each with what it is about; the first ones, where there are many.

    Before them stands of what documents the content is in doubt, since what they lack may be lost.
    """
    found: list[tuple[str, Document | None, Workflow | None, Diagnostic]]
    found = [(one.doc_id, one.document, None, fault) for one in build.documents for fault in one.diagnostics]
    found += [
        (one.procedure.title, build.document(one.procedure.doc_id), one.workflow, fault)
        for one in build.procedures
        for fault in one.diagnostics
    ]
    errors = [each for each in found if each[-1].severity is Severity.ERROR]
    errors[:0] = [each for each in found if each[-1].error_code in _DOUBTED]
    if errors:
        print_line()
    for name, document, workflow, fault in errors[:_SHOWN]:
        words = Words(document.language if document else "en")
        told = fault.model_copy(update={"message": words.of_code(fault.error_code, fault.message)})
        place = ": ".join(part for part in (name, _label(workflow, fault)) if part)
        print_line(headline(SourceText(place), told))
        if told.message != fault.message:
            where = ": ".join(part for part in (_inside(fault), one_line(clean(fault.message))) if part)
            print_line(paint(f"    {where}", "dim"))
    if len(errors) > _SHOWN:
        print_line(f"… and {plural(len(errors) - _SHOWN, 'error')} more")


def _label(workflow: Workflow | None, fault: Diagnostic) -> str:
    """What the node is called that a fault is at."""
    node = workflow.nodes.get(fault.location.node or "") if workflow is not None else None
    return f"“{node.label}”" if node is not None and node.label else ""


def _inside(fault: Diagnostic) -> str:
    return str(fault.location.model_copy(update={"file": None, "workflow": None}))


def _verdict(build: Build) -> str:
    """How much there is, and all that is still open in it."""
    refused = sum(one.refused is not None for one in build.documents)
    wrong = sum(not one.clean for one in build.procedures)
    words = f"{plural(len(build.documents), 'document')}, {plural(len(build.procedures), 'procedure')}"
    said = [one.verdict for one in build.procedures]
    steps, unmapped = sum(one.steps.all for one in said), sum(one.steps.unmapped for one in said)
    weighty, unenforced = sum(o.questions.weighty for o in said), sum(o.prohibitions.unenforced for o in said)
    parts = [
        f"{wrong} with errors" if wrong else "",
        f"{refused} refused" if refused else "",
        plural(weighty, "weighty question") if weighty else "",
        f"{unmapped} of {plural(steps, 'step')} unmapped" if unmapped else "",
        f"{plural(unenforced, 'prohibition')} that nothing enforces" if unenforced else "",
    ]
    shown = ", ".join(part for part in parts if part)
    if not build.procedures:
        return f"{words}: " + paint(shown or "nothing to compile", "red")
    colour: Colour = "red" if not build.clean else "yellow" if shown else "green"
    return f"{words}: " + paint(shown or "nothing open; a person still has to read it", colour)


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
