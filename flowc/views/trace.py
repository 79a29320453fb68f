"""What became of words of a document, for people and programs."""

from dataclasses import asdict

from pydantic import JsonValue

from compiler.build.tracing import Tracing
from flowc.terminal import clean, one_line, paint, print_line


def print_tracing(tracing: Tracing) -> None:
    """The places, what a model answered about them, what was made of them and by which lines, and each pass."""
    for place in tracing.passages:
        print_line(paint(clean(f"{place.doc_id} {place.block}: “{one_line(place.quote)}”"), "bold"))
    for answer in tracing.answers:
        print_line(f"\n{clean(answer.model)} answered ({answer.purpose}, {clean(answer.subject)}):")
        for part in answer.parts:
            print_line(f"  {clean(part)}")
    if tracing.made:
        print_line("\nmade of it while the document was read, with the lines that made it, innermost first:")
    for made in tracing.made:
        print_line(f"  {clean(one_line(made.what))}")
        for line in made.by:
            print_line(paint(f"    {line}", "dim"))
    for stage in tracing.stages:
        print_line(f"\n{stage.name}:")
        for line in stage.shows:
            print_line(f"  {clean(one_line(line))}")


def tracing_json(tracing: Tracing) -> JsonValue:
    """The same for programs."""
    return {
        "passages": [asdict(place) for place in tracing.passages],
        "answers": [{**asdict(answer), "parts": list(answer.parts)} for answer in tracing.answers],
        "made": [{"what": made.what, "by": list(made.by)} for made in tracing.made],
        "passes": [{"name": s.name, "subject": s.subject, "shows": list(s.shows)} for s in tracing.stages],
    }
