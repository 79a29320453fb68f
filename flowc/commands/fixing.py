"""`flowc validate --fix`: applies the fixes of findings, shows the change, and writes it where that is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from pydantic import JsonValue

from compiler.build.files import write_whole
from flowc.checking import CheckContext, Checked, check_file, check_value, syntax_of
from flowc.report import Report
from flowc.stopping import ENVIRONMENT, Stop
from flowc.terminal import Colour, clean, paint, print_line
from flowc.views.edits import CommentsLost, rewritten
from flowc.views.findings import counted, fix_line
from ir.codec import read_json, read_yaml
from ir.diagnostics import Diagnostic
from validator.fixes.autofix import Autofixed, State, autofix
from validator.suppressions import Rules, judge

_BOM = b"\xef\xbb\xbf"
_DIFF: dict[str, Colour] = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True)
class Fixed:
    """One file, fixed as far as it goes.

    Args:
        older: findings that are gone because the file is written in the stored form.
        text: the new text; None where nothing changes, or where it cannot be written.
        hindrance: why it cannot be written, None where it can.
    """

    checked: Checked
    result: Autofixed
    older: tuple[Diagnostic, ...]
    text: str | None
    hindrance: str | None = None


def fix_files(paths: Sequence[Path], context: CheckContext, rules: Rules, *, write: bool) -> tuple[list[Report], bool]:
    """Mend files as far as the fixes of findings that count go, and say of each what changes.

    Args:
        write: whether the files are changed; else what would change is shown.

    Returns:
        What is found in the files as they now are, and whether all that was to be written was.

    Raises:
        Stop: a file changed meanwhile.
        OutputError: a file cannot be written.
    """
    reports, whole = [], True
    for path in paths:
        fixed = fix(check_file(path, context), context, rules)
        _tell(fixed)
        if fixed.text is not None and write:
            _write(fixed.checked, fixed.text)
            print_line(f"{clean(str(path))}: written")
        elif fixed.text is not None:
            left = counted(_counting(fixed.result.state, rules))
            print_line(f"{clean(str(path))}: nothing written; --write writes it; after that: {left}")
        whole = whole and fixed.hindrance is None
        reports.append(Report.check(path, context, rules))
    return reports, whole


def fix(checked: Checked, context: CheckContext, rules: Rules) -> Fixed:
    """What a file becomes; an older form is written as it is stored where a finding that counts asks for it."""

    def check(value: JsonValue) -> State:
        return _state(check_value(value, checked.path, context))

    def wanted(finding: Diagnostic) -> bool:
        return bool(_counting(State(None, readable=True, found=(finding,)), rules))

    stored = check(checked.value) if checked.older else _state(checked)
    result = autofix(stored, check, wanted)
    gone = tuple(one for one in checked.found if checked.older and not _among(one, stored.found))
    older = gone if result.applied or any(wanted(one) for one in gone) else ()
    if not result.applied and not older:
        return Fixed(checked, result, (), None)
    is_yaml = syntax_of(checked.path) == "yaml"
    try:
        text = rewritten(checked.text, checked.as_written, result.state.value, is_yaml=is_yaml)
    except CommentsLost as error:
        return Fixed(checked, result, older, None, str(error))
    assert (read_yaml if is_yaml else read_json)(text) == (result.state.value, ())
    return Fixed(checked, result, older, text)


def _among(finding: Diagnostic, others: Sequence[Diagnostic]) -> bool:
    return any((one.error_code, one.message) == (finding.error_code, finding.message) for one in others)


def _state(checked: Checked) -> State:
    return State(checked.value, checked.workflow is not None, checked.found)


def _counting(state: State, rules: Rules) -> list[Diagnostic]:
    """The findings that are neither set aside nor left out."""
    judged, _ = judge(state.found, rules, readable=state.readable)
    return [one.finding for one in judged if one.ignored is None]


def _tell(fixed: Fixed) -> None:
    """Say what changes in a file, what does not although a fix was offered, and show the difference."""
    name = clean(str(fixed.checked.path))
    if fixed.older:
        codes = ", ".join(dict.fromkeys(one.error_code for one in fixed.older))
        print_line(f"{name}: written in the form that is stored [{codes}]")
    for one in fixed.result.applied:
        print_line(f"{name}: {paint('fix', 'green')}: {fix_line(one.fix)} [{one.finding.error_code}]")
    for refused in fixed.result.refused:
        what = f"{fix_line(refused.fix)} [{refused.finding.error_code}]"
        print_line(f"{name}: {paint('not fixed', 'yellow')}: {what}: {clean(refused.why)}")
    if fixed.hindrance:
        print_line(f"{name}: {paint('not written', 'red')}: {fixed.hindrance}; make the changes by hand")
    elif fixed.text is None:
        print_line(f"{name}: nothing to fix")
    else:
        _show_difference(fixed.checked, fixed.text)


def _show_difference(checked: Checked, text: str) -> None:
    name = str(checked.path)
    old, new = checked.text.split("\n"), text.split("\n")
    for line in unified_diff(old, new, fromfile=name, tofile=name, lineterm=""):
        colour = _DIFF.get(line[:1])
        shown = clean(line.rstrip("\r"))
        print_line(paint(shown, colour) if colour else shown)


def _write(checked: Checked, text: str) -> None:
    """Write the file whole, through a link into what it leads to.

    Raises:
        Stop: it is no longer as it was read.
    """
    path = checked.path.resolve()
    if path.read_bytes() != checked.data:
        raise Stop(f"{checked.path} changed while it was fixed; run the command again", "output-failed", ENVIRONMENT)
    mark = _BOM if checked.data.startswith(_BOM) else b""
    write_whole(path, mark + text.encode("utf-8"))
