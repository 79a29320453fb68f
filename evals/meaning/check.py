"""Checks a grammar as it is written: fills every template once, and says what is wrong with it."""

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from evals.meaning.grammar import Grammar, Template, fill, read_grammar


def faults_of(grammar: Grammar, template: Template) -> Iterator[str]:
    """What is wrong with one template: names and acts that there are not, deciding words that are not its text's."""
    sentence = fill(grammar, template, Random(1))  # noqa: S311 - no secret
    for words in sentence.deciding:
        if words.lower() not in sentence.text.lower():
            yield f"the text does not have the deciding words {words!r}"
    for case in sentence.cases:
        if unknown := case.truth.names - set(sentence.slots) - set(sentence.variables):
            yield f"{case.when!r} reads {', '.join(sorted(unknown))}"
        yield from (f"there is no act {act}" for act in (*case.done, *case.not_done) if act not in sentence.acts)
    named = (*sentence.deadlines, *(act for pair in sentence.order for act in pair))
    yield from (f"there is no act {act}" for act in named if act not in sentence.acts)
    if not (sentence.cases or sentence.deadlines or sentence.order):
        yield "it has no truth"


def main(path: Path) -> int:
    """Print every template, filled, or its faults; 1 where there are any."""
    grammar = read_grammar(path)
    bad, ids = 0, set[str]()
    for template in grammar.sentences:
        try:
            faults = [*faults_of(grammar, template), *(["its id is another's"] if template.id in ids else [])]
        except (KeyError, ValueError) as error:
            faults = [str(error)]
        ids.add(template.id)
        bad += bool(faults)
        told = "; ".join(faults) or fill(grammar, template, Random(1)).text  # noqa: S311 - no secret
        print(f"{'BAD' if faults else 'ok '} {template.id}: {told}")  # noqa: T201
    print(f"{len(grammar.sentences)} templates, {bad} bad")  # noqa: T201
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
