"""PDF: paragraphs, order, furniture, labels, tables, hidden text."""

import re

import pymupdf
import pytest
from document_makers import Written, bodies, cells, column, find, labels, make_pdf, read

from compiler.parsers import parse
from compiler.parsers.pdf import ocr
from compiler.parsers.pdf.tables import _cell_text

ZH = [
    "第一条　为加强危险化学品运输安全管理，规范运输前的合规判定工作，防止",
    "和减少运输事故，制定本制度。",
    "第二条　有下列情形之一的，不得发运：",
    "（一）未取得合规判定结论的；",
    "（二）运输方式不符合要求的。",
]
EN = [
    "The carrier shall check the documents before the vehicle is loaded and shall follow-",
    "up on every deviation that the inspection shows within three working days, and the",
    "officer records the result.",
]


def test_a_chinese_sentence_over_two_lines_is_one_block_without_a_space() -> None:
    """Chinese lines are joined as they would be read."""
    document = read(make_pdf(column(ZH, size=12)))
    assert bodies(document)[0] == ZH[0] + ZH[1]
    assert labels(document) == ["第一条", "第二条", "（一）", "（二）"]
    assert document.language == "zh"


def test_items_stand_under_their_article() -> None:
    """Parents follow the labels."""
    document = read(make_pdf(column(ZH, size=12)))
    article, one, two = (find(document, words) for words in ("第二条", "（一）", "（二）"))
    assert (one.parent, two.parent) == (article.address, article.address)
    assert [block.kind for block in (article, one)] == ["paragraph", "list_item"]
    assert one.level == 1
    assert one.body == "未取得合规判定结论的；"


def test_an_english_word_broken_at_the_line_end_is_mended() -> None:
    """A hyphen at the end of a line goes, the sentence stays whole."""
    lines = [
        "The carrier shall check all of the accompanying docu-",
        "ments before the vehicle is loaded at the terminal.",
    ]
    (text,) = bodies(read(make_pdf(column(lines))))
    assert (
        text
        == "The carrier shall check all of the accompanying documents before the vehicle is loaded at the terminal."
    )


def test_a_compound_that_the_document_uses_keeps_its_hyphen() -> None:
    """What is written with a hyphen elsewhere keeps it at the end of a line."""
    lines = [*EN, "A follow-up takes place."]
    assert "follow-up on every" in bodies(read(make_pdf(column(lines))))[0]


def test_hyphens_at_a_line_end_that_belong_to_the_word() -> None:
    """Those of `self-`, of particles, of suspended compounds and of codes stay."""
    lines = [
        "The diver wears a self-",
        "contained set; pre- and post-",
        "dive checks, the sign-",
        "off and Sheet D-",
        "14 are filed by the tender-",
        "man before the launch casts off.",
    ]
    assert bodies(read(make_pdf(column(lines)))) == [
        "The diver wears a self-contained set; pre- and post-dive checks, the sign-off and Sheet D-14 are filed by the "
        "tenderman before the launch casts off."
    ]


def test_a_sentence_over_a_page_break_is_one_block_on_its_first_page() -> None:
    """Running headers and page numbers do not cut a sentence."""

    def page(number: int, lines: list[str]) -> list[Written]:
        header = Written(72, 40, "危险化学品运输管理制度", 9)
        return [header, *column(lines, size=12), Written(280, 810, f"第 {number} 页 共 3 页", 9)]

    document = read(make_pdf(page(1, [ZH[0]]), page(2, [ZH[1]]), page(3, ["第二条　本制度自发布之日起施行。"])))
    assert bodies(document) == [ZH[0] + ZH[1], "第二条　本制度自发布之日起施行。"]
    assert next(iter(document.body())).page == 1
    assert [block.tag for block in document.blocks].count("header") == 3
    assert [block.address for block in document.blocks if block.tag == "footer"] == [f"p{n}-footer1" for n in (1, 2, 3)]
    assert document.pages == 3


def test_two_columns_are_read_one_after_the_other() -> None:
    """The left column is read to its end before the right one; the title above spans both."""
    left = [f"The left column has sentence {n} of its own." for n in range(1, 7)]
    right = [f"The right column has sentence {n} of its own." for n in range(1, 7)]
    lines = [Written(150, 60, "A Title That Spans Both Of The Columns", 16, bold=True)]
    texts = " ".join(bodies(read(make_pdf([*lines, *column(left, x=60, size=10), *column(right, x=320, size=10)]))))
    order = [texts.index(words) for words in ("A Title", left[0], left[-1], right[0], right[-1])]
    assert order == sorted(order)


