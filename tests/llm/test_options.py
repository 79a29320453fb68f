"""Settings of a model that are not legal are refused before anything is sent."""

import pytest

from ir.errors import BadSetting
from llm.options import read_options, read_timeout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("enable_thinking", "no JSON"),
        ("[1]", "no JSON object"),
        ('{"stream": true, "n": 2}', "stream, n: set by flowc itself"),
        ('{"max_tokens": 0}', "expected a whole number"),
        ('{"max_tokens": true}', "expected a whole number"),
        ('{"max_completion_tokens": 9}', "set by flowc itself"),
    ],
)
def test_options_that_are_none(text: str, said: str) -> None:
    """With what was expected."""
    with pytest.raises(BadSetting, match=said):
        read_options(text)


def test_no_options() -> None:
    """None are needed."""
    assert read_options(None) == read_options("") == {}


@pytest.mark.parametrize("text", ["", "soon", "0", "-1", "nan", "inf", "1e9"])
def test_a_time_that_is_none(text: str) -> None:
    """It is a number of seconds."""
    with pytest.raises(BadSetting, match="model_timeout"):
        read_timeout(text)
