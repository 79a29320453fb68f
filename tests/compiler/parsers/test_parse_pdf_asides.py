"""PDF: boxes beside the text."""

import pytest
from document_makers import Written, bodies, column, make_pdf, read

NARROW = [
    "The harbour office keeps a berth plan for the week to",
    "come. It is drawn up by the berth planner every Friday,",
    "and is sent to the pilots, the tug companies and all the",
    "agents by six in the evening at the latest.",
]
WIDE = ["A change of the plan is agreed with the pilot on duty, and is entered in the log within the hour."]
BOX = ["Take note", "The plan is void", "in a gale warning."]
ZH_NARROW = [
    "泊位计划由计划员于每周五编制，编制完成后应当在当日十",
    "八时前发送给引航站、拖轮公司和各代理公司，并抄送港口调",
    "度室备案。",
]
ZH_WIDE = ["调整计划的，应当与当班引航员协商一致，并在一小时内登记入册，由调度室主任签字确认后方可执行。"]
ZH_BOX = ["注意事项", "大风预警期间计划", "自动失效。"]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("on_left", [True, False])
@pytest.mark.parametrize(
    ("narrow", "wide", "box", "join"), [(NARROW, WIDE, BOX, " "), (ZH_NARROW, ZH_WIDE, ZH_BOX, "")]
)
def test_a_box_that_text_flows_around(
    narrow: list[str], wide: list[str], box: list[str], join: str, *, on_left: bool, first: bool
) -> None:
    """The text beside it is one paragraph, and the box is a paragraph of its own, whichever is drawn first."""
    title = [Written(72, 70, "Berths", 16, bold=True)]
    text = [*column(narrow, x=210 if on_left else 72, y=100), *column(wide, y=100 + 16 * len(narrow) + 12)]
    boxed = column(box, x=72 if on_left else 400, y=104, size=9, leading=12)
    found = bodies(read(make_pdf([*boxed, *title, *text] if first else [*title, *text, *boxed])))
    assert sorted(found) == sorted(["Berths", join.join(narrow), *wide, box[0], join.join(box[1:])])


@pytest.mark.parametrize("x", [40, 520])
def test_side_notes_of_clauses(x: float) -> None:
    """They stand apart from the clauses beside them, whose labels are kept."""
    texts = [
        "7. The keeper of a kennel shall hold a permit of the council, and shall",
        "show it to an inspector who asks for it.",
        "8. A permit is void as soon as the keeper moves the kennel to another",
        "parish without leave of the council.",
        "9. The fee for a permit is due on the day on which the permit is issued.",
    ]
    notes = [Written(x, 98, "Need of", 7), Written(x, 106, "permits", 7), Written(x, 130, "Void permits", 7)]
    document = read(make_pdf([*notes, *column(texts, x=130)]))
    assert [block.text for block in document.blocks if block.label] == [
        " ".join(texts[:2]),
        " ".join(texts[2:4]),
        texts[4],
    ]
    assert [block.text for block in document.blocks if not block.label] == ["Need of permits", "Void permits"]