@pytest.mark.parametrize(
    ("heading", "size"), [("9 Disposal of seals", 14), ("9 Disposal of seals", 10), ("第三章　封条的处置", 12)]
)
def test_a_short_heading_between_bands_of_columns(heading: str, size: float) -> None:
    """A heading at the left edge stands over both of the columns below it and after both of those above it."""

    def band(name: str, y: float) -> list[Written]:
        left = [f"The {name} left column has sentence {n}." for n in range(1, 6)]
        right = [f"The {name} right column has sentence {n}." for n in range(1, 5)]
        return [*column(left, x=60, y=y, size=10), *column(right, x=320, y=y, size=10)]

    lines = [*band("upper", 100), Written(60, 200, heading, size), *band("lower", 226)]
    texts = " ".join(bodies(read(make_pdf(lines))))
    order = [texts.index(words) for words in ("upper left", "upper right", heading, "lower left", "lower right")]
    assert order == sorted(order)


@pytest.mark.parametrize(
    "lines",
    [
        [
            "4.1 The pilot boards the vessel at the outer buoy, unless the harbour master has found that",
            "(a) the wind is too strong or (b) the sea is too high; the vessel then waits at the anchorage.",
        ],
        [
            "4.1 The pilot boards the vessel at the outer buoy, and where the vessel carries any cargo of class",
            "1.4 he is joined by a second pilot.",
        ],
        [
            "第六条　引航员应当在外浮标处登轮；有下列情形之一的，可以推迟登轮：（一）风力过大的；",
            "（二）海况恶劣的。推迟登轮的，船舶应当在锚地等候。",
        ],
    ],
)
def test_a_wrapped_line_that_begins_as_a_label_does(lines: list[str]) -> None:
    """A sentence that goes on from a full line is not torn where the next word looks like a label."""
    end = ["第七条　船长应当服从。"] if "第" in lines[0] else ["4.2 The master obeys."]
    assert len(bodies(read(make_pdf(column([*lines, *end]))))) == 2


@pytest.mark.parametrize(
    ("lines", "texts"),
    [
        (  # a line of other type goes further than the text
            [
                Written(72, 60, "文件编号：港务办二零二五年第十二号" * 3, 8),
                *column(
                    [
                        "第六条　引航员应当在外浮标处登轮，船长应当在登轮前备好引",
                        "航梯；未备好的，推迟登轮。船舶代理应当在登轮的四小时以前",
                        "告知调度员。",
                    ],
                    leading=19,
                ),
            ],
            2,
        ),
        (  # marks hang over the edge of the text
            column(
                [
                    "第六条　引航员应当在外浮标处登轮，船长应当备好《引航梯规范》，",
                    "并且在船舶的两舷各安排值班水手一名，未备好规定的引航梯",
                    "的船舶，推迟登轮。",
                ]
            ),
            1,
        ),
        (  # a number is not broken
            column(
                [
                    "第六条　引航员应当在外浮标处登轮，申请引航的船舶总吨位超过",
                    "1234567.8吨的，应当由两名引航员登轮，并且各自记录登轮的时间。",
                    "第七条　船长应当服从引航员的引航，并且按照引航员的要求备好缆绳。",
                ]
            ),
            2,
        ),
        (  # a short line is none that goes on, though a number begins the next
            column(
                [
                    "港口引航费用收取标准（适用于本港的各类船舶）",
                    "2025年度的引航费用由港务局收取，船舶代理应当在船舶离港之前缴清。",
                ]
            ),
            2,
        ),
    ],
)
def test_a_full_chinese_line_goes_on(lines: list[Written], texts: int) -> None:
    """It lacks what may not be broken from the first characters of the next line, and no more."""
    assert len(bodies(read(make_pdf(lines)))) == texts


def test_items_after_a_full_line_without_a_stop_are_items() -> None:
    """A list whose items count on stays one, however long the line before it."""
    lines = [
        "4.1 The pilot boards the vessel at the outer buoy, unless the harbour master has found that",
        "(a) the wind is too strong",
        "(b) the sea is too high",
    ]
    assert labels(read(make_pdf(column(lines)))) == ["4.1", "(a)", "(b)"]


