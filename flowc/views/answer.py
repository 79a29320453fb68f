"""The answer to a question in the form of facts, in the language of the workflow, and for programs."""

from pydantic import JsonValue

from compiler.report.cases.clauses import Clause
from flowc.terminal import Colour, clean, paint, print_line
from ir.predicate import Ref
from review.cases.tested import Tested
from validator.examples.ask import Answer, Ending

_COLOURS: dict[str, Colour] = {"yes": "green", "no": "red", "back": "yellow", "open": "yellow"}


def print_answer(tested: Tested, answer: Answer) -> None:
    """The verdict, how the run ends, its way and clauses; what it hangs on; the nearest change."""
    words, teller = tested.language, tested.teller
    verdict = words("answer.document_open" if answer.document_open else f"answer.{answer.verdict}")
    print_line(paint(verdict, _COLOURS[answer.verdict]))
    if answer.ending is not None or answer.document_open:
        print_line(clean(teller.ending(answer.run)))
    if answer.decides_next is not None:
        print_line(clean(words("answer.hangs_on", teller.reader.ref_full(answer.decides_next))))
        for value, ends in answer.unless:
            named = words("answer.or").join(dict.fromkeys(_ending(tested, one) for one in ends))
            print_line("  " + clean(words("answer.if", _fact(tested, answer.decides_next, value), named)))
    if not answer.exact:
        print_line(words("answer.estimated"))
    steps = " → ".join(teller.node(name) for name in answer.run.path)
    if steps:
        print_line(clean(words("answer.way", steps)))
    names = words("list_comma").join(clause.name for clause in _clauses(tested, answer))
    if names:
        print_line(clean(words("case.under", names)))
    if answer.change is not None:
        other = words("case.comma").join(_fact(tested, ref, value) for ref, value in answer.change.values.items())
        then = words(f"answer.{answer.change.verdict}")
        print_line(clean(words("answer.change", other, then, _ending(tested, answer.change.ending))))


def answer_json(tested: Tested, answer: Answer) -> dict[str, JsonValue]:
    """The same for programs."""
    change = answer.change
    clauses: list[JsonValue] = [clause.to_json() for clause in _clauses(tested, answer)]
    return {
        "verdict": answer.verdict,
        "document_open": answer.document_open,
        "ending": None if answer.ending is None else _ending_json(answer.ending),
        "decides_next": None if answer.decides_next is None else answer.decides_next.text,
        "unless": [{"value": value, "endings": [_ending_json(one) for one in ends]} for value, ends in answer.unless],
        "exact": answer.exact,
        "path": list(answer.run.path),
        "clauses": clauses,
        "change": None
        if change is None
        else {
            "values": {ref.text: value for ref, value in change.values.items()},
            "verdict": change.verdict,
            "ending": _ending_json(change.ending),
        },
    }


def _clauses(tested: Tested, answer: Answer) -> tuple[Clause, ...]:
    """The clauses of a run: of the ways that it chose, the rows that held, and its end."""
    return tested.clauses.of(tested.teller.way_evidence(answer.run))


def _fact(tested: Tested, ref: Ref, value: JsonValue) -> str:
    return tested.teller.fact(ref, value)


def _ending(tested: Tested, one: Ending) -> str:
    words = tested.language
    if one.status == "undecided":
        return words("answer.undecided")
    if one.node is None:
        return words("answer.refused")
    status, name = words(f"end.{one.status}"), tested.teller.node(one.node)
    return name if status in name else words("case.end_status", name, status)


def _ending_json(one: Ending) -> dict[str, JsonValue]:
    return {"status": one.status, "node": one.node, "reason_code": one.reason_code}
