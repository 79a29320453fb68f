"""Wants of the catalog: grouped by meaning and kind, the most wanted first, whatever the order they come in."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from catalog.embedders import load_embedder
from catalog.gaps import CatalogGap, clusters, group_gaps, read_gaps
from ir.errors import BadInputFile, MissingPath
from ir.procedure import StepKind

PLANE = {"freeze it": 0.0, "block it": 0.3, "stop it": 0.5, "print it": 1.5}


class Plane:
    """An embedder of a few acts, as angles in a plane."""

    model_id = "plane"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors at the acts' angles."""
        angles = [PLANE[text] for text in texts]
        return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], dtype=np.float32)


def want(act: str, kind: StepKind = "task", document: str = "a.md", nearest: tuple[str, ...] = ()) -> CatalogGap:
    """A want with an act."""
    return CatalogGap(step=f"We {act}.", act=act, kind=kind, document=document, procedure="p", nearest=nearest)


def test_most_alike_are_joined_first_and_by_the_mean() -> None:
    """0 and 1 join; 2 is like 1 alone, so that the mean keeps it out; 3 and 4 join."""
    likeness = np.eye(5)
    for one, other, value in ((0, 1, 0.9), (1, 2, 0.8), (0, 2, 0.2), (3, 4, 0.7)):
        likeness[one, other] = likeness[other, one] = value
    assert clusters(likeness, 0.6) == [[0, 1], [2], [3, 4]]
    assert clusters(likeness, 0.5) == [[0, 1, 2], [3, 4]]
    assert clusters(np.eye(1), 0.5) == [[0]]


def test_groups_are_named_by_their_middle_and_sorted_by_size() -> None:
    """The act most like the others names the group; Types that came near most often come first."""
    wants = [
        want("print it"),
        want("freeze it", nearest=("a.a", "b.b")),
        want("block it", document="b.md", nearest=("b.b",)),
        want("stop it"),
    ]
    first, second = group_gaps(wants, Plane(), alike=0.8)
    assert (first.act, first.count, first.documents, first.nearest) == ("block it", 3, 2, ("b.b", "a.a"))
    assert first.wants[0].act == "block it"
    assert (second.act, second.count) == ("print it", 1)


def test_kinds_are_kept_apart() -> None:
    """The same act as a check and as a task asks for Types of two sorts."""
    groups = group_gaps([want("stop it"), want("stop it", kind="check")], Plane())
    assert [(group.kind, group.count) for group in groups] == [("check", 1), ("task", 1)]


def test_order_of_the_wants_is_nothing() -> None:
    """Shuffled wants, with repeats, give the same groups."""
    wants = [want(act, document=f"{number}.md") for act in PLANE for number in range(3)]
    expected = group_gaps(wants, Plane())
    for seed in range(5):
        shuffled = wants.copy()
        random.Random(seed).shuffle(shuffled)
        assert group_gaps(shuffled, Plane()) == expected
    assert sum(group.count for group in expected) == len(wants)
    assert group_gaps([], Plane()) == ()


def test_languages_meet() -> None:
    """Under the default embedder a want in Chinese joins the same want in English, and no other."""
    wants = [
        CatalogGap(step=act, kind="task", document="a.md", procedure="p")
        for act in ("冻结银行账户", "freeze the bank account", "对设备进行检修", "repair the equipment")
    ]
    groups = group_gaps(wants, load_embedder("default", fallback=False).embedder)
    assert {frozenset(one.step for one in group.wants) for group in groups} == {
        frozenset({"冻结银行账户", "freeze the bank account"}),
        frozenset({"对设备进行检修", "repair the equipment"}),
    }


def test_reads_a_folder_or_a_file(tmp_path: Path) -> None:
    """A build's `gaps.yaml`, with or without the act, by folder or by name."""
    text = "- {step: Freeze it., kind: task, document: a.md, procedure: p, block: p1, nearest: [a.b]}\n"
    (tmp_path / "gaps.yaml").write_text(text, encoding="utf-8")
    (found,) = read_gaps(tmp_path)
    assert (found.grouping_text, found.block, found.nearest) == ("Freeze it.", "p1", ("a.b",))
    assert read_gaps(tmp_path / "gaps.yaml") == (found,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\n", "expected the list of steps"),
        ("- {step: x, kind: dance, document: a, procedure: p}\n", "/0/kind"),
        ("- {step: x, kind: task}\n", "/0"),
        ("- [", "gaps.yaml"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, said: str) -> None:
    """What is no list of wants is told with its place."""
    (tmp_path / "gaps.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInputFile, match=said):
        read_gaps(tmp_path)


def test_folder_without_a_build_is_refused(tmp_path: Path) -> None:
    """A folder that no build wrote is told as such."""
    with pytest.raises(MissingPath, match=r"holds no gaps\.yaml"):
        read_gaps(tmp_path)
