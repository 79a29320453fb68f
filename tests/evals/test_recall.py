"""Recall of Node Types over the phrases that were written from meanings alone."""

import pytest

from catalog.embedders import load_embedder
from catalog.embedders.cache import VectorCache
from catalog.index import NodeIndex, searchable_texts
from catalog.load import load_catalog
from evals.recall import phrases, recall, table

pytestmark = pytest.mark.slow

ROWS = phrases()


@pytest.fixture(scope="module")
def index() -> NodeIndex:
    """The shipped catalog under the default embedder."""
    return NodeIndex(load_catalog(), load_embedder("default", fallback=False).embedder, VectorCache(None))


def test_sixty_phrases_none_of_them_the_catalogs_own(index: NodeIndex) -> None:
    """Four directions, fifteen phrases each, none of them an alias or example."""
    texts = {text.lower() for node_type in index.catalog.node_types.values() for text in searchable_texts(node_type)}
    assert [len(rows) for rows in ROWS.values()] == [15] * 4
    assert not texts & {phrase.lower() for rows in ROWS.values() for phrase, _ in rows}


@pytest.mark.parametrize("direction", ROWS)
def test_each_direction(index: NodeIndex, direction: str) -> None:
    """At least 88 in 100 of each direction find their Type among five."""
    assert recall(index, ROWS[direction]).hits(5) >= 0.88


def test_pooled(index: NodeIndex) -> None:
    """At least 93 in 100 of all find their Type among five."""
    assert recall(index, [row for rows in ROWS.values() for row in rows]).hits(5) >= 0.93


def test_what_is_not_found_is_named(index: NodeIndex) -> None:
    """The table lists a phrase whose Type is far down, and an unknown Type is refused."""
    wrong = [("pay the invoice to the supplier", "hr.calculate_pay")]
    assert "“pay the invoice to the supplier” wants hr.calculate_pay" in table(index, {"en→en": wrong})
    with pytest.raises(ValueError, match=r"no Node Type 'hr.nothing'"):
        recall(index, [("pay", "hr.nothing")])
