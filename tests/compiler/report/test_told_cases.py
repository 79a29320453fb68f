"""Cases in words: no ids, the clause as people cite it, what is at a limit, in both languages."""

import re
from pathlib import Path

import pytest

from catalog.load import load_catalog
from compiler.report.cases.clauses import Clauses
from compiler.report.cases.telling import Teller
from compiler.report.words import Words
from evals.cases import read_case
from evals.gold import gold_of
from ir.document import Block, Document, Label
from ir.source import Evidence, Source
from ir.workflow import Workflow
from validator.examples.cases import Limits, cases

CASES = Path(__file__).resolve().parents[3] / "fixtures" / "cases"


def told(slug: str, other: str) -> tuple[list[str], set[str]]:
    """The cases of the first gold workflow of a case, and the ids of its nodes and inputs."""
    gold = next(iter(gold_of(read_case(CASES / slug))))
    made = cases(gold.workflow, load_catalog(), Limits(other=other))
    teller = Teller.of(made, load_catalog(), gold.documents)
    ids = {*gold.workflow.nodes, *gold.workflow.inputs}
    return [teller.told(case).text for case in made.cases], {one for one in ids if "_" in one}


def test_chinese_cases_have_no_ids_and_cite_articles() -> None:
    """Each cites a clause or says that the document does not write it; the limit of 0.5 t is told at its border."""
    texts, ids = told("hazmat-transport", "其他")
    assert all("依据第" in text or "文件没有写明" in text for text in texts)
    assert not any(one in text for text in texts for one in ids)
    border = next(text for text in texts if "500 kg（恰在界限上）" in text)
    assert "运输方式为航空" in border and "危险等级为二类" in border and "第十二条" in border
    assert not any(re.search(r"[<>]=?|==|\$\.", text) for text in texts)


def test_english_cases_cite_numbered_clauses() -> None:
    """As the document numbers them."""
    texts, ids = told("vendor-ai-guideline", "another one")
    assert any(re.search(r"under \d+\.\d+", text) for text in texts)
    assert not any(one in text for text in texts for one in ids)
    assert all((text.endswith(".") and text[0] != text[0].lower()) or not text[0].isalpha() for text in texts)


def block(address: str, label: str | None, parent: str | None = None, text: str = "words") -> Block:
    """A block with a label."""
    return Block(
        address=address, kind="paragraph", text=text, parent=parent, label=Label(text=label) if label else None, page=2
    )


@pytest.mark.parametrize(
    ("address", "name"),
    [("art", "第十二条"), ("item", "第十二条（一）"), ("num", "第十二条第3项"), ("sub", "4.2(b)"), ("bare", "第 2 页")],
)
def test_clauses_are_named_as_people_cite_them(address: str, name: str) -> None:
    """From the article down; without any label by the page."""
    blocks = (
        block("chap", "第三章"), block("art", "第十二条", "chap"), block("item", "（一）", "art"),
        block("num", "3.", "art"), block("four", "4"), block("two", "4.2", "four"), block("sub", "(b)", "two"),
        block("bare", None),
    )  # fmt: skip
    source = Source(path="a.md", sha256="0" * 64, size=1, kind="markdown")
    document = Document(doc_id="a.md", title="A", source=source, language="zh", blocks=blocks)
    evidence = Evidence(doc_id="a.md", quote="words", block=address, start=0, end=5)
    assert Clauses(Words("zh"), (document,)).name(evidence) == name
    elsewhere = Clauses(Words("zh"), (document,), main="b.md").name(evidence)
    assert elsewhere == f"《A》{name}"


def test_a_quote_stands_for_itself_where_no_document_is_at_hand() -> None:
    """Cut where it is long."""
    evidence = Evidence(doc_id="a.md", quote="x" * 40)
    assert Clauses(Words("en")).name(evidence) == "“" + "x" * 23 + "…”"


def named_by_the_document(language: str, said: str) -> list[str]:
    """The told cases of a choice between three ways, by two yes-or-no inputs that the document words alike."""
    document = Document(
        doc_id="d", title="d", language=language, source=Source(path="a.md", sha256="0" * 64, size=1, kind="markdown"),
        blocks=(block("a", "2.1", text=said), block("b", "2.2", text=said)),
    )  # fmt: skip
    quoted = {at: Evidence(doc_id="d", quote=said, block=at, start=0, end=len(said), status="exact") for at in "ab"}
    task = {"type": "human.task", "type_version": "^1.0.0", "assignee": "x", "instruction": "y"}
    end = {"type": "control.end", "type_version": "^1.0.0", "status": "completed"}
    inputs = {"case_1": "a", "case_2": "b"}
    workflow = Workflow.model_validate({
        "workflow_id": "w", "version": "v1", "metadata": {"title": "w", "language": language},
        "inputs": {
            name: {"type": "boolean", "description": said, "evidence": [quoted[at].to_json()]}
            for name, at in inputs.items()
        },
        "nodes": {"first": {**task, "label": "x"}, "one": {**end, "label": "1"}, "two": {**end, "label": "2"},
                  "three": {**end, "label": "3"}},
        "edges": [
            {"from": "first", "to": "one", "condition": {"eq": ["$.inputs.case_1", True]}, "priority": 1},
            {"from": "first", "to": "two", "condition": {"eq": ["$.inputs.case_2", True]}, "priority": 2},
            {"from": "first", "to": "three", "condition": "otherwise"},
        ],
        "execution_policy": {"risk_level": "low"},
    })  # fmt: skip
    made = cases(workflow, load_catalog(), Limits())
    teller = Teller.of(made, load_catalog(), (document,))
    return [teller.usual(made), *(teller.told(case).text for case in made.cases)]


@pytest.mark.parametrize(
    ("language", "said", "first"),
    [
        ("zh", "悬挂专用号牌车辆及其驾驶人的道路交通安全违法行为、道路交通事故", "（2.1）为"),
        ("en", "the vehicle bears plates of its own", " (2.1) is "),
    ],
)
def test_what_only_the_document_names_is_told_in_its_words(language: str, said: str, first: str) -> None:
    """However long they are, and whatever the input's id; where two are worded alike each with its clause."""
    told = named_by_the_document(language, said)
    assert any(f"{said}{first}" in text for text in told)
    assert any(f"{said}{first.replace('2.1', '2.2')}" in text for text in told)
    assert not any("case_" in text or "case 1" in text.lower() for text in told)
