"""Statements of documents, what became of each, and what a draft says of itself."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from compiler.fates.statements import duties, statements
from compiler.parsers import parse
from compiler.text.lexicon import lexicon
from compiler.text.sentences import Piece
from ir.decisions.anchor import Anchor
from ir.decisions.decision import Decision, decision_line, read_decisions
from ir.errors import BadInputFile
from ir.verdict import FATES, StatementFate

POLICY = """<h1>仓库发货管理办法</h1>
<h2>第一章 总则</h2>
<p>第一条 为规范发货，制定本办法。</p>
<p>第二条 本办法所称货物，是指库存商品。</p>
<h2>第二章 发货</h2>
<p>第三条 业务员提交发货申请。</p>
<p>第四条 仓库主管审核发货申请。审核通过的，仓管员发放货物；审核不通过的，退回业务员。</p>
<p>第五条 未贴标签的货物不得发放，驾驶员应当持证上岗。</p>
<p>第六条 仓库内严禁吸烟。</p>
"""


def build(folder: Path, text: str = POLICY, **settings: object) -> Build:
    """The build of one page of HTML."""
    folder.mkdir(exist_ok=True)
    (folder / "办法.html").write_text(f"<html lang='zh'><body>{text}</body></html>", encoding="utf-8")
    return compile_documents(folder, replace(Settings(), **settings))  # type: ignore[arg-type]


def fate_of(made: Build, words: str) -> StatementFate:
    """What became of the statement that holds some words."""
    return next(one for compiled in made.procedures for one in compiled.statements if words in one.text)


@pytest.mark.parametrize(
    ("language", "text", "parts"),
    [
        ("en", "If it fails, the clerk must stop, and the manager must be told.", 2),
        ("en", "The clerk must enter the date, the name and the amount.", 1),
        ("en", "Where it must be moved, the driver shall sign.", 1),
        ("zh", "申请人应当填写申请表，附上凭证；逾期的，不得受理。", 2),
        ("zh", "经办人应当核对、登记。", 1),
    ],
)
def test_a_sentence_is_cut_into_its_duties(language: str, text: str, parts: int) -> None:
    """Each part has one duty, and together they are the sentence."""
    cut = duties(Piece("b", 0, len(text), text), lexicon(language))
    assert len(cut) == parts
    assert "".join(piece.text for piece in cut).replace(" ", "") == text.replace(" ", "")


def test_each_statement_has_one_fate(tmp_path: Path) -> None:
    """They add up to the statements of the document, and nothing that demands something is set aside."""
    made = build(tmp_path)
    document = made.documents[0].document
    assert document is not None
    told = [one for compiled in made.procedures for one in compiled.statements]
    said = statements(document)
    assert [(one.block, one.start) for one in told] == [(one.piece.block, one.piece.start) for one in said]
    assert all(one.fate in FATES for one in told)
    counts = made.procedures[0].verdict.statements
    parts = (counts.carried, counts.constraint, counts.question, counts.unplaced, counts.set_aside)
    assert counts.all == sum(parts) == len(said)
    demanding = {(one.piece.block, one.piece.start) for one in said if one.demands}
    assert not [one for one in told if one.fate == "other" and (one.block, one.start) in demanding]


def test_fates_are_what_they_are_said_to_be(tmp_path: Path) -> None:
    """Steps carry; prohibitions that nothing prevents are asked about and unenforced; definitions are set aside."""
    made = build(tmp_path)
    assert fate_of(made, "提交发货申请").fate == "carried"
    assert fate_of(made, "为规范发货").fate == "purpose"
    assert fate_of(made, "是指库存商品").fate == "definition"
    for words in ("未贴标签的货物不得发放", "严禁吸烟"):
        one = fate_of(made, words)
        assert (one.fate, one.prohibition) == ("question", "unenforced")
    assert fate_of(made, "持证上岗").fate == "question"
    verdict = made.procedures[0].verdict
    assert (verdict.prohibitions.all, verdict.prohibitions.unenforced) == (2, 2)
    assert verdict.sound and verdict.read_by == "rules" and not verdict.settled


def test_an_accepted_prohibition_is_no_longer_open(tmp_path: Path) -> None:
    """It is found by its words, whatever else changed; one whose words changed is open again."""
    anchor = Anchor(doc_id="办法.html", text="仓库内 严禁吸烟。")
    decision = Decision(
        kind="accept", subject="prohibition", anchor=anchor, author="wu", time="2026-01-01T00:00:00+08:00",
        reason="消防科每日巡查",
    )  # fmt: skip
    made = build(tmp_path, decisions=(decision,))
    one = fate_of(made, "严禁吸烟")
    assert (one.prohibition, one.reason) == ("accepted", "消防科每日巡查 (wu, 2026-01-01)")
    assert made.procedures[0].verdict.prohibitions.unenforced == 1
    other = build(tmp_path, POLICY.replace("吸烟", "烟火"), decisions=(decision,))
    assert fate_of(other, "严禁烟火").prohibition == "unenforced"


def test_decisions_are_read_as_written() -> None:
    """One a line; a line that is none is said with its number."""
    decision = Decision(
        kind="accept", subject="step", anchor=Anchor(doc_id="a.pdf", text="x"), author="a", time="t", reason="r", id="1"
    )
    line = decision_line(decision)
    assert read_decisions(line + "\n" + line, "d") == (decision, decision)
    with pytest.raises(BadInputFile, match="d, line 2: kind"):
        read_decisions(line + json.dumps({"kind": "approve"}) + "\n", "d")


@pytest.mark.parametrize(
    ("text", "demands", "forbids"),
    [
        ("The gatehouse checks the identity card of the visitor.", True, False),
        ("Define a strict posture towards the attacker.", True, False),
        ("If the visitor cannot show a card, the host is informed by the guard.", True, False),
        ("Employees cannot claim alcohol.", True, True),
        ("No payment may be made if the invoice is missing.", True, True),
        ("This plan is based on the guide of another company.", False, False),
        ("本办法所称货物，是指库存商品。", False, False),
        ("医药费用由纳税人据实扣除。", True, False),
        ("发现法律、法规禁止发布的信息的，应当停止传输。", True, False),
        ("仓库内严禁吸烟。", True, True),
        ("A member under the age of 16 is never blocked.", True, True),
        ("The deposit is not refunded.", True, True),
        ("No loan is recorded before the identity is verified.", True, True),
        ("The application is not complete.", False, False),
    ],
)
def test_what_a_statement_demands_and_forbids(text: str, demands: bool, forbids: bool) -> None:
    """By modal words, and by what is told to be done without one."""
    document = parse(f"# Rules\n\n{text}\n".encode(), "r.md").document
    assert document is not None
    said = [one for one in statements(document) if one.matter != "heading"]
    assert (any(one.demands for one in said), any(one.forbids for one in said)) == (demands, forbids)
