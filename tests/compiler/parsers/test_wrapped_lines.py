"""Lines that are cut at a width are one paragraph again, in each format that has such lines."""

import pytest
from document_makers import bodies, read

CHINESE = (
    "　　第一条　为了规范公务用车的申请、调度和维修，提高车辆使用效\n率，降低运行成本，根据公司章程，制定本办法。\n"
    "　　第二条　用车部门应当提前一个工作日提交申请单，写明事由、路\n线和人数，由综合部统一安排。\n"
    "　　（一）市内用车由部门负责人签字；\n"
    "　　（二）长途用车由分管领导签字。"
)
JOINED = [
    "第一条　为了规范公务用车的申请、调度和维修，提高车辆使用效率，降低运行成本，根据公司章程，制定本办法。",
    "第二条　用车部门应当提前一个工作日提交申请单，写明事由、路线和人数，由综合部统一安排。",
    "（一）市内用车由部门负责人签字；",
    "（二）长途用车由分管领导签字。",
]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (CHINESE, "a.txt"),
        (f"<html><body><pre>{CHINESE}</pre></body></html>", "a.html"),
        (f"<html><body><p>{CHINESE.replace(chr(10), '<br>')}</p></body></html>", "a.html"),
    ],
)
def test_chinese_lines_with_indented_paragraphs_are_joined(text: str, name: str) -> None:
    """An indent begins a paragraph; a full line without one goes on."""
    assert bodies(read(text.encode(), name)) == JOINED


def test_items_are_joined_although_most_lines_are_short() -> None:
    """A list and a table of short lines do not tell how the clauses are set."""
    text = (
        "1. Drivers must hand in the key at the reception desk\n   after each trip.\n"
        "2. The fleet office\n   (a) checks the mileage;\n   (b) refuels.\n"
        "3. Damage to a vehicle has to be reported to the\n   Insurance Desk on the day.\n\n"
        + "".join(f"- Car {number}\n" for number in range(12))
        + "\nClass                Longest daily trip\nsmall                               200\n"
    )
    said = bodies(read(text.encode(), "a.txt"))
    assert said[0] == "1. Drivers must hand in the key at the reception desk after each trip."
    assert said[1:4] == ["2. The fleet office", "(a) checks the mileage;", "(b) refuels."]
    assert said[4] == "3. Damage to a vehicle has to be reported to the Insurance Desk on the day."
    assert said[-2:] == ["Class                Longest daily trip", "small                               200"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("第四条 报销须经<br>审核。", ["第四条 报销须经审核。"]),
        ("Gifts are kept below the value of<br>€40.", ["Gifts are kept below the value of €40."]),
        ("第五条 附则<br>本办法自发布之日起施行。", ["第五条 附则", "本办法自发布之日起施行。"]),
    ],
)
def test_a_break_after_a_word_that_ends_nothing_is_closed(lines: str, said: list[str]) -> None:
    """A title stays apart from what stands under it."""
    assert bodies(read(f"<html><body><p>{lines}</p><p>完。</p></body></html>".encode(), "a.html"))[:-1] == said


def test_a_chinese_paragraph_of_markdown_is_one() -> None:
    """Its soft breaks join nothing but what is unfinished."""
    text = "第一条 出差两天以上的，应当由主管副总审核后交\n人事部备案。\n\n甲方：某公司\n乙方：某人\n"
    said = bodies(read(text.encode(), "a.md"))
    assert said == ["第一条 出差两天以上的，应当由主管副总审核后交人事部备案。", "甲方：某公司", "乙方：某人"]


def test_a_date_and_rows_of_columns_go_on_with_nothing() -> None:
    """Below an issuer's name or another row they stay lines of their own, however long the lines are."""
    text = "    库房应当每日核对账目并将结果登记在册，由保管员签名\n确认后存档。\n"
    text += "                    东坪粮食储备有限公司\n                       2022年8月9日\n"
    rows = "  日期        品名        数量        经办人        复核人\n"
    rows += "  8月1日      小麦        三吨        李四          王五\n"
    texts = [block.text for block in read((text + "\n" + rows).encode(), "a.txt").blocks]
    assert "2022年8月9日" in texts
    assert len(texts) == 5
