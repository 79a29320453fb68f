"""What a person has decided about findings: other severities, findings set aside with a reason, codes asked for.

A decision never makes a finding vanish: what is set aside is kept with the reason, and what counts for more or less
than its check gave is kept with both. What says that a file cannot be read is not open to decisions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ir.diagnostics import Diagnostic, Severity
from ir.errors import BadSetting
from validator.code_page import catalogue
from validator.suggest import did_you_mean

_IGNORE_KEYS = ("code", "reason", "workflow", "node")


@dataclass(frozen=True)
class Ignore:
    """Findings that are set aside.

    Args:
        code: a code, or the beginning of codes with `*` after it.
        reason: why, in a person's words.
        by: who says so: the file of settings, or the flag.
        workflow: only in the workflow of this id.
        node: only at the node of this id.
    """

    code: str
    reason: str
    by: str
    workflow: str | None = None
    node: str | None = None

    def covers(self, finding: Diagnostic) -> bool:
        """Whether a finding is among those."""
        place = finding.location
        return (
            matches(self.code, finding.error_code)
            and self.workflow in (None, place.workflow)
            and self.node in (None, place.node)
        )

    @property
    def only(self) -> str:
        """` in workflow "x", at node "a"`, as far as it is limited so."""
        parts = [("in workflow", self.workflow), ("at node", self.node)]
        said = ", ".join(f'{where} "{name}"' for where, name in parts if name)
        return f" {said}" if said else ""

    def __str__(self) -> str:
        """`"cycle" at node "a" (flowc.toml)`."""
        return f'"{self.code}"{self.only} ({self.by})'


@dataclass(frozen=True)
class Rules:
    """All decisions that hold.

    Args:
        severities: what findings of a code count as, each with who says so.
        ignores: the first that covers a finding sets it aside.
        select: codes or beginnings of codes; what is of none of them is left out. Empty: nothing is.
    """

    severities: dict[str, tuple[Severity, str]] = field(default_factory=dict)
    ignores: tuple[Ignore, ...] = ()
    select: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """`severity` by code, and the list `ignore`, as in flowc.toml."""
        ignored = [
            {"code": one.code, "reason": one.reason, "workflow": one.workflow, "node": one.node} for one in self.ignores
        ]
        return {
            "severity": {code: severity.value for code, (severity, _) in self.severities.items()},
            "ignore": [{key: value for key, value in one.items() if value is not None} for one in ignored],
        }


@dataclass(frozen=True)
class JudgedFinding:
    """A finding after all decisions.

    Args:
        finding: with the severity that it counts with.
        severity_given: the severity that its check gave.
        given_by: who changed it, None where nobody did.
        ignored: what sets it aside, None where it counts.
    """

    finding: Diagnostic
    severity_given: Severity
    given_by: str | None = None
    ignored: Ignore | None = None

    @property
    def changed(self) -> bool:
        """Whether it counts with another severity than its check gave."""
        return self.finding.severity is not self.severity_given

    def to_json(self) -> dict[str, Any]:
        """The finding's JSON, with `suppressed` (reason, by) and `severity_given` (severity, changed_by) where so."""
        value = self.finding.to_json()
        if self.changed:
            value["severity_given"] = {"severity": self.severity_given.value, "changed_by": self.given_by}
        if self.ignored:
            value["suppressed"] = {"reason": self.ignored.reason, "by": self.ignored.by}
        return value


def judge(findings: Iterable[Diagnostic], rules: Rules, *, readable: bool) -> tuple[tuple[JudgedFinding, ...], int]:
    """The findings on one file after all decisions, in their order, and how many were of codes not asked for.

    Args:
        readable: whether the file could be read; the errors of one that could not are not open to decisions.
    """
    judged: list[JudgedFinding] = []
    left_out = 0
    for finding in findings:
        given = finding.severity
        if not readable and given is Severity.ERROR:
            judged.append(JudgedFinding(finding, given))
        elif rules.select and not any(matches(pattern, finding.error_code) for pattern in rules.select):
            left_out += 1
        else:
            severity, by = rules.severities.get(finding.error_code, (given, None))
            ignored = next((one for one in rules.ignores if one.covers(finding)), None)
            counted = finding.model_copy(update={"severity": severity})
            judged.append(JudgedFinding(counted, given, by, ignored))
    return tuple(judged), left_out


