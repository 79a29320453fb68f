"""Numbers that Word generates: what LibreOffice prints is what stands in the document."""

import json

import pytest
from document_makers import read
from numbering_samples import EXPECTED, OFFICE, printed, samples, words

SAMPLES = samples()
PRINTED: dict[str, list[str]] = json.loads(EXPECTED.read_text("utf-8"))


def labels_of(name: str) -> list[str]:
    """The label of each paragraph, empty where it has none; a cell's stands before its text."""
    document = read(SAMPLES[name], "sample.docx")
    found = []
    for number in range(len(PRINTED[name])):
        held = next(p for p in document.passages() if words(number) in p.text)
        block = next((b for b in document.blocks if b.address == held.address), None)
        if block is not None and block.label is not None:
            found.append(block.label.text)
        else:
            found.append(held.text[: held.text.index("clause")].strip())
    return found


def test_every_sample_has_what_is_printed() -> None:
    """At least twelve files, and none without its expected labels."""
    assert set(PRINTED) == set(SAMPLES)
    assert len(set(SAMPLES) - set(WORD)) >= 12


# Where LibreOffice 7.4 does not follow the format, Word's own labels (ECMA-376 part 1, 17.9 and 17.18.59) are expected.
WORD = {
    "articles run through chapters": (7, "第三条"),  # w:lvlRestart 0 lets a level run through the one above it
    "sections run through parts": (7, "Section 2."),
    "begins at five, one level never begins anew": (4, "c."),
    "figures under Chinese numbers": (1, "1.1"),  # w:isLgl
    "Chinese digits": (9, "一〇、"),
    "full width": (0, "１．"),
    "in brackets": (0, "⑴"),
    "with a full stop": (0, "⒈"),
}


@pytest.mark.parametrize(("name", "at", "label"), [(name, *told) for name, told in WORD.items()])
def test_where_libreoffice_does_not_follow_the_format_word_does(name: str, at: int, label: str) -> None:
    """The first label in which they differ."""
    assert labels_of(name)[at] == label != PRINTED[name][at]
    assert labels_of(name)[:at] == PRINTED[name][:at]


@pytest.mark.parametrize("name", sorted(set(SAMPLES) - set(WORD)))
def test_labels_are_those_that_are_printed(name: str) -> None:
    """Number formats, restarts, continuation, levels and styles."""
    assert labels_of(name) == PRINTED[name]


@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not here")
@pytest.mark.parametrize("name", sorted(SAMPLES)[::3])
def test_libreoffice_prints_what_is_expected(name: str) -> None:
    """The committed labels are still what it prints (a third of the samples, since each takes a second)."""
    assert printed(name, SAMPLES[name]) == PRINTED[name]
