"""What a catalog lacks: the steps of many builds that no Node Type fits, grouped by meaning, the most wanted first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ir.base import Model
from ir.codec import read_form, read_yaml
from ir.errors import BadInputFile, MissingPath
from ir.procedure import StepKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from catalog.embedders.protocol import Embedder

GAPS = "gaps.yaml"
ALIKE = 0.6
"""Mean similarity from which two groups are one gap."""


class CatalogGap(Model):
    """One step that no Node Type fits, as a build's `gaps.yaml` has it.

    Args:
        step: the step in the document's words.
        act: verb and object alone, by which gaps are grouped; absent means the whole step.
        kind: the step's kind, which says what sort of Type could carry it out.
        block: address of the paragraph; None where the step has no evidence.
        nearest: the best Node Types by name, best first.
    """

    step: str
    act: str | None = None
    kind: StepKind
    document: str
    procedure: str
    block: str | None = None
    nearest: tuple[str, ...] = ()

    @property
    def grouping_text(self) -> str:
        """What the gap is grouped by."""
        return self.act or self.step


class CatalogGapGroup(Model):
    """Gaps that mean about the same.

    Args:
        act: the act nearest to all others of the group, which names it.
        kind: the kind of all its steps.
        count: how many steps.
        documents: in how many documents.
        nearest: the Node Types that came near most often, at most five.
        wants: the steps, those nearest to the group's act first.
    """

    act: str
    kind: StepKind
    count: int
    documents: int
    nearest: tuple[str, ...]
    wants: tuple[CatalogGap, ...]


def read_gaps(path: Path) -> tuple[CatalogGap, ...]:
    """The gaps of a build folder, or of a file of the form of its `gaps.yaml`.

    Raises:
        MissingPath: the folder holds no build.
        BadInputFile: the file is not of the form; the message lists every fault.
        OSError: it cannot be read.
    """
    file = path / GAPS if path.is_dir() else path
    if path.is_dir() and not file.exists():
        raise MissingPath(f"{path} holds no {GAPS}; name the output folder of `flowc compile`")
    raw, faults = read_yaml(file.read_bytes())
    if not faults and not isinstance(raw, list):
        raise BadInputFile(f"{file}: found {type(raw).__name__}, expected the list of steps that a build writes")
    gaps: list[CatalogGap] = []
    lines = [str(fault) for fault in faults]
    for index, item in enumerate(raw if isinstance(raw, list) else []):
        gap, faults = read_form(CatalogGap, item)
        lines += [f"/{index}{fault.location.pointer or ''}: {fault.message}" for fault in faults]
        gaps += [gap] if gap else []
    if lines:
        raise BadInputFile("\n".join([f"{file}: no wants can be read from it; compile the documents again:", *lines]))
    return tuple(gaps)


def group_gaps(gaps: Iterable[CatalogGap], embedder: Embedder, alike: float = ALIKE) -> tuple[CatalogGapGroup, ...]:
    """Gaps of one kind and about one meaning, in groups; the result does not hang on the order of the gaps.

    Args:
        embedder: tells how alike two acts are.
        alike: mean similarity from which two groups are one, 0 to 1.

    Returns:
        the groups, largest first; of equal size, those of more documents first.

    Raises:
        EmbedderError: the embedder failed.
    """
    ordered = sorted(gaps, key=lambda gap: (gap.kind, gap.grouping_text, gap.document, gap.block or "", gap.step))
    texts = sorted({gap.grouping_text for gap in ordered})
    if not texts:
        return ()
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    groups: list[CatalogGapGroup] = []
    for kind in sorted({gap.kind for gap in ordered}):
        own = [gap for gap in ordered if gap.kind == kind]
        acts = sorted({gap.grouping_text for gap in own})
        likeness = _likeness([vectors[act] for act in acts])
        weights = Counter(gap.grouping_text for gap in own)
        for members in clusters(likeness, alike):
            groups.append(_group([acts[i] for i in members], likeness[members][:, members], own, weights))
    return tuple(sorted(groups, key=lambda group: (-group.count, -group.documents, group.kind, group.act)))


def clusters(likeness: NDArray[np.float64], alike: float) -> list[list[int]]:
    """Groups by average linkage: the two most alike are joined until none are alike enough.

    Args:
        likeness: similarity of each two, symmetric, shape (items, items).
        alike: mean similarity from which two groups are joined.

    Returns:
        the members of each group in rising order, the groups by their first member.
    """
    import numpy as np

    means = np.round(likeness.astype(np.float64), 6)  # so that the order of equals does not hang on the last bit
    np.fill_diagonal(means, -np.inf)
    members = {index: [index] for index in range(len(means))}
    while len(members) > 1:
        one, other = divmod(int(np.argmax(means)), len(means))  # the first of equals
        if means[one, other] < alike:
            break
        sizes = len(members[one]), len(members[other])
        means[one] = np.round((sizes[0] * means[one] + sizes[1] * means[other]) / sum(sizes), 6)
        means[:, one] = means[one]
        means[one, one] = means[other] = means[:, other] = -np.inf
        members[one] += members.pop(other)
    return [sorted(group) for _, group in sorted(members.items())]


def _likeness(vectors: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
    import numpy as np

    rows = np.stack(vectors).astype(np.float64)
    return np.asarray(rows @ rows.T)


def _group(
    acts: list[str], likeness: NDArray[np.float64], gaps: Sequence[CatalogGap], weights: Counter[str]
) -> CatalogGapGroup:
    """The group of these acts, named by the one that is most like all of its steps."""
    closeness = {
        act: round(sum(float(likeness[row, column]) * weights[other] for column, other in enumerate(acts)), 6)
        for row, act in enumerate(acts)
    }
    name = max(acts, key=lambda act: (closeness[act], -len(act)))
    own = sorted((gap for gap in gaps if gap.grouping_text in closeness), key=lambda gap: -closeness[gap.grouping_text])
    near = Counter(name for gap in own for name in gap.nearest)
    return CatalogGapGroup(
        act=name,
        kind=own[0].kind,
        count=len(own),
        documents=len({gap.document for gap in own}),
        nearest=tuple(sorted(near, key=lambda one: (-near[one], one))[:5]),
        wants=tuple(own),
    )
