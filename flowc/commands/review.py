"""`flowc review`: what there is to look at in drafts, deciding about it, and how decisions stand."""

import getpass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import AsJson
from flowc.extras import need
from flowc.stopping import FINDINGS, Stop, existing_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from ir.decisions.decision import DecisionKind
    from review.agreement import Agreement
    from review.draft import ReviewDraft
    from review.errors import Refused
    from review.exchange import Imported

review_app = typer.Typer(
    name="review",
    help="See what there is to look at in drafts, decide about it, and how decisions stand.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
BuiltWorkflow = Annotated[Path, typer.Argument(metavar="FILE", help="NAME.workflow.json in a build folder.")]
BuildFolder = Annotated[Path, typer.Argument(metavar="BUILD", help="A folder that `flowc compile` wrote.")]
What = Annotated[str, typer.Argument(metavar="WHAT", help="A key (step:s1), an id (g3), or words of what is meant.")]
Reason = Annotated[str, typer.Option("--reason", metavar="WHY", help="Why; every decision has a reason.")]
Readers = Annotated[list[str], typer.Option("--by", metavar="NAME", help="A reader, as --author named them; twice.")]
Author = Annotated[
    str | None, typer.Option("--author", metavar="NAME", help="Who decides; by default who is logged in.")
]
DecisionsFile = Annotated[
    Path | None, typer.Option("--decisions", metavar="FILE", help="By default decisions.jsonl beside the documents.")
]


class Shown(StrEnum):
    """Which statements are listed."""

    OPEN = "open"
    ALL = "all"


class Plain(StrEnum):
    """Kinds of decisions without an operation."""

    ACCEPT = "accept"
    REJECT = "reject"
    ANSWER = "answer"
    DECLARE = "declare"
    COMMENT = "comment"


@review_app.command("show")
def show_command(
    file: BuiltWorkflow,
    which: Annotated[
        Shown, typer.Option("--which", help="What is open (questions, prohibitions, steps, texts), or all statements.")
    ] = Shown.OPEN,
    as_json: AsJson = False,
) -> None:
    """List what is open in a draft, or what became of every statement of its document."""
    from flowc.review import draft_at, open_items
    from flowc.views.review import items_json, print_items, print_statements

    draft = draft_at(existing_path(file))
    items = open_items(draft)
    if as_json:
        every = [one.to_json() for one in draft.statements]
        terminal.print_json(every if which is Shown.ALL else items_json(items, draft.statements))
    elif which is Shown.ALL:
        print_statements(draft.statements)
    else:
        print_items(items, draft.statements)


@review_app.command("queue")
def queue_command(
    file: BuiltWorkflow,
    seen_as: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="As that reader sees it, without others' decisions."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List everything of a draft that can be decided on, the riskiest first."""
    from flowc.review import draft_at
    from flowc.views.review import item_json, print_queue
    from review.draft import seen_by
    from review.queue import queue

    draft = draft_at(existing_path(file))
    items = queue(seen_by(draft, seen_as) if seen_as else draft)
    if as_json:
        terminal.print_json([item_json(one) for one in items])
    else:
        print_queue(items)


@review_app.command("accept")
def accept_command(
    file: BuiltWorkflow, what: What, reason: Reason, author: Author = None, decisions: DecisionsFile = None
) -> None:
    """Accept a prohibition that nothing enforces, a question or an unmapped step; the next compile goes by it."""
    from flowc.review import draft_at, named, open_items
    from review.decide import decide_all, new_decision

    _check_reason(reason)
    draft = draft_at(existing_path(file), decisions)
    chosen = named(open_items(draft), what)
    subjects = {one.subject for one in chosen}
    blocks = [frozenset(block for _, block in one.words) for one in chosen]
    if not chosen or len(subjects) < len(chosen) or not frozenset.intersection(*blocks):
        fault = "is in nothing that is open" if not chosen else f"is in {len(chosen)} things that are open"
        listed = "".join(f"\n{one.subject} {one.id}: {one.title}" for one in chosen)
        raise Stop(f"“{what}” {fault}; `flowc review show {file}` lists them{listed}", "unknown-words", FINDINGS)
    made = [new_decision(draft, one, "accept", author=_by(author), reason=reason.strip()) for one in chosen]
    _take(lambda: decide_all(draft, made))
    for one in made:
        words = one.anchor.text if one.anchor else one.name
        terminal.print_line(f"accepted: {one.subject} “{terminal.one_line(terminal.clean(words))}”")
    terminal.print_line(f"written to {draft.build.decisions}; the next `flowc compile` goes by it")


@review_app.command("decide")
def decide_command(
    file: BuiltWorkflow,
    what: What,
    kind: Annotated[
        Plain, typer.Argument(metavar="KIND", help="accept, reject, answer, declare (no duty) or comment.")
    ],
    reason: Reason,
    answer: Annotated[str | None, typer.Option("--answer", metavar="TEXT", help="The words of an answer.")] = None,
    author: Author = None,
    decisions: DecisionsFile = None,
) -> None:
    """Decide about one thing of a draft without changing it: accept, reject, answer, declare it no duty, comment."""
    from flowc.review import draft_at, one_named
    from review.decide import decide, new_decision
    from review.queue import queue

    _check_reason(reason)
    if (kind is Plain.ANSWER) != bool(answer):
        raise Stop("an answer needs its words, and nothing else has any: --answer TEXT", "bad-setting")
    draft = draft_at(existing_path(file), decisions)
    item = one_named(queue(draft), what, file)
    chosen: DecisionKind = kind.value
    made = new_decision(draft, item, chosen, author=_by(author), reason=reason.strip(), value=answer)
    _take(lambda: decide(draft, made))
    terminal.print_line(f"{kind}: {item.key}, {made.id}, written to {draft.build.decisions}")


@review_app.command("correct")
def correct_command(
    file: BuiltWorkflow,
    what: What,
    do: Annotated[
        str | None, typer.Argument(metavar="[OPERATION]", help="change_step.actor, set_condition, …; without, all.")
    ] = None,
    values: Annotated[
        list[str] | None, typer.Argument(metavar="[FIELD=VALUE]…", help="value=Clerk, 'text=amount > 5000', …")
    ] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="WHY", help="Why; every decision has a reason.")] = "",
    author: Author = None,
    decisions: DecisionsFile = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what it would change.")] = False,
) -> None:
    """Correct one thing of a draft by an operation; what it changes by meaning is shown, and faults at their field."""
    from flowc.review import draft_at, one_named
    from flowc.views.review import print_forms, print_preview
    from review.decide import decide, new_decision, preview
    from review.errors import Refused
    from review.forms import forms_of, operation_from
    from review.queue import queue

    draft = draft_at(existing_path(file), decisions)
    item = one_named(queue(draft), what, file)
    if do is None:
        print_forms(item, forms_of(draft, item))
        return
    if not dry_run:
        _check_reason(reason)
    try:
        operation = operation_from(draft, item, do, _entered(values or []))
    except Refused as error:
        raise _refused(error) from None
    made = new_decision(draft, item, "correct", author=_by(author), reason=reason.strip() or "tried", value=operation)
    looked = preview(draft, made)
    if looked.faults:
        raise _refused(Refused(looked.faults))
    terminal.print_line(f"{do} of {item.key}:")
    print_preview(looked)
    if not dry_run:
        _take(lambda: decide(draft, made))
        terminal.print_line(f"{made.id} written to {draft.build.decisions}; the next `flowc compile` goes by it")


@review_app.command("undo")
def undo_command(
    file: BuiltWorkflow,
    which: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Id of a decision; by default your last one on this draft.")
    ] = None,
    author: Author = None,
    reason: Annotated[str, typer.Option("--reason", metavar="WHY")] = "taken back",
    decisions: DecisionsFile = None,
) -> None:
    """Take a decision back; both lines stay in the file."""
    from flowc.review import draft_at
    from review.decide import undo

    draft = draft_at(existing_path(file), decisions)
    after = _take(lambda: undo(draft, _by(author), reason, which))
    gone = set(draft.in_force) - set(after.in_force)
    terminal.print_line(f"taken back: {', '.join(sorted(gone)) or 'nothing'}")


@review_app.command("status")
def status_command(build: BuildFolder, as_json: AsJson = False) -> None:
    """Tell how the decisions about a build's documents stand; those that do not hold any more with the reason."""
    from flowc.review import drafts_at
    from flowc.views.review import print_status
    from review.status import status

    found = status(drafts_at(existing_path(build)))
    if as_json:
        terminal.print_json({
            "counts": {kind: dict(counts) for kind, counts in found.counts.items()},
            "troubles": [one.to_json() for one in found.troubles],
            "decided": found.decided, "all": found.whole,
        })  # fmt: skip
    else:
        print_status(found)


@review_app.command("agreement")
def agreement_command(
    build: BuildFolder,
    by: Readers,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Show differences before both are done; then they are not blind.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Tell how far two readers agree over steps, edges and conditions, and list where they differ.

    Exit status: 0 they differ in nothing that is not settled; 1 they do; 2 the words of the command are off.
    """
    from flowc.review import drafts_at
    from flowc.views.agreement import agreement_json, print_agreement
    from review.agreement import agreement

    first, second = _two(by)
    need("agreement", "review", ("krippendorff",))
    found = agreement(drafts_at(existing_path(build)), first, second)
    _check_readers(found)
    shown = found.done or unfinished
    if as_json:
        terminal.print_json(agreement_json(found, shown=shown))
    else:
        print_agreement(found, shown=shown)
    if any(one.settled_by is None for one in found.differences) and shown:
        raise typer.Exit(FINDINGS)


@review_app.command("settle")
def settle_command(
    file: BuiltWorkflow,
    what: Annotated[str, typer.Argument(metavar="WHAT", help="Key of a difference, as step:s1, or words of it.")],
    by: Readers,
    take: Annotated[str, typer.Option("--take", metavar="NAME", help="The reader whose judgement is to hold.")],
    reason: Reason,
    author: Author = None,
) -> None:
    """Settle a difference between two readers by a decision that names both."""
    from flowc.review import draft_at
    from flowc.views.agreement import key_of
    from ir.decisions.anchor import plain
    from review.agreement import agreement, settle

    _check_reason(reason)
    first, second = _two(by)
    need("agreement", "review", ("krippendorff",))
    draft = draft_at(existing_path(file))
    found = agreement((draft,), first, second)
    _check_readers(found)
    named = [one for one in found.differences if key_of(one) == what]
    if not named and len(plain(what)) > 1:
        named = [one for one in found.differences if plain(what) in plain(" ".join((one.element.name, *one.words)))]
    if len(named) != 1:
        listed = "".join(f"\n{key_of(one)}: {one.element.name}" for one in named or found.differences)
        fault = "is in no difference" if not named else f"is in {len(named)} differences"
        raise Stop(f"“{what}” {fault} of {first} and {second}{listed}", "unknown-words", FINDINGS)
    _take(lambda: settle(draft, named[0], take, _by(author), reason.strip()))
    terminal.print_line(f"settled: {key_of(named[0])} as {take} judged, written to {draft.build.decisions}")


@review_app.command("export")
def export_command(
    build: BuildFolder,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="NAME.xlsx for open questions, NAME.jsonl for decisions.")
    ],
) -> None:
    """Write the open questions as a sheet with a column for answers, or all decisions as lines of JSON."""
    from compiler.build.files import output_failed, write_whole
    from flowc.review import drafts_at
    from review.exchange import export_lines, write_sheet

    is_sheet, drafts = _is_sheet(file), drafts_at(existing_path(build))
    if is_sheet:
        try:
            count = write_sheet(drafts, file)
        except OSError as error:
            raise output_failed(file, error) from error
        terminal.print_line(f"{count} open questions written to {file}")
    else:
        write_whole(file, export_lines(drafts))
        terminal.print_line(f"decisions written to {file}")


@review_app.command("import")
def import_command(
    build: BuildFolder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="NAME.xlsx with answers, or NAME.jsonl of decisions.")],
    author: Author = None,
) -> None:
    """Take answers from a sheet, or decisions from lines of JSON; ends with 1 where something is not taken."""
    from flowc.review import drafts_at
    from review.exchange import import_lines, import_sheet

    is_sheet, given = _is_sheet(file), existing_path(file)
    drafts = drafts_at(existing_path(build))
    if not drafts:
        raise Stop(f"{build}: the build has no draft; there is nothing to decide about", "bad-input-file")
    if is_sheet:
        found: Imported = import_sheet(drafts, given, _by(author))
    else:
        found = import_lines(drafts[0], given.read_text("utf-8"), str(file))
    terminal.print_line(f"{len(found.taken)} taken, {found.known} known already, {len(found.refused)} to look at")
    for line in found.refused:
        terminal.print_line(f"  {terminal.clean(line)}")
    if found.refused:
        raise typer.Exit(FINDINGS)


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise Stop("why may it stand like that? give the reason with --reason", "bad-setting")


def _by(author: str | None) -> str:
    return author or getpass.getuser()


def _entered(values: list[str]) -> dict[str, str]:
    """`FIELD=VALUE` as a mapping."""
    found: dict[str, str] = {}
    for each in values:
        name, sign, value = each.partition("=")
        if not sign:
            raise Stop(f"{each!r} is no FIELD=VALUE; write for example value=Clerk", "bad-setting")
        found[name.strip()] = value
    return found


def _take(act: "Callable[[], ReviewDraft]") -> "ReviewDraft":
    """What an act gives; where it is refused, or somebody was faster, the command stops."""
    from review.errors import Conflict, Refused

    try:
        return act()
    except Refused as error:
        raise _refused(error) from None
    except Conflict as error:
        raise Stop(str(error), "refused-decision", FINDINGS) from None


def _refused(error: "Refused") -> Stop:
    """The stop for what was entered wrongly, each fault with its field and its code."""
    lines = [f"{one.field or 'operation'}: {one.message} [{one.code}]" for one in error.faults]
    return Stop("nothing was written:\n" + "\n".join(lines), "refused-decision", FINDINGS)


def _is_sheet(file: Path) -> bool:
    if file.suffix.lower() not in (".xlsx", ".jsonl"):
        raise Stop(f"{file}: name a file NAME.xlsx or NAME.jsonl", "bad-setting")
    is_sheet = file.suffix.lower() == ".xlsx"
    if is_sheet:
        need("a sheet", "review", ("openpyxl",))
    return is_sheet


def _two(by: list[str]) -> tuple[str, str]:
    if len(by) != 2 or by[0] == by[1]:
        raise Stop("agreement is between two readers: --by NAME --by OTHER", "bad-setting")
    return by[0], by[1]


def _check_readers(found: "Agreement") -> None:
    """That each reader judged something; a name that nobody decided under is more likely misspelt."""
    for name, count in zip(found.readers, (found.whole.first, found.whole.second), strict=True):
        if not count:
            raise Stop(f"{name} judged no step, edge or condition; --author named the readers", "unknown-words")
