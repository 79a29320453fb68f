"""The normal form and its way back to the raw text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wordings import document

from compiler.grounding import QuoteFinder
from compiler.grounding.normalise import normalise
from compiler.grounding.tokens import signature, tokens

ODD = st.text(
    alphabet=st.sampled_from([*"abZ 款審，。、,.:-—–\n\t\u00a0\u00ad\u200b１２3½²①ﬁ㎏℃ＡéÅ“”()（）%５0零三十日不得"])
    | st.characters(),
    max_size=60,
)


@given(ODD)
def test_offsets_lead_back(text: str) -> None:
    """Every character of the normal form came from a raw run, in order, and the runs lie in the text."""
    normal = normalise(text)
    assert len(normal.text) == len(normal.cased) == len(normal.starts) == len(normal.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(normal.starts, normal.ends, strict=True))
    assert list(normal.starts) == sorted(normal.starts)
    assert list(normal.ends) == sorted(normal.ends)


@given(ODD)
def test_a_normal_form_is_its_own(text: str) -> None:
    """Plain letters, digits and Chinese stay as they are when they are folded again."""
    once = normalise(text).text
    if all((c.isascii() and (c.isalnum() or c == " ")) or "\u4e00" <= c <= "\u9fff" for c in once):
        assert normalise(once).text == once


@given(ODD, st.data())
def test_every_piece_that_is_found_is_the_text_at_its_place(text: str, data: st.DataObject) -> None:
    """`text[start:end]` is always the quote of located evidence, whatever was asked for."""
    library = QuoteFinder(document("Erste Regel.", text, "third rule 第三条"))
    begin = data.draw(st.integers(0, len(text)))
    quote = text[begin : data.draw(st.integers(begin, len(text)))]
    for asked in (quote, quote.upper(), " ".join(quote), normalise(quote).cased):
        evidence = library.search(asked, near="p2").evidence
        if evidence.supports:
            assert evidence.block is not None
            assert library.words_at(evidence.block, evidence.start or 0, evidence.end or 0) == evidence.quote
            assert evidence.quote


@given(ODD)
def test_a_whole_passage_is_found(text: str) -> None:
    """A passage quoted whole is found exactly, or is too little to be a quote."""
    search = QuoteFinder(document(text)).search(text)
    assert search.evidence.supports or search.reason is not None or search.hits


@given(ODD)
def test_tokens_follow_each_other(text: str) -> None:
    """Tokens do not overlap and hold all that is no blank."""
    normal = normalise(text)
    found = tokens(normal)
    assert all(one.end <= other.start for one, other in pairwise(found))
    held = {at for token in found for at in range(token.start, token.end)}
    assert all(char == " " for at, char in enumerate(normal.cased) if at not in held)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("ap-\nprove", "approve"),
        ("co\u00adoperate", "cooperate"),
        ("3 个 工作日", "3个工作日"),
        ("提交\n申请", "提交申请"),
        ("“甲方”", '"甲方"'),
        ("ＡＢＣ：１２", "abc:12"),
        ("5 %", "5%"),
        ("a , b", "a,b"),
        ("10–20 kg", "10-20 kg"),
        ("e\u0301tat", "état"),
    ],
)
def test_the_same_normal_form(left: str, right: str) -> None:
    """Variants of one wording have one normal form."""
    assert normalise(left).text == normalise(right).text


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("12.5", "125"),
        ("1, 200", "1,200"),
        ("1 200", "1200"),
        ("10²", "102"),
        ("①②", "12"),
        ("3½", "31/2"),
        ("long term", "longterm"),
        ("10-\n20", "1020"),
        ("5。3", "5.3"),
        ("1、200", "1,200"),
    ],
)
def test_another_normal_form(left: str, right: str) -> None:
    """What says something else stays apart."""
    assert normalise(left).text != normalise(right).text


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("三十日内", "30天内", True),
        ("3 business days", "3个工作日", True),
        ("1 May 2024", "2024年5月1日", True),
        ("5 t", "5 kg", False),
        ("30 days", "30 calendar days", False),
        ("5 %", "5", False),
        ("over 5", "under 5", False),
        ("-5 °C", "5 °C", False),
    ],
)
def test_signatures(left: str, right: str, same: bool) -> None:
    """Numbers and units count by value, whatever their notation and language."""
    kinds = ("number", "quantity", "date", "sign", "comparator")
    pair = [
        [mark for mark in signature(normalise(text)) if mark[0] in kinds and mark[1] != "内"] for text in (left, right)
    ]
    assert (pair[0] == pair[1]) is same
