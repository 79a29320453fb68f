"""Reports as Markdown and as a page: they need nothing else, name what crashed, begin with the worst, and escape."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from eval_samples import Drafted, changed_node, one_missing_one_invented, workflow
from report_samples import failed, report, result

from evals.reports.markdown import markdown
from evals.reports.page import page
from evals.reports.pictures import Picture, pictures_of
from evals.reports.report import Report
from evals.reports.run import Run
from evals.tally import Tally, share

pytest_plugins = ("eval_fixtures",)

HOSTILE = "<img src=x onerror=1>"
LOADING = {"src", "href", "srcset", "action", "data", "xlink:href"}


def three() -> Report:
    """A good case, a bad one, and one that crashed, in the order of their names."""
    bad = result("b-bad", behaviour=share(1, 4), extraction_step=Tally(right=2, wanted=4, found=6))
    bad = failed(bad, "worth more", "path: gold a → b, draft a", "status: gold rejected, draft completed")
    return report(
        result("a-good", behaviour=share(4, 4), extraction_step=Tally(right=5, wanted=5, found=5)),
        bad,
        result("c-crash", "RuntimeError: out of ink", behaviour=share(0, 4)),
    )


class _Elements(HTMLParser):
    """The elements and attributes of a page, and the words outside of its style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] != "style":
            self.words.append(data)


def shown(made: Report, **pictures: tuple[Picture, ...]) -> str:
    """The page of a report."""
    return page(Run(made, {f"cases/{slug}": found for slug, found in pictures.items()}))


def assert_alone(text: str) -> None:
    """Nothing is loaded and nothing runs."""
    found = _Elements(text)
    assert not {"script", "link", "iframe", "object", "embed", "base", "img"} & set(found.tags)
    loaded = [
        (name, value) for name, value in found.attributes if name in LOADING and not (value or "").startswith("#")
    ]
    assert loaded == []
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert not re.search(r"@import|url\(", text)
    linked = {value for name, value in found.attributes if value and re.match("https?://", value)}
    assert linked <= {"http://www.w3.org/2000/svg"}


def test_the_page_needs_nothing_else(drafted: Drafted) -> None:
    """No script, no link that is loaded, a policy that forbids both; with drawings too."""
    text = shown(three(), **{"a-good": pictures_of(drafted(*one_missing_one_invented()))})
    assert_alone(text)
    assert "default-src 'none'" in text.replace("&#x27;", "'") and text.count("<svg") == 2


def test_markdown_needs_nothing_else() -> None:
    """No link and no markup."""
    text = markdown(three())
    assert not re.search(r"https?://|<script|!\[|\]\(", text)


def test_a_crash_is_named_with_its_reason() -> None:
    """In both, with what it counts as."""
    made = three()
    assert "**c-crash crashed**: RuntimeError: out of ink. It counts as missed" in markdown(made)
    assert "crashed: RuntimeError: out of ink; it counts as missed" in shown(made)
    assert made.crashed == ("cases/c-crash",)


@pytest.mark.parametrize("view", [markdown, shown])
def test_the_worst_come_first(view: object) -> None:
    """The crashed one, the bad one, the good one."""
    text = view(three())  # type: ignore[operator]
    places = [text.index(mark + slug) for slug in ("c-crash", "b-bad", "a-good") for mark in _mark(text)]
    assert places == sorted(places)


def _mark(text: str) -> tuple[str]:
    """What stands before a case's name where its row or section begins."""
    return ("<summary>",) if text.startswith("<!DOCTYPE") else ("| ",)


def test_figures_are_shown_with_precision_and_recall_where_they_differ() -> None:
    """Steps: 7 right of 9 wanted and 11 found; behaviour, a share: 5 of 8 runs, and none of the crash's 4."""
    text = markdown(three())
    (step,) = [line for line in text.splitlines() if line.startswith("| extraction.step |")]
    assert [cell.strip() for cell in step.split("|")[2:-1]][0::2] == ["0.700", "0.636", "2"]
    assert "0.778" in step
    (runs,) = [line for line in text.splitlines() if line.startswith("| behaviour |")]
    assert [cell.strip() for cell in runs.split("|")[2:-1]][0::2] == ["0.417", "", "3"]
    heads = next(line for line in text.splitlines() if line.startswith("| case |"))
    assert heads == "| case | extraction.step | behaviour | seconds |"
    assert "| b-bad | 0.40 | 0.25 | 1.5 |" in text and "| c-crash |  | 0.00 | 1.5 |" in text


