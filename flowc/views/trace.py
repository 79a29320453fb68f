"""What became of words of a document, for people and programs."""

from dataclasses import asdict

from pydantic import JsonValue

from compiler.build.tracing import Tracing
from flowc.terminal import clean, one_line, paint, say


def print_tracing(tracing: Tracing) -> None:
    """The places, what a model answered about them, what was made of them and by which lines, and each pass."""
    for place in tracing.passages:
        say(paint(clean(f"{place.doc_id} {place.block}: “{one_line(place.quote)}”"), "bold"))
    for answer in tracing.answers:
        say(f"\n{clean(answer.model)} answered ({answer.purpose}, {clean(answer.subject)}):")
        for part in answer.parts:
            say(f"  {clean(part)}")
    if tracing.made:
        say("\nmade of it while the document was read, with the lines that made it, innermost first:")
    for made in tracing.made:
        say(f"  {clean(one_line(made.what))}")
        for line in made.by:
            say(paint(f"    {line}", "dim"))
    for stage in tracing.stages:
        say(f"\n{stage.name}:")
        for line in stage.shows:
            say(f"  {clean(one_line(line))}")


def tracing_json(tracing: Tracing) -> JsonValue:
    """The same for programs."""
    return {
        "passages": [asdict(place) for place in tracing.passages],
        "answers": [{**asdict(answer), "parts": list(answer.parts)} for answer in tracing.answers],
        "made": [{"what": made.what, "by": list(made.by)} for made in tracing.made],
        "passes": [{"name": s.name, "subject": s.subject, "shows": list(s.shows)} for s in tracing.stages],
    }
