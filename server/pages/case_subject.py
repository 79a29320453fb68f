"""What cases are of: a draft as it is now, with what people decided, or a version of the registry."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from compiler.report.readers_words import reader_language
from ir.decisions.decision import Decision, in_force
from ir.errors import BadInputFile
from ir.workflow import Workflow
from registry import versions as registry
from review.cases.case_file import cases_beside
from review.cases.tested import Tested
from review.draft import ReviewDraft, open_draft
from review.submission import version_cases
from server.access import Reading, Shown
from server.builds.folders import BuildFolder
from server.errors import UnknownPlace
from server.proving import proving
from server.site import Site

_WORKFLOW = ".workflow.json"


@dataclass(frozen=True, eq=False)
class Opened:
    """A workflow as it is now.

    Args:
        tested: the workflow with the file of its cases.
        before: as it was compiled, where people corrected it since.
        corrections: those that they made.
        fixed: why corrections could not be carried out, so that it is shown as it was compiled.
    """

    tested: Tested
    before: Workflow | None = None
    corrections: tuple[Decision, ...] = ()
    fixed: str | None = None


@dataclass(frozen=True, eq=False)
class Subject:
    """A workflow whose cases are looked at; while a search for them goes on, it is not opened.

    Args:
        place: its address.
        title: what it is called.
        language: that it is told in.
        above: of the pages above it the address, and what it is called: by a key of the words, or as it is.
        file: of its cases.
        numbers: of the documents of its build, by id.
        opened: opens it, which may draft it again.
    """

    place: str
    title: str
    language: str
    above: tuple[tuple[str, str, str], ...]
    file: Path
    numbers: dict[str, int]
    opened: Callable[[], Opened]

    @property
    def key(self) -> str:
        """By which the file of its cases is known."""
        return str(self.file)

    @cached_property
    def now(self) -> Opened:
        """The workflow as it is now, opened once, in its turn at proving: it is not to be asked for within one."""
        with proving():
            return self.opened()


def subject_of(request: Request, site: Shown, _: Reading) -> Subject:
    """The workflow that an address names.

    Raises:
        UnknownPlace: there is no such build or draft.
        UnknownVersion: there is no such version.
    """
    named = request.path_params
    if "build_id" in named:
        return _of_draft(site, site.builds.build(named["build_id"]), named["workflow_id"])
    return _of_version(site, named["workflow_id"], int(named["number"]))


Cases = Annotated[Subject, Depends(subject_of)]


def _of_draft(site: Site, build: BuildFolder, workflow_id: str) -> Subject:
    made = build.read()
    entry = made.draft(workflow_id)
    if entry is None:
        raise UnknownPlace(f"the build {build.title} has no draft {workflow_id}; its page lists those that it has")
    path, built = build.out / entry.workflow, made.workflow(entry)
    file, place = cases_beside(path, path.name.removesuffix(_WORKFLOW)), f"/drafts/{build.id}/{workflow_id}"

    def opened() -> Opened:
        found = (made.document(one.document) for one in made.documents)
        documents = tuple(one for one in found if one is not None)
        try:
            draft = open_draft(build.out, workflow_id)
        except BadInputFile as error:
            return Opened(Tested(path, file, built, site.host.catalog, documents), fixed=str(error))
        tested = Tested(path, file, draft.workflow, draft.catalog, documents)
        return Opened(tested, built if built != draft.workflow else None, _since(draft, workflow_id))

    return Subject(
        place=place, title=built.metadata.title or workflow_id, language=reader_language(built),
        above=(("/builds", "builds", ""), (f"/builds/{build.id}", "", build.title), (place, "cases.draft", "")),
        file=file, numbers={one.document: at for at, one in enumerate(made.documents, 1)}, opened=opened,
    )  # fmt: skip


def _since(draft: ReviewDraft, workflow_id: str) -> tuple[Decision, ...]:
    """The corrections in force that the build did not know."""
    known = {one.id for one in draft.build.draft(workflow_id).decided}
    return tuple(one for one in in_force(draft.decisions) if one.kind == "correct" and one.id not in known)


def _of_version(site: Site, workflow_id: str, number: int) -> Subject:
    with site.workspace.database.transaction() as connection:
        found = registry.version_of(connection, workflow_id, number)
    file = version_cases(site.workspace.folder, workflow_id)
    place = f"/registry/{workflow_id}/v{number}"
    flow = found.definition
    return Subject(
        place=place, title=f"{flow.metadata.title or workflow_id} v{number}", language=reader_language(flow),
        above=(("/registry", "registry", ""), (place, "", found.name)), file=file, numbers={},
        opened=lambda: Opened(Tested(Path(found.name), file, flow, site.host.catalog)),
    )  # fmt: skip
