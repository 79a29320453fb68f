"""Makes a case of a reviewed build: its documents, and what people decided of them as gold."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from compiler.build.folder import SUMMARY
from evals.cases import CASE_FILE, CaseDocument, CaseFile
from evals.errors import MalformedSuite
from ir.codec import read_json, write_json, write_yaml
from review.draft import ReviewDraft
from review.queue import progress, queue

_ROLES = {"policy": "policy", "reference": "reference", "form": "form"}


def write_case(drafts: Sequence[ReviewDraft], documents: Path, out: Path) -> tuple[str, ...]:
    """Write a case; gives the names of its files.

    Gold is what a person has looked at: each thing of every draft has to be decided.

    Args:
        documents: the folder that was compiled; the documents of the build are copied from it.

    Raises:
        MalformedSuite: something is not decided, a document is not there, or something stands in the folder already.
    """
    if not drafts:
        raise MalformedSuite("the build has no draft; there is no gold to take from it")
    if out.exists() and any(out.iterdir()):
        raise MalformedSuite(f"{out}: something stands there; name a new folder for the case")
    for draft in drafts:
        decided, whole = progress(queue(draft))
        if decided < whole:
            message = f"{whole - decided} of {whole} things are not decided; `flowc review queue` lists them"
            raise MalformedSuite(f"{draft.workflow.workflow_id}: {message}")
    roles = {name: reading.role for name, _, reading in drafts[0].build.readings}
    missing = [name for name in roles if not (documents / name).is_file()]
    if missing:
        raise MalformedSuite(f"{documents}: {', '.join(missing)} is not there; name the folder that was compiled")
    for name in roles:
        target = out / "documents" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(documents / name, target)
    language = drafts[0].document.language
    case = CaseFile(
        title=drafts[0].workflow.metadata.title or drafts[0].workflow.workflow_id, language=language,
        origin="Reviewed drafts of one's own documents.", licence="none given", split="dev",
        documents=tuple(
            CaseDocument(path=f"documents/{name}", role=_ROLES.get(role.role, "none") if role else "none")
            for name, role in roles.items()
        ),
    )  # fmt: skip
    files = {CASE_FILE: write_yaml(case), "scenarios.yaml": "scenarios: []\n"}
    gold: list[JsonValue] = [
        draft.procedure.model_copy(update={"id": draft.workflow.workflow_id}).to_json() for draft in drafts
    ]
    files["gold/procedures.json"] = write_json(gold)
    files |= {f"gold/{one.workflow.workflow_id}.workflow.json": write_json(one.workflow) for one in drafts}
    for name, content in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(content, encoding="utf-8")
    return (*files, *(f"documents/{name}" for name in roles))


def compiled_folder(build: Path) -> Path:
    """The folder whose documents a build compiled, as its summary says.

    Raises:
        MalformedSuite: it does not say, or the folder is not there.
    """
    summary = read_json((build / SUMMARY).read_bytes())[0] if (build / SUMMARY).is_file() else None
    beside = summary.get("decisions") if isinstance(summary, dict) else None
    folder = (build / str(beside)).resolve().parent if beside else None
    if folder is None or not folder.is_dir():
        raise MalformedSuite(f"{build}: its documents are not where the build found them; name their folder")
    return folder
