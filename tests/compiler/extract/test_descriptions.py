"""What a text describes is no act: how things are, what an organisation does for a living, what stands for good."""

import pytest

from compiler.extract.rules.document_reader import DocumentReader
from compiler.extract.rules.en.sentences import EnglishReader
from compiler.extract.rules.statements import Act
from compiler.extract.rules.zh.sentences import ChineseReader
from compiler.parsers import parse
from compiler.text.sentences import Piece

ENGLISH, CHINESE = EnglishReader(), ChineseReader()

GUIDE = """# Ward guide

## The building

Rooms are lit by day through the roof. Beds are arranged in rows. Meals are cooked next door. Floors are polished.
Linen is washed in town. Curtains are drawn at dusk.

## Admission

The receptionist registers the patient. The nurse checks the papers. The doctor examines the patient.
"""

METHOD = """# Moisture test

## Weighing

The dish is weighed. The sample is placed in the dish.

## Drying

The dish is dried for two hours. The dish is cooled and weighed again.
"""


def kinds(text: str) -> list[str]:
    """What the statements of one sentence are."""
    reader = CHINESE if text[:1] > "\u2e80" else ENGLISH
    return [type(s).__name__ for s in reader.read(Piece("b", 0, len(text), text), 0)]


def acts(text: str) -> list[str]:
    """The acts that a document tells."""
    parsed = parse(text.encode(), "guide.md").document
    assert parsed is not None
    told = DocumentReader(parsed).read()
    return [s.piece.text for each in told for s in each.statements if isinstance(s, Act)]


@pytest.mark.parametrize(
    "text",
    [
        "The archive is maintained by the registry.",
        "The ward is headed by the chief nurse.",
        "The clinic employs 40 nurses.",
        "The bank develops payment services for small businesses.",
        "The firm values honesty.",
        "Direct sunlight should be avoided.",
        "The fee is set by the council and varies with the season.",
    ],
)
def test_a_state_is_no_act(text: str) -> None:
    """Neither are standing arrangements, whoever is named in them."""
    assert "Act" not in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "The archive shall be maintained by the registry within two days.",
        "The application is approved by the chief nurse.",
        "The bank makes a decision within ten days.",
        "The clinic runs a test on the sample.",
    ],
)
def test_an_act_stays_one(text: str) -> None:
    """What is bound, timed or done to one thing is an act also of an organisation."""
    assert "Act" in kinds(text)


def test_prose_beside_sections_that_say_who_acts_describes() -> None:
    """However many such passives there are, they do not become the acts of the document."""
    assert acts(GUIDE) == [
        "The receptionist registers the patient",
        "The nurse checks the papers",
        "The doctor examines the patient",
    ]


def test_a_method_told_in_passives_keeps_its_acts() -> None:
    """Where nobody is named anywhere, passives are how the acts are told."""
    assert len(acts(METHOD)) >= 4
