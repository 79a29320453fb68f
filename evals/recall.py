"""Recall: is the right Node Type among the first candidates for a step in a policy's words, in and across languages?

Hits at k, in 0..1: the share of phrases whose gold Type is among the first k candidates of the catalog's search.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from catalog.embedders import load_embedder
from catalog.index import NodeIndex
from catalog.load import load_catalog

PHRASES = Path(__file__).resolve().parent.parent / "fixtures" / "search" / "phrases.yaml"
DEPTHS = (1, 5, 10)
Rows = Sequence[tuple[str, str]]  # phrase, Node Type


@dataclass(frozen=True)
class Recall:
    """How often the gold Type was found.

    Args:
        ranks: of each phrase's gold Type, from 1; None where it was not among the candidates.
    """

    ranks: tuple[int | None, ...]

    def hits(self, depth: int) -> float:
        """The share found among the first `depth`.

        >>> Recall((1, 3, None, 7)).hits(5)
        0.5
        """
        return sum(rank is not None and rank <= depth for rank in self.ranks) / len(self.ranks)


def recall(index: NodeIndex, rows: Rows, limit: int = max(DEPTHS)) -> Recall:
    """Search for each phrase.

    Raises:
        ValueError: a Type that the catalog lacks.
    """
    unknown = [name for _, name in rows if name not in index.catalog.node_types]
    if unknown:
        raise ValueError(f"the catalog has no Node Type {unknown[0]!r}")
    found = index.search_many([phrase for phrase, _ in rows], limit=limit)
    names = [[candidate.type for candidate in candidates] for candidates in found]
    pairs = zip(rows, names, strict=True)
    return Recall(tuple(these.index(name) + 1 if name in these else None for (_, name), these in pairs))


def phrases(path: Path = PHRASES) -> dict[str, list[tuple[str, str]]]:
    """The phrases of a file by direction (`zh→en`: a Chinese phrase for a Type known by its English meaning)."""
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {direction: [(str(phrase), str(name)) for phrase, name in rows] for direction, rows in read.items()}


def table(index: NodeIndex, groups: Mapping[str, Rows]) -> str:
    """A line a direction and one for all, then the phrases that were not found among five."""
    found = {name: recall(index, rows, limit=len(index.catalog.node_types)) for name, rows in groups.items()}
    found["all"] = Recall(tuple(rank for one in found.values() for rank in one.ranks))
    lines = ["direction  phrases  " + "  ".join(f"hits@{depth:<2}" for depth in DEPTHS)]
    for name, one in found.items():
        lines.append(f"{name:9}  {len(one.ranks):7}  " + "  ".join(f"{one.hits(depth):7.3f}" for depth in DEPTHS))
    for name, rows in groups.items():
        for (phrase, wanted), rank in zip(rows, found[name].ranks, strict=True):
            if rank is None or rank > DEPTHS[1]:
                lines.append(f"  {name}: rank {rank}: “{phrase}” wants {wanted}")
    return "\n".join(lines)


def main() -> int:
    """Print the table for files of phrases."""
    parser = argparse.ArgumentParser(prog="python -m evals.recall", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[], help="phrases by direction; those of the fixtures")
    parser.add_argument("--embedder", default="default")
    given = parser.parse_args()
    index = NodeIndex(load_catalog(), load_embedder(given.embedder).embedder)
    for path in given.files or sorted(PHRASES.parent.glob("*.yaml")):
        print(f"{path.name}\n{table(index, phrases(path))}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