def matches(pattern: str, code: str) -> bool:
    """Whether a code is the pattern, or begins with it where the pattern ends in `*`.

    >>> matches("branch-*", "branch-overlap"), matches("branch", "branch-overlap")
    (True, False)
    """
    return code.startswith(pattern[:-1]) if pattern.endswith("*") else code == pattern


def checked_pattern(pattern: str, source: str, *, ignoring: bool = False) -> str:
    """The pattern, which stands for codes that there are.

    Args:
        source: where it was written, for the message.
        ignoring: whether it is to set findings aside, which those that stop reading do not allow.

    Raises:
        BadSetting: it stands for none.
    """
    known = catalogue()
    meant = [code for code in known if matches(pattern, code)]
    if not meant:
        what = "no code begins so" if pattern.endswith("*") else "there is no such code"
        raise BadSetting(f'{source}: "{pattern}": {what}{did_you_mean(pattern.rstrip("*"), sorted(known))}')
    if ignoring and all(known[code].stops_reading for code in meant):
        raise BadSetting(
            f'{source}: "{pattern}" says that a file cannot be read, which cannot be ignored; correct the file'
        )
    return pattern


def read_rules(value: object, source: str) -> Rules:
    """The decisions of a file of settings: its table `diagnostics`.

    Raises:
        BadSetting: the table is not of its form; the message says what is.
    """
    table = _table(value, f"{source}: [diagnostics]", ("severity", "ignore"))
    severities = _table(table.get("severity", {}), f"{source}: [diagnostics.severity]", None)
    entries = table.get("ignore", [])
    if not isinstance(entries, list):
        raise BadSetting(f"{source}: diagnostics.ignore is {entries!r}; expected [[diagnostics.ignore]] tables")
    return Rules(
        {code: (_severity(code, word, source), source) for code, word in severities.items()},
        tuple(
            _ignore(one, f"{source}: [[diagnostics.ignore]] {index}", source) for index, one in enumerate(entries, 1)
        ),
    )


def _severity(code: str, word: object, source: str) -> Severity:
    place = f"{source}: [diagnostics.severity]"
    if code.endswith("*"):
        raise BadSetting(f'{place}: "{code}": a severity is set for one code; write each out')
    checked_pattern(code, place)
    if catalogue()[code].stops_reading:
        raise BadSetting(f'{place}: "{code}" says that a file cannot be read, which is always an error; leave it out')
    known = [severity.value for severity in Severity]
    if word not in known:
        raise BadSetting(f"{place}: {code} is {word!r}; expected one of {', '.join(known)}")
    return Severity(str(word))


def _ignore(entry: object, place: str, source: str) -> Ignore:
    table = _table(entry, place, _IGNORE_KEYS)
    for key, value in table.items():
        if not isinstance(value, str) or not value.strip():
            raise BadSetting(f'{place}: "{key}" is {value!r}; expected text in quotes')
    for key in ("code", "reason"):
        if key not in table:
            raise BadSetting(f'{place}: "{key}" is missing; say which code is ignored, and for what reason')
    checked_pattern(table["code"], place, ignoring=True)
    return Ignore(table["code"], table["reason"], source, table.get("workflow"), table.get("node"))


def _table(value: object, place: str, keys: Sequence[str] | None) -> dict[str, Any]:
    """A TOML table with no keys but these; any where none are named."""
    if not isinstance(value, dict):
        raise BadSetting(f"{place} is {value!r}; expected a table")
    for key in value:
        if keys is not None and key not in keys:
            raise BadSetting(f'{place}: unknown key "{key}"{did_you_mean(key, keys)}')
    return value