def test_a_sentence_that_goes_on_over_a_page_with_a_figure() -> None:
    """The next page may begin with a figure that is no label."""
    first = column(["The master of the ship keeps the log of each voyage on board for a period of at least"], y=780)
    second = column(["36 months after the voyage and shows it to the pilot on his demand, at any time, when asked."])
    assert len(bodies(read(make_pdf([*column(EN), *first], second)))) == 2


LEFT = """The custodian records each delivery in the
register before the vehicle leaves. The
register names the carrier, the driver
and the number of the seal. A copy is
kept at the gate for three years and it
is shown on request to any inspector who
asks for it. Nobody else may see it and
nobody may take it away from the gate.""".splitlines()
RIGHT = """Where a seal is broken the guard calls
the shift leader at once. The leader
decides whether the load is refused. A
refused load is parked in bay nine until
the owner has been told of it and has
answered in writing. The answer is filed
with the register, and the load leaves
under the seal of the guard on duty.""".splitlines()


def _row_by_row(gap: float) -> str:
    both = zip(column(LEFT, x=60, size=10), column(RIGHT, x=60 + 190 + gap, size=10), strict=True)
    return " ".join(bodies(read(make_pdf([line for row in both for line in row]))))


def test_columns_that_are_drawn_row_by_row() -> None:
    """A printer may draw the left line, the right line, the left line: the columns are read all the same."""
    assert "leaves. The register names" in _row_by_row(20)


def test_lines_that_a_figure_parts_are_read_across_it() -> None:
    """Text on both sides of a figure goes on over it."""
    assert "in the Where a seal" in _row_by_row(200)


def test_headings_by_label_and_by_type() -> None:
    """Chapters are headings by their label, others by larger or bold type; levels and parents follow."""
    lines = [
        Written(180, 80, "Transport Policy", 20, bold=True),
        Written(72, 120, "1. Scope", 13, bold=True),
        Written(72, 145, "This policy applies to all of the sites of the company and to its contractors."),
        Written(72, 170, "1.1 Exceptions", 11, bold=True),
        Written(72, 190, "Small amounts are exempt from this policy, as the annex lays down in detail."),
    ]
    document = read(make_pdf(lines))
    headings = [(block.text, block.level) for block in document.blocks if block.kind == "heading"]
    assert headings == [("Transport Policy", 1), ("1. Scope", 2), ("1.1 Exceptions", 3)]
    assert find(document, "Small amounts").parent == find(document, "1.1 Exceptions").address
    assert document.title == "Transport Policy"


def test_a_chapter_label_on_a_line_of_its_own_is_joined_with_its_title() -> None:
    """`第一章` and `总则` below it are one heading."""
    lines = [Written(280, 80, "第一章", 12), Written(282, 104, "总则", 12), *column(ZH, y=140, size=12)]
    heading = next(read(make_pdf(lines)).body())
    assert (heading.kind, heading.text) == ("heading", "第一章 总则")
    assert heading.label is not None
    assert heading.body == "总则"


def test_a_bullet_on_a_line_of_its_own_is_joined_with_its_words() -> None:
    """A lone bullet belongs to the line after it."""
    lines = column(["·", "Lock the vehicle.", "·", "Report the loss."])
    document = read(make_pdf(lines))
    assert bodies(document) == ["· Lock the vehicle.", "· Report the loss."]
    assert all(block.label and not block.label.ordered for block in document.body())


def test_a_table_of_contents_is_no_heading() -> None:
    """Lines with leaders, and lines under its title that recur, are tagged as navigation."""
    lines = column(
        [
            "目录",
            "第一章　总则",
            "第二章　附则",
            "第一章　总则",
            *ZH,
            "第二章　附则",
            "第三条　本制度自发布之日起施行。",
        ],
        size=12,
    )
    document = read(make_pdf(lines))
    assert [block.text for block in document.blocks if block.tag == "navigation"] == [
        "目录",
        "第一章　总则",
        "第二章　附则",
    ]
    assert [block.text for block in document.blocks if block.kind == "heading"] == ["第一章　总则", "第二章　附则"]


def test_a_reference_at_the_start_of_a_line_is_no_article() -> None:
    """A wrapped line that happens to begin with `第十七条` does not begin a new block."""
    lines = ["第一条　运输方式不予许可的，不再核查备案，由物流部直接依照本公司本制度", "第十七条的规定作出判定结论。"]
    assert labels(read(make_pdf(column(lines, size=12)))) == ["第一条"]


