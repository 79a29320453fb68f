"""Words of forms and tables as values: only what says one value is one."""

import pytest

from catalog.load import load_catalog
from compiler.extract.forms.tables import typed
from compiler.text.mentions import Mentions

CONCEPTS = load_catalog()
WEIGHT = "quantity_kg"


@pytest.mark.parametrize("text", ["5吨", "5 t", "5吨（净重）", "5吨。"])
def test_a_quantity_alone_is_a_value(text: str) -> None:
    """Remarks in brackets and marks do not count; tonnes become kilograms."""
    assert typed(text, WEIGHT, Mentions(CONCEPTS))[0] == 5000


@pytest.mark.parametrize("text", ["约5吨", "3吨至5吨", "5吨/车", "5吨以上"])
def test_a_quantity_beside_other_words_is_no_value(text: str) -> None:
    """An estimate, a range or a rate is not one quantity."""
    assert typed(text, WEIGHT, Mentions(CONCEPTS))[0] is None
