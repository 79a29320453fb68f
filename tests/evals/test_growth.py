"""Time grows like the input: long documents of shapes that algorithms choke on, with limits that catch a square.

Limits are seconds of the processor, several times what was measured; `make bench` prints the growth itself. The longest
are tried in `make slow`.
"""

import pytest
from effort import FULL

from evals.generate.shapes import SHAPES
from evals.growth import exponent, measured

pytestmark = pytest.mark.slow

LIMITED = {
    "plain-steps": (600, 30),
    "guarded-articles": (200, 20),
    "approvals": (300, 45),
    "references": (300, 20),
    "roles": (4000, 6),
    "one-character": (100_000, 6),
    "blanks": (100_000, 6),
    "empty-lines": (100_000, 6),
    "commas": (100_000, 6),
    "brackets": (100_000, 12),
    "digits": (100_000, 6),
    "html-nesting": (9000, 6),
}
"""Parts of a document, and the seconds that all passes over it may take; a square took minutes."""


QUICK = [name for name, (_, seconds) in LIMITED.items() if FULL or seconds < 20]


@pytest.mark.parametrize("name", QUICK)
def test_a_long_document_takes_no_longer_than_it_should(name: str) -> None:
    """All passes together, pages included."""
    parts, seconds = LIMITED[name]
    took = measured(SHAPES[name], parts)
    assert sum(took.values()) < seconds, took


def test_shapes_are_as_long_as_is_wanted() -> None:
    """Each has about so many characters as are asked for."""
    for name, shape in SHAPES.items():
        assert 90_000 < len(shape.make(shape.parts_of(100_000))) < 110_000, name


def test_exponent_of_what_takes_no_time() -> None:
    """No time at the smallest size is no division by nothing."""
    assert exponent([0.0, 0.0, 0.001]) == pytest.approx(0)
