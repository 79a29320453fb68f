"""Versions, whether their callers can go on, and what search found, in words."""

from collections.abc import Iterator
from typing import Any

from registry.forms import Compatibility, Version
from registry.search import FoundWorkflow

MOST_MATCHES = 6


def headline(version: Version) -> str:
    """A version and its state, with what validation found."""
    report = version.report
    told = f"{report.errors} errors, {report.warnings} warnings"
    open_ = f", {len(report.open_questions)} open questions" if report.open_questions else ""
    bare = len(report.reviewed.open_of("prohibition")) if report.reviewed is not None else 0
    unkept = f", {bare} prohibitions that nothing enforces" if bare else ""
    wrong = sum(one.outcome == "still wrong" for one in report.cases)
    cases = f", {wrong} wrong cases" if wrong else ""
    return f"{version.name}: {version.state} ({told}{open_}{unkept}{cases})"


def summary(version: Version) -> dict[str, Any]:
    """A version as JSON, without its definition."""
    about, held = version.definition.metadata, version.report.compatibility
    return {
        "version": version.name, "state": version.state, "title": about.title, "owner": about.owner,
        "tags": list(about.tags), "digest": version.digest, "author": version.author, "executors": version.executors,
        "pins": [one.to_json() for one in version.pins], "compatibility": held.to_json() if held else None,
        "calls": [one.to_json() for one in version.calls],
        "history": [one.to_json() for one in version.history],
    }  # fmt: skip


def row(version: Version) -> tuple[str, ...]:
    """A version on one line of a list."""
    about = version.definition.metadata
    return version.name, version.state, version.author, about.owner or "", ", ".join(about.tags), about.title or ""


def error_lines(version: Version) -> Iterator[str]:
    """The errors that validation found: where, what, and the code."""
    for one in version.report.findings:
        if one.severity == "error":
            yield f"  {one}"


def open_lines(version: Version) -> Iterator[str]:
    """What is open in the draft of a version, the riskiest first, and the cases that people judged."""
    reviewed = version.report.reviewed
    if reviewed is not None:
        yield f"  {reviewed.decided} of {reviewed.things} things were decided when it was submitted"
        for one in reviewed.open:
            yield f"  open {one.kind}: {one.words}"
    for case in version.report.cases:
        yield f"  case {case.id}: {case.outcome}, judged {case.verdict} by {case.author}" + (
            f": {case.said}" if case.said else ""
        )


def version_lines(version: Version) -> Iterator[str]:
    """A version in full: owner and tags, what is open, who carries it out, whether callers can go on, its history."""
    yield headline(version)
    about = version.definition.metadata
    if about.owner or about.tags:
        yield f"owner {about.owner or 'nobody'}; tags {', '.join(about.tags) or 'none'}"
    yield f"digest {version.digest}"
    yield from error_lines(version)
    yield from open_lines(version)
    for name, executor in version.executors.items():
        yield f"  {name}: {version.definition.nodes[name].type} by {executor}"
    for called in version.calls:
        yield f"  calls {called.workflow_id}@v{called.number}"
    if version.report.compatibility:
        yield from contract_lines(version.report.compatibility)
    for moved in version.history:
        why = f": {moved.reason}" if moved.reason else ""
        yield f"  {moved.at[:19]} {moved.after} by {moved.by}{why}"
        if moved.after == "published":
            yield from waived_lines(version)


def waived_lines(version: Version) -> Iterator[str]:
    """Each thing that was open when a version was published, and stayed so for the reason that was given."""
    for one in version.report.waived:
        name = f" {one.id}" if one.id != one.words else ""
        yield f"    waived {one.kind}{name}: {one.words}"


def contract_lines(held: Compatibility) -> Iterator[str]:
    """Whether callers of the version before can call it, and all that they may notice, what breaks them first."""
    yield f"{held.verdict} with {held.against}: " + (
        "its callers can call this one" if held.verdict == "compatible" else "its callers have to be changed"
    )
    for one in sorted(held.changes, key=lambda change: not change.breaks):
        yield f"  {'breaks' if one.breaks else 'fits'}: {one}"


def found_lines(found: FoundWorkflow) -> Iterator[str]:
    """A workflow that a task may be for, with the reasons."""
    state = "" if found.state == "published" else f" [{found.state}]"
    yield f"{found.version}{state}  {found.title}  ({found.score:.2f})"
    for match in found.matches[:MOST_MATCHES]:
        yield f"    “{match.word}” is like its {match.part} “{match.text}” ({match.likeness:.2f})"
    asked = [f"{one.name} ({one.type}{'' if one.required else '; may be left out'})" for one in found.inputs]
    yield f"    asks for {', '.join(asked) or 'nothing'}"
    by_itself = "may run by itself" if found.allow_auto else "a person has to let it run"
    people = f"people act at {found.people} of its nodes" if found.people else "no node waits for a person"
    yield f"    {by_itself}; {people}; risk {found.risk_level}"
    if found.owner or found.tags:
        yield f"    owner {found.owner or 'nobody'}; tags {', '.join(found.tags) or 'none'}"
