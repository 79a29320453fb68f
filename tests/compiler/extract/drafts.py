"""What becomes of a policy of a few sentences: how its procedure goes on, and where its words went."""

from pathlib import Path

from compiler.build.builder import compile_documents
from compiler.draft.compiled import Compiled
from ir.infix import to_infix


def compiled(text: str, folder: Path) -> Compiled:
    """The one draft of a text; lines that begin with `#` are headings."""
    file = folder / "policy.md"
    file.write_text(text + "\n", "utf-8")
    (one,) = compile_documents(file).procedures
    return one


def flows(one: Compiled) -> dict[tuple[str, str], str]:
    """On what each flow lies, by the words of the steps that it leads from and to; ends by how they end."""
    procedure = one.procedure
    words = {step.id: step.text for step in procedure.steps}
    conditions = {each.id: each for each in procedure.conditions}
    found = {}
    for flow in procedure.flows:
        said = conditions.get(flow.condition or "")
        tree = to_infix(said.predicate) if said is not None and said.predicate is not None else flow.condition or ""
        target = words.get(flow.target, flow.ends or flow.target)
        found[words.get(flow.source, flow.source), target] = tree
    return found


def leading_to(one: Compiled, words: str) -> list[str]:
    """On what the flows lie that lead to the step whose text holds some words."""
    return [tree for (_, target), tree in flows(one).items() if words in target]


def fate_of(one: Compiled, words: str) -> str:
    """What became of the statement that holds some words."""
    return next(each.fate for each in one.statements if words in each.text)


def asked(one: Compiled) -> str:
    """All that the draft asks, as one text."""
    return "\n".join(gap.question for gap in one.workflow.gaps)
