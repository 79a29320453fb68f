"""`flowc compile`: from documents to a build folder, or to one of the forms on the way."""

import getpass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.asking import chosen_model, tell_endpoint, tell_estimate
from flowc.commands.options import (
    AsJson,
    AsRevised,
    BaseUrl,
    CatalogFolder,
    DomainName,
    EmbedderName,
    ModelName,
    Offline,
    Permissions,
    PrimersFolder,
    Revised,
    settings,
)
from flowc.missing import existing_document
from flowc.stopping import ENVIRONMENT, FINDINGS, Stop, ended_by_signal, existing_path, setup_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compiler.build.configuration import Configuration
    from compiler.build.results import Build
    from compiler.build.scheduler import Settings
    from flowc.fail_on import Limit
    from ir.procedure import Procedure


class DocumentUse(StrEnum):
    """What a document may be for."""

    policy = "policy"
    reference = "reference"
    form = "form"
    none = "none"


class Fallback(StrEnum):
    """What reads a document that the model does not read."""

    offline = "offline"


class Form(StrEnum):
    """The forms between document and workflow that can be printed."""

    DOCUMENT = "document"
    PROCEDURE = "procedure"
    CANDIDATES = "candidates"
    DRAFT = "draft"


def compile_command(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Documents, and folders of them, searched to the bottom.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="OUT", help="Folder for the build; with --emit, a file.")
    ] = None,
    offline: Offline = False,
    model: ModelName = None,
    base_url: BaseUrl = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="DIR", help="Recorded answers that stand for a model.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="DIR", help="Record the model's answers there, for --replay.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", metavar="USD", min=0, help="What the model may cost for this build.")
    ] = None,
    max_cost_per_document: Annotated[
        float | None,
        typer.Option("--max-cost-per-document", metavar="USD", min=0, help="What it may cost for each document."),
    ] = None,
    prices: Annotated[
        Path | None, typer.Option("--prices", metavar="FILE", help="Prices of models (YAML), over flowc's own.")
    ] = None,
    fallback: Annotated[
        Fallback | None,
        typer.Option("--fallback", help="Read without a model what it gives no answer on; else that has no draft."),
    ] = None,
    careful: Annotated[
        bool, typer.Option("--careful", help="Have the model read each document twice; ask where the readings differ.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what the model would be asked and may cost; send and write nothing.")
    ] = False,
    emit: Annotated[
        Form | None, typer.Option("--emit", help="Print this form as JSON instead of writing a build folder.")
    ] = None,
    from_: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Procedures (JSON) that a person corrected; go on from them."),
    ] = None,
    author: Annotated[
        str | None,
        typer.Option("--author", metavar="NAME", help="Who corrected them; by default who is logged in."),
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            "--decisions", metavar="FILE", help="What people decided; by default decisions.jsonl beside the documents."
        ),
    ] = None,
    role: Annotated[
        DocumentUse | None,
        typer.Option("--role", help="What the documents are for, whatever they look like; by default found out."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option("--fail-on", metavar="LIMITS", help="Exit 1 beyond these, as in unmapped=20%,questions=10."),
    ] = None,
    catalog: CatalogFolder = None,
    domain: DomainName = None,
    permission: Permissions = None,
    primers: PrimersFolder = None,
    embedder: EmbedderName = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            help="Processes side by side, by default as many as are worth it; with a model, requests at a time.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over files of an earlier build that were changed by hand.")
    ] = False,
    revisions: AsRevised = Revised.accepted,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary, notices or progress.")] = False,
) -> None:
    """Compile documents into workflow drafts, validated and tied to the words they came from."""
    from dataclasses import replace

    from flowc.fail_on import parse_limits
    from flowc.reading import decisions_for
    from ir.errors import NoAnswer

    for path in paths:
        existing_document(path)
    if out is None and emit is None and not dry_run:
        raise Stop("where to? name a folder for the build with -o OUT, or print a form with --emit", "bad-setting")
    configuration = settings(
        catalog=catalog, domain=domain, permissions=permission, primers=primers, embedder=embedder, model=model,
        base_url=base_url, concurrency=jobs, quiet=quiet,
    )  # fmt: skip
    asked = None if offline else chosen_model(configuration, replay, record, max_cost, max_cost_per_document, prices)
    if offline and (model or replay or record):
        raise Stop("--offline asks no model: leave out --model, --replay and --record", "bad-setting")
    if careful and asked is None:
        raise Stop("--careful has a model read twice: name one with --model, or leave it out", "bad-setting")
    _check_out(out, emit, paths, quiet=quiet)
    corrected = _corrected(from_, paths, quiet=quiet) if from_ else ()
    if asked is None and not offline and not quiet and not dry_run:
        terminal.print_notice(f"no model configured: compiling offline, {_how()}")
    if dry_run:
        tell_estimate(
            paths,
            asked,
            replace(_chosen(configuration, revisions, role), careful=careful),
            configuration,
            corrected,
            as_json=as_json,
            quiet=quiet,
        )
        return
    if asked is not None and not quiet:
        tell_endpoint(asked)
    limits = parse_limits(fail_on) if fail_on else ()
    decided = decisions_for(paths, decisions)
    by = (author or getpass.getuser()) if corrected else None
    chosen = replace(_chosen(configuration, revisions, role), model=asked, decisions=decided, author=by)
    chosen = replace(chosen, fallback=fallback is not None, careful=careful)
    build = _build(paths, configuration, chosen, corrected, jobs, quiet=quiet)
    if build.no_answer:
        raise NoAnswer(build.no_answer)
    if not quiet:
        for notice in build.notices:
            terminal.print_notice(notice)
    if emit is not None:
        _emit(build, emit, out)
    elif out is not None:
        _write(build, out, limits, force=force, as_json=as_json, quiet=quiet)