def draw_table(page: pymupdf.Page, rows: list[list[str]], top: float) -> None:
    """Draw a ruled table of equal columns."""
    width = 420 / len(rows[0])
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            page.draw_rect((72 + c * width, top + r * 24, 72 + (c + 1) * width, top + (r + 1) * 24))
            font = "china-s" if any(char > "\u2fff" for char in text) else "helv"
            page.insert_text((76 + c * width, top + r * 24 + 16), text, fontname=font, fontsize=10)


def test_a_ruled_table_has_cells_and_its_text_stands_nowhere_else() -> None:
    """Cells carry address, page and box; no paragraph repeats them; text around keeps its order."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 90), "Limits by class are as follows:")
        draw_table(page, [["Class", "Limit", "Basis"], ["1", "50 kg", "Article 3"], ["2", "500 kg", "Article 4"]], 120)
        page.insert_text((72, 250), "The limits hold for one consignment.")
        document = read(pdf.tobytes())
    assert [block.kind for block in document.blocks] == ["paragraph", "table", "paragraph"]
    table = document.blocks[1]
    assert cells(table)["r2c2"] == "50 kg"
    assert [cell.header for cell in table.cells] == [True] * 3 + [False] * 6
    assert table.cells[0].address == "t1-r1c1"
    assert all(cell.page == 1 and cell.box for cell in table.cells)


def test_a_watermark_over_a_table_is_in_none_of_its_cells() -> None:
    """Large letters that lie aslant belong to no cell and not to the body."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        draw_table(page, [["Task", "Guard", "Leader"], ["Open gate", "R", ""], ["Close gate", "", "A"]], 120)
        turned = pymupdf.Matrix(1, 1).prerotate(-20)
        page.insert_text((80, 190), "SPECIMEN", fontsize=40, morph=(pymupdf.Point(80, 190), turned))
        document = read(pdf.tobytes())
    texts = cells(next(block for block in document.blocks if block.kind == "table"))
    assert list(texts.values()) == ["Task", "Guard", "Leader", "Open gate", "R", "", "Close gate", "", "A"]
    assert find(document, "SPECIMEN").kind == "paragraph"
    assert find(document, "SPECIMEN").tag == "header"


def test_letters_of_no_width_keep_their_order_in_a_cell() -> None:
    """The letters of a ligature stand at one place."""
    chars = [
        {"c": char, "at": at, "x0": x, "x1": x, "y": y, "size": 10.0, "raised": False}
        for at, (char, x, y) in enumerate([("o", 10, 5), ("f", 15, 5), ("f", 20, 5.1), ("i", 20, 5), ("c", 20, 4.9)])
    ]
    assert _cell_text(chars, (0, 0, 40, 12)) == "offic"


def test_a_table_over_two_pages_is_one_table() -> None:
    """A table that goes on is joined; the repeated heading row stands once; cells keep their page."""
    with pymupdf.open() as pdf:
        draw_table(pdf.new_page(), [["Class", "Limit in kg"], ["1", "50"], ["2", "500"]], 650)
        draw_table(pdf.new_page(), [["Class", "Limit in kg"], ["3", "5000"]], 72)
        document = read(pdf.tobytes())
    (table,) = document.blocks
    assert cells(table)["r4c2"] == "5000"
    assert [cell.page for cell in table.cells] == [1] * 6 + [2] * 2


def test_text_that_nobody_sees_is_tagged_hidden() -> None:
    """Invisible, white, tiny and off-page text is kept, apart from the body; white on a dark ground is seen."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 90), "The visible rule of the policy.")
        page.insert_text((72, 120), "invisible words", render_mode=3)
        page.insert_text((72, 140), "white words", color=(1, 1, 1))
        page.insert_text((72, 160), "tiny words", fontsize=1)
        page.insert_text((72, -30), "words off the page")
        page.draw_rect((60, 180, 300, 210), fill=(0, 0, 0.5))
        page.insert_text((72, 200), "white on a dark ground", color=(1, 1, 1))
        document = read(pdf.tobytes())
    hidden = [block.text for block in document.blocks if block.tag == "hidden"]
    assert hidden == ["invisible words", "white words", "tiny words", "words off the page"]
    assert bodies(document) == ["The visible rule of the policy.", "white on a dark ground"]


def test_text_under_a_shape_is_hidden() -> None:
    """What a white or black box was drawn over is hidden; what was drawn on it, or is marked in colour, is seen."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for y, fill in ((100, (1, 1, 1)), (140, (0, 0, 0)), (180, (1, 1, 0))):
            page.insert_text((72, y), f"The rule at height {y}.")
            page.draw_rect((60, y - 15, 300, y + 8), color=None, fill=fill)
        page.draw_rect((60, 205, 300, 228), color=None, fill=(1, 1, 1))
        page.insert_text((72, 220), "The rule on a white ground.")
        page.draw_rect((60, 245, 300, 268), color=None, fill=(0, 0, 0))
        page.insert_text((72, 260), "The rule in black on black.")
        document = read(pdf.tobytes())
    hidden = [block.text for block in document.blocks if block.tag == "hidden"]
    assert hidden == ["The rule at height 100.", "The rule at height 140.", "The rule in black on black."]
    assert bodies(document) == ["The rule at height 180.", "The rule on a white ground."]


