"""Are the people whom a person put into a procedure those whom its document names?"""

import re
from collections.abc import Iterator

from compiler.context import Context
from ir.diagnostics import Diagnostic, Location, Severity
from ir.document import Document
from ir.procedure import Procedure

_LEAST = 2  # letters


def check_named_people(ctx: Context, procedures: tuple[Procedure, ...], document: Document) -> tuple[Procedure, ...]:
    """The procedures as they are; `unknown-actor` for each actor or recipient whom the document does not name."""
    text = _plain(" ".join(passage.text for passage in document.passages()))
    for procedure in procedures:
        for step, who in _people(procedure):
            if _plain(who) not in text:
                ctx.report(
                    Diagnostic(
                        error_code="unknown-actor",
                        severity=Severity.WARNING,
                        message=f"step {step} of “{procedure.title}” names “{who}”, and {document.doc_id} does not",
                        location=Location(file=document.doc_id),
                        found=who,
                        expected="somebody as the document names them",
                    )
                )
    return procedures


def _people(procedure: Procedure) -> Iterator[tuple[str, str]]:
    for step in procedure.steps:
        for who in (step.actor, step.recipient):
            if who is not None and len(_plain(who)) >= _LEAST:
                yield step.id, who


def _plain(words: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(re.findall(r"\w+", words.lower()))
