"""What a question about a document says of computations."""

import pytest
from test_reading_by_model import context, document

from compiler.extract.model.computing import computing_told
from ir.document import Block


@pytest.mark.parametrize(
    ("words", "language", "told"),
    [
        ("The fee is rounded up to the next full EUR 10.", "en", True),
        ("The clerk files the record within 3 days.", "en", False),
        ("滞纳金四舍五入保留两位小数。", "zh", True),
        ("保管员应当在三日内发放。", "zh", False),
    ],
)
def test_rules_are_told_where_words_speak_of_arithmetic(words: str, language: str, told: bool) -> None:
    """Each in the document's language; elsewhere nothing is said, and no tokens are spent."""
    block = Block(address="1", kind="paragraph", text=words)
    asked = document().model_copy(update={"blocks": (block,), "language": language})
    text = computing_told(context(), asked)
    assert bool(text) is told
    assert not told or ("round half up(x, 2)" in text and ("四舍五入" in text) is (language == "zh"))