def _how() -> str:
    """From what sentences are read without a model."""
    from compiler.text.syntax import available

    return "from cue words and, in English, parts of speech (spaCy)" if available() else "from cue words"


def _build(
    paths: list[Path],
    configuration: "Configuration",
    chosen: "Settings",
    corrected: "Sequence[Procedure]",
    jobs: int | None,
    *,
    quiet: bool,
) -> "Build":
    from compiler.build.builder import compile_documents

    with setup_faults(configuration), terminal.progress(quiet=quiet) as advance:
        return compile_documents(paths, chosen, procedures=corrected, jobs=jobs, progress=advance)


def _chosen(configuration: "Configuration", revisions: Revised, role: DocumentUse | None) -> "Settings":
    from compiler.build.scheduler import Settings

    return Settings(
        catalogs=configuration.items("catalog") or (),
        domain=configuration.text("domain"),
        permissions=configuration.items("permissions"),
        primers=configuration.folder("primers"),
        embedder=configuration.text("embedder") or "default",
        base_url=configuration.text("base_url"),
        api_key=configuration.embedder_key(),
        revisions=revisions.value,
        role=role.value if role else None,
    )


def _write(
    build: "Build", out: Path, limits: "Sequence[Limit]", *, force: bool, as_json: bool, quiet: bool
) -> None:  # fmt: skip
    """Write the build folder and say what came out.

    Raises:
        Exit: something has faults, more is open than was allowed, or a file that was changed by hand was kept.
    """
    from compiler.build.folder import write_build
    from flowc.views.build import print_summary, summary_json, tell_kept

    with ended_by_signal(), terminal.progress(quiet=quiet) as advance:
        written = write_build(build, out, force=force, progress=advance)
    build = written.build
    beyond = [fault for limit in limits if (fault := limit.fault(build))]
    if as_json:
        terminal.print_json(summary_json(build, out, written))
    elif not quiet:
        print_summary(build, out)
    for fault in beyond:
        terminal.print_notice(fault)
    tell_kept(written, out)
    if beyond or written.kept or not build.clean:
        raise typer.Exit(FINDINGS)


def _emit(build: "Build", form: Form, out: Path | None) -> None:
    """Print a form of the build, or write it into a file.

    Raises:
        Exit: a document was refused; faults of workflows are not looked at.
    """
    from compiler.build.files import write_whole
    from flowc.views.build import emitted, tell_refusals

    text = terminal.json_text(emitted(build, form.value))
    if out is None or str(out) == "-":
        terminal.print_line(text.rstrip("\n"))
    else:
        write_whole(out, text)
    if tell_refusals(build):
        raise typer.Exit(FINDINGS)


def _check_out(out: Path | None, emit: Form | None, paths: list[Path], *, quiet: bool) -> None:
    """Find out before the work whether its result can be written.

    Raises:
        Stop, OutputError: it cannot.
    """
    import os

    from compiler.build.beside import try_folder

    if out is None or (emit is not None and str(out) == "-"):
        return
    if emit is not None and out.is_dir():
        raise Stop(f"-o {out} is a folder; with --emit, name a file or leave -o out", "bad-setting")
    if emit is None and out.exists() and not out.is_dir():
        raise Stop(f"-o {out} is a file; name a folder for the build", "bad-setting")
    above = next(folder for folder in (out.absolute(), *out.absolute().parents) if folder.exists())
    if emit is None and above.is_file():
        raise Stop(f"-o {out}: {above} is a file, not a folder; name another folder", "bad-setting")
    if above.is_dir() and not os.access(above, os.W_OK | os.X_OK):
        message = f"-o {out}: {above} is not writable; change its permissions or name another folder"
        raise Stop(message, "output-failed", ENVIRONMENT)
    if emit is None:
        with ended_by_signal():
            try_folder(out)
        if not quiet:
            _warn_of_reading_itself(out, paths)


def _warn_of_reading_itself(out: Path, paths: list[Path]) -> None:
    whole = out.resolve()
    for path in paths:
        folder = path.resolve()
        inside = whole.relative_to(folder).parts if whole.is_relative_to(folder) else None
        if path.is_dir() and inside is not None and not any(part.startswith(".") for part in inside):
            which = "this build reads" if out.exists() and inside else "the next build will read"
            advice = "name a folder outside it, or one whose name begins with a dot"
            terminal.print_notice(f"{out} lies inside {path}: {which} its files as documents; {advice}")


def _corrected(file: Path, paths: list[Path], *, quiet: bool) -> "tuple[Procedure, ...]":
    """The procedures of a file, whose documents must be among those that are compiled.

    Raises:
        Stop: they are not.
        BadInputFile: the file does not hold procedures.
    """
    from compiler.build.sources import collect
    from flowc.reading import read_procedures
    from validator.suggest import did_you_mean

    procedures = read_procedures(existing_path(file))
    known = [one.doc_id for one in collect(paths)]
    for one in procedures:
        if one.doc_id not in known:
            message = f'{file}: procedure "{one.id}" is of the document "{one.doc_id}", which is not compiled'
            raise Stop(
                f"{message}{did_you_mean(one.doc_id, known)}; name its file or folder as PATH", "unknown-document"
            )
    for doc_id in dict.fromkeys(one.doc_id for one in procedures):
        ids = ", ".join(one.id for one in procedures if one.doc_id == doc_id)
        if not quiet:
            terminal.print_notice(f"{doc_id}: taken over from {file}: {ids}")
    return procedures
