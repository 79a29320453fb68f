"""What became of kept cases: for a terminal, for programs, and as JUnit for CI."""

from collections import Counter
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as Xml

from pydantic import JsonValue

from compiler.report.words import Words
from flowc.terminal import Colour, clean, one_line, paint, print_line, table
from flowc.views.findings import plural
from review.cases.differing import difference_words
from review.cases.tested import Covered, Tested
from validator.examples.kept import FAILING, CheckedCase, Outcome

_COLOURS: Mapping[str, Colour] = {
    "passed": "green", "differs": "red", "mended": "green", "still wrong": "yellow", "stale": "red",
}  # fmt: skip
_ORDER: tuple[Outcome, ...] = ("differs", "stale", "still wrong", "mended", "unsure", "not judged", "passed")
_SHOWN = 8
"""How much of what no case shows is listed."""


def print_tests(tested: Tested, checked: Sequence[CheckedCase], coverage: Mapping[str, Covered]) -> None:
    """Each case that is not as it was judged, with what decides it now; then what the cases cover."""
    for one in sorted(checked, key=lambda case: _ORDER.index(case.outcome)):
        if one.outcome in ("passed", "unsure", "not judged"):
            continue
        print_line(f"{paint(one.outcome, _COLOURS[one.outcome])} {one.case.id}: {clean(one_line(one.case.told))}")
        for line in told(tested, one):
            print_line(f"    {clean(one_line(line))}")
    print_coverage(coverage)
    counts = Counter(one.outcome for one in checked)
    print_line(
        f"{plural(len(checked), 'case')}: " + ", ".join(f"{counts[name]} {name}" for name in _ORDER if counts[name])
    )


def print_coverage(coverage: Mapping[str, Covered]) -> None:
    """What the cases cover, and the first of what they do not."""
    rows = [
        [name, f"{one.shown}/{one.count}", "; ".join(one.left[:_SHOWN]) + (" …" if len(one.left) > _SHOWN else "")]
        for name, one in coverage.items()
    ]
    table(["covered", "of", "not shown by any case"], rows, wrapped=["not shown by any case"])


def told(tested: Tested, one: CheckedCase) -> list[str]:
    """What is said of a case that is not as it was judged."""
    judged = one.case.judgement
    lines = [f"gone: {', '.join(one.gone)}; judge the case anew, or take it out"] if one.gone else []
    lines += [f"should: {judged.should}"] if judged is not None and judged.should else []
    lines += _differences(tested, one)
    if one.outcome in ("differs", "still wrong"):
        for each in tested.deciding(one):
            names = ", ".join(clause.name for clause in each.clauses)
            lines.append(f"decided by {each.words}" + (f" ({names})" if names else ""))
    return lines


def _differences(tested: Tested, one: CheckedCase) -> list[str]:
    return [difference_words(tested, each, Words("en")) for each in one.differences]


def tests_json(tested: Tested, checked: Sequence[CheckedCase], coverage: Mapping[str, Covered]) -> dict[str, JsonValue]:
    """The same for programs."""
    cases: list[JsonValue] = []
    for one in checked:
        deciding: list[JsonValue] = [
            {"words": each.words, "clauses": [clause.to_json() for clause in each.clauses]}
            for each in (tested.deciding(one) if one.outcome in ("differs", "still wrong") else ())
        ]
        differences: list[JsonValue] = [*_differences(tested, one)]
        cases.append({
            "id": one.case.id, "told": one.case.told, "outcome": one.outcome, "differences": differences,
            "gone": list(one.gone), "decided_by": deciding,
        })  # fmt: skip
    covered: dict[str, JsonValue] = {
        name: {"shown": one.shown, "count": one.count, "left": list(one.left)} for name, one in coverage.items()
    }
    return {"workflow": tested.workflow.workflow_id, "tests": str(tested.file), "cases": cases, "coverage": covered}


def as_junit(suites: Sequence[tuple[Tested, Sequence[CheckedCase]]]) -> str:
    """JUnit XML: a failure for a right case that differs, an error for a stale one, others but passed are skipped."""
    root = Xml.Element("testsuites")
    for tested, checked in suites:
        counts = Counter(one.outcome for one in checked)
        skipped = counts["still wrong"] + counts["unsure"] + counts["not judged"]
        suite = Xml.SubElement(
            root, "testsuite", name=tested.workflow.workflow_id, tests=str(len(checked)),
            failures=str(counts["differs"]), errors=str(counts["stale"]), skipped=str(skipped),
        )  # fmt: skip
        for one in checked:
            case = Xml.SubElement(
                suite, "testcase", classname=tested.workflow.workflow_id, name=_xml(f"{one.case.id} {one.case.told}")
            )
            said = _xml("\n".join(told(tested, one)))
            if one.outcome in FAILING:
                kind = "failure" if one.outcome == "differs" else "error"
                Xml.SubElement(case, kind, message=said.split("\n")[0], type=one.outcome).text = said
            elif one.outcome not in ("passed", "mended"):
                Xml.SubElement(case, "skipped", message=one.outcome)
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Text without the characters that XML does not admit."""
    return clean(text.replace("\n", "\x00")).replace("\\x00", "\n")
