"""Labels: what counts as one, what only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.text.labels import as_letter, as_roman, parse_label, to_roman

LABELS = [
    ("第一编　总则", "part", (1,), "第一编"),
    ("第二章总则", "chapter", (2,), "第二章"),
    ("第 三 节  一般规定", "section", (3,), "第 三 节"),
    ("第一百零二条　本法", "article", (102,), "第一百零二条"),
    ("第五条之一 补充规定", "article", (5, 1), "第五条之一"),
    ("第12条 适用", "article", (12,), "第12条"),
    ("第十八条中国公民可以", "article", (18,), "第十八条"),
    ("十一、其他", "chinese-comma", (11,), "十一、"),
    ("（三）取样", "chinese-paren", (3,), "（三）"),
    ("(十二)留样", "chinese-paren", (12,), "(十二)"),
    ("（一）目标任务。", "chinese-paren", (1,), "（一）"),
    ("1.2.3 Scope", "decimal", (1, 2, 3), "1.2.3"),
    ("1.2人员职责", "decimal", (1, 2), "1.2"),
    ("3. Overview", "number-dot", (3,), "3."),
    ("2、申请", "number-dot", (2,), "2、"),
    ("（1）申请表", "number-paren", (1,), "（1）"),
    ("2) then", "number-half", (2,), "2)"),
    ("③ 复核", "circled", (3,), "③"),
    ("(a) the carrier", "lower-letter-paren", (1,), "(a)"),
    ("(iv) the carrier", "lower-roman-paren", (4,), "(iv)"),
    ("B. Scope", "upper-letter-dot", (2,), "B."),
    ("II. Scope", "upper-roman-dot", (2,), "II."),
    ("Article 5 Scope", "article", (5,), "Article 5"),
    ("PART II GENERAL", "part", (2,), "PART II"),
    ("Section 3.2: Fees", "section", (3, 2), "Section 3.2:"),
    ("Annex B", "annex", (2,), "Annex B"),
    ("附件1　申请表", "annex", (1,), "附件1"),
    ("Step 2: Verify", "step", (2,), "Step 2:"),
    ("第一步：登记", "step", (1,), "第一步："),
    ("第三條　本辦法適用於", "article", (3,), "第三條"),
    ("第一編　總則", "part", (1,), "第一編"),
    ("第二節 程序", "section", (2,), "第二節"),
    ("第 3-1 条 申报", "article", (3, 1), "第 3-1 条"),
    ("第二部分　要求", "part", (2,), "第二部分"),
    ("㈢其他", "chinese-paren", (3,), "㈢"),
    ("§ 12-34. Permits", "section", (12, 34), "§ 12-34."),
    ("Sec. 3. Fees", "section", (3,), "Sec. 3."),
    ("Art. 10 Scope", "article", (10,), "Art. 10"),
    ("Rule 9. Appeals", "article", (9,), "Rule 9."),
    ("Rule 5-2 Entry", "article", (5, 2), "Rule 5-2"),
    ("Section 2A Notices", "section", (2,), "Section 2A"),
    ("4A. Notices", "number-dot", (4,), "4A."),
    ("2.1A Notices", "decimal", (2, 1), "2.1A"),
    ("5.—(1) This Order", "number-dot", (5,), "5.—(1)"),
    ("Title 7 Health", "title", (7,), "Title 7"),
    ("Attachment 2 Forms", "annex", (2,), "Attachment 2"),
    ("SCHEDULE", "annex", (), "SCHEDULE"),
    ("(aa) the log", "lower-letter-paren", (27,), "(aa)"),
    ("A.1.2 试剂", "annex-decimal", (1, 1, 2), "A.1.2"),
    ("5.1 pH值", "decimal", (5, 1), "5.1"),
    ("• bring it", "bullet", (), "•"),
    ("- bring it", "bullet", (), "-"),
    ("——加强领导", "bullet", (), "——"),
    ("\uf0b7 bring it", "bullet", (), "\uf0b7"),
]
NO_LABELS = [
    "2023 年起施行",
    "2023. Then",
    "3.5 吨以上的",
    "3.5吨",
    "1.5 million people",
    "12.5%",
    "10.0.0.1 is the host",
    "172.16.4.9为备用地址",
    "5.3的规定执行",
    "4.2 kV lines",
    "(a)(2)(ii) or the next",
    "Rule 9 applies to all",
    "第一部分人员",
    "SCHEDULE OF FEES",
    "附件2 所列单位",
    "I am the owner",
    "i.e. the owner",
    "A carrier shall",
    "第五条规定的情形",
    "第五条第二款",
    "第五条、第六条",
    "第五条至第八条",
    "第二章的规定",
    "第二十四次会议",
    "（一）至（三）项",
    "（一）项规定",
    "(1) and (2) apply",
    "(2023) 12号",
    "一、二级风险",
    "-5 degrees",
    "Article 5 applies to",
    "Section 508 Coordinators",
    "Part of the fee",
    "Step 1 of the process",
    "(the carrier)",
    "(mild) reaction",
    "附则",
    "附件1所列物品",
    "",
    "   ",
]


@pytest.mark.parametrize(("text", "kind", "number", "label"), LABELS)
def test_a_label_is_read_with_its_kind_number_and_extent(
    text: str, kind: str, number: tuple[int, ...], label: str
) -> None:
    """Each sort of label of either language is recognised, and ends where the words begin."""
    found = parse_label(text)
    assert found is not None
    assert (found.kind, found.number, text[: found.end]) == (kind, number, label)
    assert found.ordered == (kind != "bullet")


@pytest.mark.parametrize("text", NO_LABELS)
def test_words_that_look_like_a_label_are_none(text: str) -> None:
    """References, measures, years, abbreviations and plain sentences have no label."""
    assert parse_label(text) is None


def test_a_bare_number_is_a_label_only_in_a_heading() -> None:
    """`1 Introduction` is numbered if it is a heading, and a quantity otherwise."""
    assert parse_label("3 copies are needed") is None
    assert parse_label("3 Requirements", heading=True) is not None


def test_leading_blanks_are_outside_the_label_but_count_in_its_end() -> None:
    """Offsets hold for the raw text."""
    found = parse_label("　　第三条　内容")
    assert found is not None
    assert (found.text, found.end) == ("第三条", 5)


def test_a_single_letter_reads_both_ways() -> None:
    """`(i)` is the first in roman figures and the ninth letter; `(v)` the other way round."""
    one, five = parse_label("(i) x"), parse_label("(v) x")
    assert one is not None
    assert five is not None
    letter, roman = as_letter(one), as_roman(five)
    assert letter is not None
    assert roman is not None
    assert (letter.number, roman.number) == ((9,), (5,))
    assert (letter.kind, roman.kind) == ("lower-letter-paren", "lower-roman-paren")


@given(st.integers(1, 50))
def test_roman_figures_are_read_as_written(number: int) -> None:
    """What is written in roman figures is read back, where it is no single letter."""
    text = to_roman(number)
    found = parse_label(f"({text}) x")
    assert found is not None
    if len(text) > 1:
        assert found.number == (number,)


@given(st.text(max_size=40))
def test_any_text_is_accepted(text: str) -> None:
    """No text makes the reader fail, and a label never reaches beyond the text."""
    found = parse_label(text)
    assert found is None or 0 < found.end <= len(text)
