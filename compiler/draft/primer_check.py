"""Checks the primers themselves: their examples are grounded and valid, and their rules name codes that exist.

A model copies what it is shown, so an example that the validator would reject, or a rule that nothing enforces, is an
error of the build.
"""

from collections.abc import Collection, Iterator

from pydantic import JsonValue

from catalog.load import Catalog
from compiler.conformance import ALL_CHECKS
from ir.codec import read_form
from ir.diagnostics import Diagnostic, Location, Severity
from ir.predicate import references
from ir.procedure import END, START, Procedure
from ir.workflow import Workflow
from primers.load import Primers
from primers.primer import Primer, WorkedExample
from validator.analysis.locations import pointer
from validator.checks import CheckInput, code_of, validate
from validator.suggest import did_you_mean

READING_CODES = frozenset({"code-in-workflow", "control-flow-in-node", "prompt-in-workflow", "unknown-key"})
"""Codes of faults that keep a workflow from being read, so that no check sees them (`ir.normalise`, `ir.faults`)."""


def emitted_codes() -> frozenset[str]:
    """The codes that a rule may name: those of the checks, and those of reading a workflow."""
    return READING_CODES | {code_of(check) for check in ALL_CHECKS}


def check_primers(primers: Primers, catalog: Catalog, codes: Collection[str] | None = None) -> tuple[Diagnostic, ...]:
    """What is wrong with the primers; nothing where they can be used.

    Args:
        codes: the diagnostic codes that can be emitted; None means `emitted_codes()`.

    Returns:
        Errors `primer-code-unknown`, `primer-example-ungrounded` and `primer-example-invalid`, primer by primer; the
        location has the primer's file and a pointer into its front matter.
    """
    codes = emitted_codes() if codes is None else codes
    found: list[Diagnostic] = []
    for primer in primers.by_name.values():
        found += _unknown_codes(primer, codes)
        for index, example in enumerate(primer.examples):
            found += _ungrounded(primer, index, example)
            found += _invalid(primer, index, example, catalog)
    return tuple(found)


def _fault(primer: Primer, code: str, message: str, where: str, expected: JsonValue, found: JsonValue) -> Diagnostic:
    return Diagnostic(
        error_code=code,
        severity=Severity.ERROR,
        message=message,
        location=Location(file=f"{primer.name}.md", pointer=where),
        expected=expected,
        found=found,
    )


def _unknown_codes(primer: Primer, codes: Collection[str]) -> Iterator[Diagnostic]:
    """Rules that name a code which nothing emits."""
    for index, rule in enumerate(primer.rules):
        if rule.code is not None and rule.code not in codes:
            message = (
                f'rule "{rule.id}" names the code "{rule.code}", which nothing emits'
                f"{did_you_mean(rule.code, sorted(codes))}; name the code that enforces it, or mark it advisory"
            )
            where = pointer("rules", index, "code")
            yield _fault(primer, "primer-code-unknown", message, where, "a code that flowc emits", rule.code)


def _ungrounded(primer: Primer, index: int, example: WorkedExample) -> Iterator[Diagnostic]:
    """Quotes that do not stand in the example's text, or stand there more than once without saying which."""
    form = "procedure" if example.procedure is not None else "workflow"
    for path, quoted in _quoted(example.expected, ("examples", index, form)):
        quote, doc_id, occurrence = quoted["quote"], quoted.get("doc_id"), quoted.get("occurrence")
        times = example.text.count(quote) if isinstance(quote, str) and quote else 0
        wanted = occurrence if isinstance(occurrence, int) else 1
        if times < wanted:
            message = f"its text has the quote {times} times; quote it verbatim"
            expected: JsonValue = example.text
        elif times > 1 and occurrence is None and doc_id is not None:
            message, expected = f"its text has the quote {times} times; say which occurrence, or quote more", None
        elif doc_id is not None and doc_id != example.doc_id:
            message, expected = f'the quote is said to stand in "{doc_id}"', example.doc_id
        else:
            continue
        message = f'example "{example.id}": "{quote}": {message}'
        yield _fault(primer, "primer-example-ungrounded", message, pointer(*path, "quote"), expected, quote)


def _quoted(
    value: JsonValue, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], dict[str, JsonValue]]]:
    """Every object with a quote - evidence, spans, literals of conditions - with its path."""
    if isinstance(value, dict):
        if value.get("quote") is not None:
            yield path, value
        for key, below in value.items():
            yield from _quoted(below, (*path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _quoted(below, (*path, index))


def _invalid(primer: Primer, index: int, example: WorkedExample, catalog: Catalog) -> Iterator[Diagnostic]:
    """What keeps the example's procedure or workflow from being read, or from being valid."""
    form, faults = "procedure", tuple[Diagnostic, ...]()
    if example.procedure is not None:
        procedure, faults = read_form(Procedure, example.procedure)
        for where, found in _dangling(procedure) if procedure else ():
            message = f'example "{example.id}": nothing in the procedure is called "{found}"'
            at = pointer("examples", index, form, *where)
            yield _fault(primer, "primer-example-invalid", message, at, "an id in the procedure", found)
    else:
        form = "workflow"
        workflow, faults = read_form(Workflow, example.workflow)
        faults = validate(CheckInput(workflow, catalog)) if workflow else faults
    for fault in faults:
        if fault.severity is Severity.ERROR:
            message = f'example "{example.id}": {fault.message} [{fault.error_code}]'
            at = pointer("examples", index, form) + (fault.location.pointer or "")
            yield _fault(primer, "primer-example-invalid", message, at, fault.expected, fault.found)


def _dangling(procedure: Procedure) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Names in a procedure that nothing bears: where, and the name."""
    steps = {step.id for step in procedure.steps}
    conditions = {condition.id for condition in procedure.conditions}
    facts = {fact.id for fact in procedure.facts}
    for number, flow in enumerate(procedure.flows):
        if flow.source not in {*steps, START}:
            yield ("flows", number, "from"), flow.source
        if flow.target not in {*steps, END}:
            yield ("flows", number, "to"), flow.target
        if flow.condition not in {*conditions, None, "otherwise"}:
            yield ("flows", number, "condition"), str(flow.condition)
    for number, gap in enumerate(procedure.gaps):
        constraints = {constraint.id for constraint in procedure.constraints}
        yield from (
            (("gaps", number, "about"), name)
            for name in gap.about
            if name not in steps | conditions | facts | constraints
        )
    predicates = [(("conditions", number), item.predicate) for number, item in enumerate(procedure.conditions)]
    predicates += [(("constraints", number), item.predicate) for number, item in enumerate(procedure.constraints)]
    for where, predicate in predicates:
        for ref in references(predicate) if predicate else ():
            if ref.path[0] not in (facts if ref.root == "facts" else steps if ref.root == "steps" else ()):
                yield (*where, "predicate"), ref.text
