"""Numbers as texts write them, also where somebody writes them to do harm."""

import pytest

from ir.quantities.numerals import find_numbers, han_number


@pytest.mark.parametrize(
    "text", ["一" * 10_000, "9" * 5_000, "1" + "亿" * 5_000, "亿" * 500, "9" * 305 + "万亿", "千" * 9_000]
)
def test_a_number_that_nothing_can_hold_is_none(text: str) -> None:
    """It is no number, rather than infinity, an exception, or a minute of arithmetic."""
    assert [number.value for number in find_numbers(f"超过{text}元") if number.value > 1e40] == []


def test_long_numerals_that_somebody_writes_are_read() -> None:
    """The longest have a sign for each digit and each place."""
    assert han_number("九千八百七十六万五千四百三十二亿一千二百三十四万五千六百七十八") == 9876543212345678
    assert [number.value for number in find_numbers("不超过123456789012345元")] == [123456789012345]