def test_what_made_the_report_is_said() -> None:
    """Version, mode, method and commit, in both."""
    made = three()
    assert "flowc 0.1.0, offline, cues, commit 0123456789abcdef+, 12.2 s." in markdown(made)
    words = "".join(_Elements(shown(made)).words)
    for name, value in (("flowc", "0.1.0"), ("mode", "offline"), ("method", "cues"), ("python", "3.11.0")):
        assert f"{name} {value}" in words


def test_failed_runs_are_listed() -> None:
    """Scenario and differences."""
    words = " ".join(_Elements(shown(three())).words)
    assert "Scenarios that went otherwise than in gold: 1" in words
    assert "worth more" in words and "path: gold a → b, draft a; status: gold rejected, draft completed" in words


@pytest.mark.parametrize("field", ["title", "slug", "crash"])
def test_the_page_escapes_what_cases_are_called(field: str) -> None:
    """A hostile title is words, not an element."""
    case = result("a", behaviour=share(1, 2)).model_copy(update={field: HOSTILE})
    text = shown(report(failed(case, HOSTILE, HOSTILE)))
    assert_alone(text)
    assert HOSTILE not in text and "&lt;img src=x onerror=1&gt;" in text


def test_the_page_escapes_what_documents_say(drafted: Drafted) -> None:
    """Titles, labels and quotes of workflows, in the table and in the drawing."""
    gold = workflow()
    draft = changed_node(gold, "submit", label=HOSTILE, instruction=HOSTILE)
    evidence = tuple(e.model_copy(update={"quote": HOSTILE}) for e in gold.nodes["check"].evidence)
    draft = changed_node(draft, "check", evidence=evidence)
    pictures = pictures_of(drafted(None, draft))
    hostile = tuple(replace(one, title=HOSTILE) for one in pictures)
    text = shown(three(), **{"a-good": hostile})
    assert_alone(text)
    assert HOSTILE not in text


def test_pictures_mark_what_is_in_both_and_in_one(drafted: Drafted) -> None:
    """The reminder is in gold alone, the filing in the draft alone, with the words that each rests on."""
    (picture,) = pictures_of(drafted(*one_missing_one_invented()))
    assert (picture.gold_marks["remind"], picture.draft_marks["filing"]) == ("missing", "extra")
    assert (picture.gold_marks["check"], picture.draft_marks["check"]) == ("matched", "matched")
    assert {picture.gold_marks[name] for name in ("done", "refused", "given_back")} == {"end"}
    rows = {row.status: row for row in picture.rows}
    assert rows["missing"].draft is None and "reminder" in rows["missing"].gold_quote
    assert rows["extra"].gold is None and rows["extra"].draft_quote == "Loan of Measuring Equipment"
    text = shown(three(), **{"a-good": (picture,)})
    assert text.count('data-node="remind" data-mark="missing"') == 1
    assert text.count('data-node="filing" data-mark="extra"') == 1


def test_a_gold_workflow_without_a_draft_is_drawn_alone(drafted: Drafted) -> None:
    """Every step is missing, and the draft's side says that there is none."""
    view = drafted()
    none = replace(view, outcome=replace(view.outcome, drafts=()))
    (picture,) = pictures_of(none)
    assert picture.draft is None and {row.status for row in picture.rows} == {"missing"}
    assert "Draft: none" in "".join(_Elements(shown(three(), **{"a-good": (picture,)})).words)


def test_markdown_escapes_what_a_crash_says() -> None:
    """The words of an exception, which may quote a document."""
    text = markdown(report(result("a", f"ValueError: {HOSTILE}\n# Heading", behaviour=share(0, 1))))
    assert HOSTILE not in text and "\n# Heading" not in text
    assert "**a crashed**: ValueError: &lt;img src=x onerror=1&gt; # Heading. It counts" in text
