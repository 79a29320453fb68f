"""The values of a condition are the document's, or follow from its words by a conversion that can be done again."""

import pytest
from pydantic import JsonValue

from compiler.grounding import literal_supported, unsupported_literals
from ir.predicate import Literally, LiteralStatus, parse_tree
from ir.source import Evidence, Grounding

QUOTED: list[tuple[JsonValue, str]] = [
    (30, "在30日内"),
    (30, "在三十日内"),
    (1200, "over 1,200 kg"),
    (50000, "超过5万元"),
    (12.5, "不超过12.5吨"),
    ("公路", "采用公路运输的"),
    ("road", "by Road only"),
    ([1, 2], "一类、二类"),
]
NOT_QUOTED: list[tuple[JsonValue, str]] = [
    (3, "在30日内"),
    (3, "在十三日内"),
    (5, "超过5万元"),
    (125, "不超过12.5吨"),
    ("铁路", "采用公路运输的"),
    ("road", "railroad only"),
    ([1, 3], "一类、二类"),
    (None, "一类"),
]
CONVERTED: list[tuple[JsonValue, str, str | None]] = [
    (5000, "5吨", "kg"),
    (5, "5000 kg", "t"),
    ("P3D", "三日", None),
    ("PT72H", "3 days", None),
    ("P5BD", "5个工作日", None),
    ([1, 2, 3], "一至三类", None),
    (2, "Ⅱ级", None),
    (0.1, "10%", None),
    ("2024-05-01", "2024年5月1日", None),
    ("rejected", "审核不通过", None),
    ("approved", "is approved", None),
    (True, "材料齐全", None),
]
NOT_CONVERTED: list[tuple[JsonValue, str, str | None]] = [
    (500, "5吨", "kg"),
    (5, "5吨", "kg"),
    (5000, "5吨", "L"),
    ("P5D", "5个工作日", None),
    ("P3D", "13日", None),
    ("P30D", "一个月", None),
    ([1, 2, 3, 4], "一至三类", None),
    ("2024-05-11", "2024年5月1日", None),
    ("approved", "审核不通过", None),
    ("pass", "is rejected", None),
    ("road", "公路", None),
]


@pytest.mark.parametrize(("value", "text"), QUOTED)
@pytest.mark.parametrize("status", ["quoted", None])
def test_what_stands_in_the_words(value: JsonValue, text: str, status: LiteralStatus | None) -> None:
    """Numbers by value, words as a whole."""
    assert literal_supported(Literally(value, None, status), ["", "别的", text])


@pytest.mark.parametrize(("value", "text"), NOT_QUOTED)
def test_what_does_not_stand_in_the_words(value: JsonValue, text: str) -> None:
    """Parts of numbers and words, and members that are missing."""
    assert not literal_supported(Literally(value, None, "quoted"), [text])


@pytest.mark.parametrize(("value", "quote", "unit"), CONVERTED)
def test_conversions_that_come_out(value: JsonValue, quote: str, unit: str | None) -> None:
    """Units, durations, ranges, Roman numerals, dates and outcomes, done again."""
    assert literal_supported(Literally(value, quote, "converted", quote), [f"凡{quote}的"], unit=unit)


@pytest.mark.parametrize(("value", "quote", "unit"), NOT_CONVERTED)
def test_conversions_that_do_not_come_out(value: JsonValue, quote: str, unit: str | None) -> None:
    """A wrong factor, the value before conversion, another day, the contrary."""
    assert not literal_supported(Literally(value, quote, "converted", quote), [f"凡{quote}的"], unit=unit)


def test_a_source_given_as_a_quantity() -> None:
    """A value with unit as `from` has to be in the words, and to give the literal."""
    right = Literally(5000, "5 吨", "converted", {"value": 5, "unit": "t"})
    wrong = Literally(6000, "5 吨", "converted", {"value": 6, "unit": "t"})
    assert literal_supported(right, ["超过5吨的"], unit="kg")
    assert not literal_supported(wrong, ["超过5吨的"], unit="kg")


def test_the_literals_own_quote_has_to_be_evidence() -> None:
    """Words that the evidence does not have bear nothing out, even where they hold the value."""
    assert not literal_supported(Literally(30, "30日内", "quoted"), ["3日内"])
    assert not literal_supported(Literally(True, "材料齐全", "converted", "材料齐全"), ["材料不齐全"])


def test_defaults_need_no_words() -> None:
    """A rule's default is no claim about the document."""
    assert literal_supported(Literally(7, None, "default"), [])


def test_readings_give_what_words_mean() -> None:
    """A caller with a catalog tells what a concept's words stand for."""
    literal = Literally("road", "公路", "converted", "公路")
    assert literal_supported(literal, ["公路运输"], readings=lambda text: {"road"} if "公路" in text else set())


def test_unsupported_literals_of_a_tree() -> None:
    """Every literal is checked against located evidence alone, in the unit of the field that it is compared with."""
    raw = {
        "and": [
            {"gt": ["$.facts.mass", {"value": 5, "quote": "5吨", "status": "converted", "from": "5吨"}]},
            {"in": ["$.facts.level", [1, 2]]},
            {"eq": ["$.facts.mode", "铁路"]},
        ]
    }
    words = "运输一类、二类危险品超过5吨"
    located = Evidence(doc_id="d", quote=words, block="b", start=0, end=len(words), status=Grounding.EXACT)
    lost = Evidence(doc_id="d", quote="铁路", status=Grounding.UNGROUNDED)
    tree = parse_tree(raw)
    assert [lit.value for lit in unsupported_literals(tree, (located, lost))] == ["铁路"]
    strict = unsupported_literals(tree, (located, lost), field_units={"$.facts.mass": "kg"})
    assert [lit.value for lit in strict] == [5, "铁路"]
    assert len(unsupported_literals(tree, (lost,))) == 3


@pytest.mark.parametrize(
    ("text", "stands"),
    [("5+ times=-1", True), ("−1", True), ("at most -1", True), ("1", False), ("3-1", False), ("3 – 1", False)],
)
def test_a_negative_number_has_its_sign_there(text: str, stands: bool) -> None:
    """The dash of a range is none."""
    assert literal_supported(Literally(-1, text, "converted", text), [text]) is stands
    assert literal_supported(Literally(-1, None, "quoted"), [text]) is stands
