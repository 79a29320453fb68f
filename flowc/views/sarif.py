"""Findings as SARIF 2.1.0, which code scanning and editors read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from flowc.checking import Checked, syntax_of
from flowc.report import Report
from flowc.source_text import Region, SourceText
from flowc.views.edits import CommentsLost, Edit, edits
from flowc.views.places import fingerprints, uri
from ir.diagnostics import Fix, Location, Severity
from ir.version import VERSION
from validator.code_page import CodeEntry, catalogue
from validator.fixes.autofix import apply_fix
from validator.fixes.json_patch import PatchError
from validator.suppressions import JudgedFinding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
Json = dict[str, Any]


def as_sarif(reports: Sequence[Report], status: int, notices: Iterable[str] = ()) -> Json:
    """One run over the files.

    Args:
        status: the exit status of the command.
        notices: what the person should know of the settings.
    """
    codes = sorted({one.finding.error_code for report in reports for one in report.judged})
    known = catalogue()
    rules = [_rule(code, known.get(code), reports) for code in codes]
    named = dict.fromkeys(uri(report.checked.path) for report in reports)
    addresses = {address: index for index, address in enumerate(named)}
    run = {
        "tool": {"driver": {"name": "flowc", "version": VERSION, "rules": rules}},
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": status,
                "toolConfigurationNotifications": [{"level": "note", "message": {"text": text}} for text in notices],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": address}, "encoding": "UTF-8"} for address in addresses],
        "results": [
            _result(report, one, print_, {code: index for index, code in enumerate(codes)}, addresses)
            for report in reports
            for one, print_ in zip(report.judged, fingerprints(report.judged), strict=True)
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str, entry: CodeEntry | None, reports: Sequence[Report]) -> Json:
    """What is known of a code; its level is the gravest that its check gave."""
    given = {one.severity_given for report in reports for one in report.judged if one.finding.error_code == code}
    level = next(LEVELS[severity] for severity in Severity if severity in given)
    rule: Json = {"id": code, "defaultConfiguration": {"level": level}}
    if entry:
        rule |= {
            "shortDescription": {"text": entry.summary},
            "fullDescription": {"text": f"What: {entry.what}\nWhy: {entry.why}"},
            "help": {"text": entry.text, "markdown": entry.text},
            "properties": {"found_by": entry.finder},
        }
    return rule


def _result(
    report: Report, judged: JudgedFinding, print_: str, rules: Mapping[str, int], addresses: Mapping[str, int]
) -> Json:
    finding = judged.finding
    address = uri(report.checked.path)
    artifact = {"uri": address, "index": addresses[address]}
    result: Json = {
        "ruleId": finding.error_code,
        "ruleIndex": rules[finding.error_code],
        "level": LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_location(artifact, report.text.region_of(finding), finding.location)],
        "partialFingerprints": {"flowcFinding/v1": print_},
        "suppressions": _suppressions(judged),
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": index, "message": {"text": one.message}}
            | _location(artifact, report.text.region(one.location), one.location)
            for index, one in enumerate(finding.related, 1)
        ]
    if fixes := [change for fix in finding.fixes if (change := _fix(report, fix, artifact))]:
        result["fixes"] = fixes
    said = {
        "workflow": finding.location.workflow,
        "found": finding.found,
        "expected": finding.expected,
        "witness": finding.witness,
        "evidence": [one.to_json() for one in finding.evidence] or None,
        "patches": [{"title": fix.title, "patch": list(fix.patch)} for fix in finding.fixes] or None,
        "severity_given": judged.severity_given.value if judged.changed else None,
        "severity_changed_by": judged.given_by if judged.changed else None,
    }
    if properties := {name: value for name, value in said.items() if value is not None}:
        result["properties"] = properties
    return result


def _location(artifact: Json, region: Region | None, place: Location) -> Json:
    """A place in the file, or in a document, which is known by its block alone."""
    location: Json = {}
    if place.block is None:
        physical = {"artifactLocation": artifact} | ({"region": _region(region)} if region else {})
        location["physicalLocation"] = physical
    if names := _names(place):
        location["logicalLocations"] = names
    return location


def _names(place: Location) -> list[Json]:
    """Node, edge, field, block and pointer of a place, each with its name within the workflow."""
    parts = [("node", place.node), ("edge", place.edge), ("field", place.field)]
    parts += [("block", place.block), ("pointer", place.pointer)]
    within = place.workflow or ""
    return [
        {"name": name, "kind": kind, "fullyQualifiedName": f"{within}#{'' if kind == 'pointer' else kind + ':'}{name}"}
        for kind, name in parts
        if name
    ]


def _suppressions(judged: JudgedFinding) -> list[Json]:
    if judged.ignored is None:
        return []
    one = judged.ignored
    return [{"kind": "external", "status": "accepted", "justification": one.reason, "properties": {"by": one.by}}]


def _fix(report: Report, fix: Fix, artifact: Json) -> Json | None:
    """A fix as edits of the file's text; None where the patch does not fit the file as it is written."""
    changes = text_edits(report.checked, report.text, fix)
    if not changes:
        return None
    replaced = [
        {
            "deletedRegion": _region(Region(*report.text.position(one.start), *report.text.position(one.end))),
            "insertedContent": {"text": one.content},
        }
        for one in changes
    ]
    return {
        "description": {"text": fix.title},
        "artifactChanges": [{"artifactLocation": artifact, "replacements": replaced}],
    }


def text_edits(checked: Checked, text: SourceText, fix: Fix) -> tuple[Edit, ...]:
    """The edits of a file's text that come to a fix; none where it does not fit the file as it is written."""
    if checked.workflow is None and not _by_name(checked.value):
        return ()
    try:
        after = apply_fix(checked.value, fix)
        return edits(text.text, checked.as_written, after, is_yaml=syntax_of(checked.path) == "yaml")
    except (PatchError, CommentsLost):
        return ()


def _by_name(value: JsonValue) -> bool:
    """Whether nodes stand under their names, as fixes suppose."""
    return isinstance(value, dict) and isinstance(value.get("nodes", {}), dict)


def _region(region: Region) -> Json:
    return {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
    }