def test_the_invisible_text_of_a_scan_is_its_text() -> None:
    """What a scanner's software laid over the image is read, and said to be read off it."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_image(page.rect, stream=grey_image())
        page.insert_text((72, 90), "The carrier shall check the documents first.", render_mode=3)
        document = read(pdf.tobytes())
    (block,) = document.blocks
    assert (block.tag, block.read_by) == (None, "ocr")


@pytest.mark.skipif(ocr.available(), reason="the ocr extra would read the page")
def test_letters_without_sense_are_no_text() -> None:
    """A page whose letters are others than those that are drawn is named, and what it says is kept as hidden."""
    garbled = [re.sub("[a-z]", lambda match: chr(97 + ord(match[0]) * 7 % 26), line.lower()) for line in EN]
    parsed = parse(make_pdf(column(EN), column(garbled)), "a/file.pdf")
    assert [found.error_code for found in parsed.diagnostics] == ["image-only-page"]
    assert parsed.document is not None
    assert {block.tag for block in parsed.document.blocks if block.page == 2} == {"hidden"}


def test_raised_figures_are_apart_from_the_figures_before_them() -> None:
    """The mark of a note changes no amount, in a paragraph or in a cell; the amount is still found."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        write = pymupdf.TextWriter(page.rect)
        for x, y, text, size in ((72, 90, "The fee is EUR 40", 11), (90, 140, "up to 60", 11), (90, 170, "more", 11)):
            _, end = write.append((x, y), text, fontsize=size)
            if text != "more":
                _, end = write.append((end.x, y - 4), "7", fontsize=7)
            write.append((end.x, y), " per day.", fontsize=size)
        for y in (120, 150, 180):
            page.draw_line((80, y), (300, y))
        for x in (80, 190, 300):
            page.draw_line((x, 120), (x, 180))
        write.append((200, 140), "Guard")
        write.append((200, 170), "Leader")
        write.write_text(page)
        document = read(pdf.tobytes())
    assert bodies(document)[0] == "The fee is EUR 40⁷ per day."
    assert cells(document.blocks[1])["r1c1"] == "up to 60⁷ per day."


def test_the_same_bytes_give_the_same_document() -> None:
    """Addresses are stable, unique and readable."""
    data = make_pdf(column(ZH, size=12), column(EN))
    first = read(data)
    assert first == read(data)
    addresses = [block.address for block in first.blocks]
    assert len(set(addresses)) == len(addresses)
    assert addresses[:2] == ["p1-para1", "p1-para2"]
    assert addresses[2] == "p1-li1"


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_reads_as_it_is_shown(turn: int) -> None:
    """The page's rotation is undone before its lines are ordered."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.set_rotation(turn)
        matrix = page.derotation_matrix
        for number, text in enumerate(["First the carrier checks.", "Then the officer approves."]):
            page.insert_text(pymupdf.Point(72, 100 + 60 * number) * matrix, text, rotate=turn)
        document = read(pdf.tobytes())
    assert bodies(document) == ["First the carrier checks.", "Then the officer approves."]


def grey_image() -> bytes:
    """A small grey picture."""
    pixels = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 8, 8))
    pixels.clear_with(128)
    return bytes(pixels.tobytes("png"))


def test_an_annex_without_a_number_before_numbered_ones() -> None:
    """`附件` alone begins no count that `附件1` would have to go on with."""
    lines = [
        "附件",
        "附件1 申请表的填写应当完整并由经办人签字后报送主管部门审核",
        "附件2 审批表",
        "附件：",
        "附件3 清单",
    ]
    document = read(make_pdf(column(lines)))
    assert [word in "".join(block.text for block in document.blocks) for word in ("附件1", "附件2", "附件3")] == [
        True
    ] * 3
