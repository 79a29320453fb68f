"""The answer to a question in the form of facts, in the language of the workflow, and for programs."""

from pydantic import JsonValue

from flowc.terminal import Colour, clean, paint, print_line
from review.cases.answered import answer_told, clauses_of
from review.cases.tested import Tested
from validator.examples.ask import Answer, Ending

_COLOURS: dict[str, Colour] = {"yes": "green", "no": "red", "back": "yellow", "open": "yellow"}


def print_answer(tested: Tested, answer: Answer) -> None:
    """The verdict, how the run ends, its way and clauses; what it hangs on; the nearest change."""
    words, told = tested.language, answer_told(tested, answer)
    print_line(paint(told.verdict, _COLOURS[answer.verdict]))
    if told.ending is not None:
        print_line(clean(told.ending))
    if told.hangs_on is not None:
        print_line(clean(words("answer.hangs_on", told.hangs_on)))
        for fact, named in told.unless:
            print_line("  " + clean(words("answer.if", fact, named)))
    if told.estimated is not None:
        print_line(told.estimated)
    if told.way:
        print_line(clean(words("answer.way", " → ".join(told.way))))
    if told.clauses:
        print_line(clean(words("case.under", words("list_comma").join(one.name for one in told.clauses))))
    if told.change is not None:
        print_line(clean(told.change))


def answer_json(tested: Tested, answer: Answer) -> dict[str, JsonValue]:
    """The same for programs."""
    change = answer.change
    clauses: list[JsonValue] = [clause.to_json() for clause in clauses_of(tested, answer)]
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


def _ending_json(one: Ending) -> dict[str, JsonValue]:
    return {"status": one.status, "node": one.node, "reason_code": one.reason_code}
