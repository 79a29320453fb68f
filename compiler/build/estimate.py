"""What a build with a model would ask and may cost, found out without asking it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from compiler.build.builder import Progress, compile_documents
from compiler.build.scheduler import Settings
from ir.procedure import Procedure
from llm.choice import ModelChoice, open_counting
from llm.counting import CountedRequest
from llm.prices import Price


@dataclass(frozen=True)
class Estimate:
    """The requests of a build.

    The passes run as in a build. A request whose answer is kept is answered; for one that is not, the deterministic
    reading stands in, so that what is asked about its outcome is counted for the procedures that cue words find.

    Args:
        model: name and host.
        documents: ids, also of those about which nothing is asked.
        counted: every request, in no order.
        price: None where it is unknown.
    """

    model: str
    documents: tuple[str, ...]
    counted: tuple[CountedRequest, ...]
    price: Price | None

    def about_document(self, document: str) -> "Sums":
        """The requests about a document; with an empty id, those about none."""
        return self._sums(one for one in self.counted if one.document == document)

    def by_purpose(self) -> dict[str, "Sums"]:
        """The requests of each pass that asks."""
        purposes = dict.fromkeys(one.purpose for one in self.counted)
        return {name: self._sums(one for one in self.counted if one.purpose == name) for name in sorted(purposes)}

    @property
    def total(self) -> "Sums":
        """All requests."""
        return self._sums(self.counted)

    def _sums(self, counted: Iterable[CountedRequest]) -> "Sums":
        found = list(counted)
        asked = [one for one in found if not one.kept]
        sent, most_sent, received = (
            sum(getattr(one, name) for one in asked) for name in ("sent", "most_sent", "most_received")
        )
        usd = None if self.price is None else self.price.cost(sent, 0)
        most = None if self.price is None else self.price.cost(most_sent, received)
        return Sums(len(asked), len(found) - len(asked), sent, most_sent, received, usd, most)


@dataclass(frozen=True)
class Sums:
    """Requests together, each sent once.

    Args:
        calls: requests that would be sent.
        kept: requests that were answered before.
        sent: tokens, about; `most_sent`, `most_received` cannot be exceeded.
        usd_sent: what is sent would cost, about, without an answer; None where the price is unknown.
        usd_most: the most that sending once and the answer can cost.
    """

    calls: int
    kept: int
    sent: int
    most_sent: int
    most_received: int
    usd_sent: float | None
    usd_most: float | None


def estimate(
    paths: Sequence[str | Path],
    choice: ModelChoice,
    settings: Settings,
    *,
    procedures: Sequence[Procedure] = (),
    progress: Progress = lambda stage, done, total: None,
) -> Estimate:
    """Count the requests of a build; nothing is sent.

    Raises:
        CompilerError: as `compile_documents`; no model is named.
    """
    counting, opened = open_counting(choice)
    build = compile_documents(paths, replace(settings, model=opened), procedures=procedures, progress=progress)
    documents = tuple(result.doc_id for result in build.documents)
    return Estimate(counting.name, documents, tuple(counting.counted), opened.accounts.whole.price)
