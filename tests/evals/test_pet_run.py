"""From a text to PET's mentions and relations, and the figures on the corpus where it is at hand."""

import json
from pathlib import Path

import pytest

from compiler.text import syntax
from evals.pet import MentionType, Record, RelationType, annotate, read_records, run
from ir.document import Document
from ir.errors import BadInputFile
from ir.procedure import END, START, Action, ConditionText, Constraint, Flow, Procedure, Step
from ir.source import Evidence, Span

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "bench" / "pet" / "pet-dev.jsonl"
TEXT = (
    "The potter checks the kiln . If it is cold , she lights a fire by noon . Otherwise the helper fetches the wood ."
)
M, R = MentionType, RelationType


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with one text and no annotation."""
    tokens = [{"text": word} for word in TEXT.split()]
    path = tmp_path / "kiln.jsonl"
    path.write_text(json.dumps({"id": "kiln", "text": TEXT, "tokens": tokens}), encoding="utf-8")
    return path


@pytest.fixture
def record(path: Path) -> Record:
    """That text."""
    return read_records(path)[0]


def span(quote: str, document: Document) -> Span:
    """The first place of some words."""
    start = TEXT.index(quote)
    return document.span("p1", start, start + len(quote))


def procedure(document: Document) -> Procedure:
    """What the text tells, by hand."""

    def at(quote: str) -> Span:
        return span(quote, document)

    def step(name: str, verb: str, actor: str, thing: str | None = None) -> Step:
        action = Action(verb=at(verb), actor=at(actor), object=at(thing) if thing else None)
        return Step(id=name, text=verb, kind="task", actions=(action,))

    if_, otherwise = at("If"), at("Otherwise")
    return Procedure(
        id="kiln",
        title="kiln",
        doc_id=document.doc_id,
        language="en",
        steps=(
            step("s1", "checks", "The potter", "the kiln"),
            step("s2", "lights", "she", "a fire"),
            step("s3", "fetches", "the helper", "the wood"),
        ),
        conditions=(ConditionText(id="c1", text="it is cold", evidence=(Evidence.from_span(at("it is cold")),)),),
        flows=(
            Flow(source=START, target="s1"),
            Flow(source="s1", target="s2", kind="branch", condition="c1", cue=(if_,)),
            Flow(source="s1", target="s3", kind="branch", condition="otherwise", cue=(otherwise,)),
            Flow(source="s2", target=END),
            Flow(source="s3", target=END),
        ),
        constraints=(
            Constraint(
                id="k1",
                text="by noon",
                modality="must",
                steps=("s2",),
                evidence=(Evidence.from_span(at("by noon")),),
            ),
        ),
    )


def test_a_procedure_in_the_terms_of_pet(record: Record) -> None:
    """Only the first gateway is led to, the second is the same; the condition stands between gateway and activity."""
    found = annotate(procedure(record.document), record)
    words = [" ".join(TEXT.split()[at] for at in mention.tokens) for mention in found.mentions]
    shown = {(one.type, words[one.head], words[one.tail]) for one in found.relations}
    assert shown == {
        (R.PERFORMER, "checks", "The potter"),
        (R.USES, "checks", "the kiln"),
        (R.PERFORMER, "lights", "she"),
        (R.USES, "lights", "a fire"),
        (R.PERFORMER, "fetches", "the helper"),
        (R.USES, "fetches", "the wood"),
        (R.FURTHER, "lights", "by noon"),
        (R.FLOW, "checks", "If"),
        (R.FLOW, "If", "it is cold"),
        (R.FLOW, "it is cold", "lights"),
        (R.FLOW, "Otherwise", "fetches"),
        (R.SAME_GATEWAY, "If", "Otherwise"),
    }
    kinds = dict(zip(words, (mention.type for mention in found.mentions), strict=True))
    assert (kinds["Otherwise"], kinds["it is cold"]) == (M.XOR_GATEWAY, M.CONDITION)


def test_choices_within_choices(record: Record) -> None:
    """A way through several gateways and conditions takes each condition after the gateway that opens it."""

    def at(quote: str) -> Span:
        return span(quote, record.document)

    def way(target: str, condition: str | None, *cues: str) -> Flow:
        return Flow(source="s1", target=target, kind="branch", condition=condition, cue=tuple(at(cue) for cue in cues))

    whole = procedure(record.document)
    spans = (at("it is cold"), at("noon"))
    conditions = (
        ConditionText(id="c1", text="cold", evidence=(Evidence.from_span(spans[0]),)),
        ConditionText(id="c2", text="cold at noon", evidence=tuple(Evidence.from_span(one) for one in spans)),
    )
    flows = (way("s2", "c2", "If", "by"), way("s3", "c1", "If", "Otherwise"), way(END, None, "If"))
    found = annotate(whole.model_copy(update={"conditions": conditions, "flows": flows, "constraints": ()}), record)
    words = [" ".join(TEXT.split()[at] for at in mention.tokens) for mention in found.mentions]
    assert [
        (one.type, words[one.head], words[one.tail]) for one in found.relations if one.type in (R.FLOW, R.SAME_GATEWAY)
    ] == [
        (R.FLOW, "checks", "If"),
        (R.FLOW, "If", "it is cold"),
        (R.FLOW, "it is cold", "by"),
        (R.FLOW, "by", "noon"),
        (R.FLOW, "noon", "lights"),
        (R.FLOW, "Otherwise", "fetches"),
        (R.SAME_GATEWAY, "by", "Otherwise"),
    ]


def test_a_file_is_run_through_a_reader(path: Path) -> None:
    """Each document is scored; ids that the file has not are refused."""
    report = run(path, reader=procedure)
    assert [one.id for one in report.documents] == ["kiln"]
    assert report.pooled.mentions.found == len(
        annotate(procedure(read_records(path)[0].document), read_records(path)[0]).mentions
    )
    with pytest.raises(BadInputFile, match="no document 'oven'"):
        run(path, only=["oven"], reader=procedure)


@pytest.mark.skipif(not syntax.available(), reason="the syntax extra is not installed")
def test_the_reader_finds_the_same(path: Path, record: Record) -> None:
    """Who does what on which condition, from the text alone."""
    found = annotate(procedure(record.document), record)
    gold = json.loads(path.read_text(encoding="utf-8"))
    gold["mentions"] = [{"type": m.type, "tokenDocumentIndices": m.tokens} for m in found.mentions]
    gold["relations"] = [
        {"type": r.type, "headMentionIndex": r.head, "tailMentionIndex": r.tail} for r in found.relations
    ]
    path.write_text(json.dumps(gold), encoding="utf-8")
    scores = run(path).pooled
    assert (scores.mentions.f1, scores.relations.f1, scores.graph.f1) == (1.0, 1.0, 1.0)


@pytest.mark.skipif(not syntax.available(), reason="the syntax extra is not installed")
@pytest.mark.skipif(not CORPUS.is_file(), reason="the corpus is not beside the repository")
def test_the_figures_on_the_corpus() -> None:
    """End to end, from the text alone, pooled: mentions, relations and the graph of activities."""
    scores = run(CORPUS).pooled
    assert scores.mentions.f1 >= 0.86
    assert scores.relations.f1 >= 0.78
    assert scores.graph.f1 >= 0.70
