"""Cases of a workflow that people judged, as they are kept beside its documents: `NAME.tests.json`."""

from typing import Literal

from pydantic import JsonValue

from ir.base import Model
from ir.scenario import ExpectedResult, Scenario

SUFFIX = ".tests.json"
CaseVerdict = Literal["right", "wrong", "unsure"]


class NodeAnchor(Model):
    """What a node is found again by after the documents were compiled anew, when its id may be another's.

    Args:
        quotes: the words that it rests on.
        status, reason_code: of an end.
    """

    type: str
    label: str | None = None
    quotes: tuple[str, ...] = ()
    status: str | None = None
    reason_code: str | None = None


class CaseClause(Model):
    """A place of a document that decides a case.

    Args:
        name: as people cite it: `第十二条（一）`.
        quote: its words.
    """

    name: str
    quote: str
    doc_id: str


class Judgement(Model):
    """What a person said of a case.

    Args:
        author: who judged.
        time: when, ISO 8601 with its offset from UTC.
        comment: of a case that is not wrong, what was said of it.
        should: of a wrong case, what should happen, in words.
        result: of a wrong case, how the run should end, where that was said.
        must, must_not: of a wrong case, the nodes that should run, and those that should not.
    """

    verdict: CaseVerdict
    author: str
    time: str
    comment: str | None = None
    should: str | None = None
    result: ExpectedResult | None = None
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()


class KeptCase(Model):
    """One case.

    Args:
        id: unique in the file.
        told: the case in words, as it was shown to who judged it.
        point: which target it is for; cases of the same point are one case.
        scenario: what the run is given, the way that it took and how it ended when the case was told.
        by_rows: by node what the rows of its rule pack gave then.
        judgement: None as long as nobody judged it.
    """

    id: str
    told: str
    point: str
    clauses: tuple[CaseClause, ...] = ()
    scenario: Scenario
    by_rows: dict[str, dict[str, JsonValue]] = {}
    judgement: Judgement | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """The nodes that it names, each once."""
        said = self.judgement
        steps = (*said.must, *said.must_not) if said is not None else ()
        return tuple(dict.fromkeys((*self.scenario.outputs, *(self.scenario.path or ()), *steps)))


class KeptCases(Model):
    """A file of kept cases.

    Args:
        workflow: id of the workflow.
        usual: what holds where a case does not say otherwise, in words.
        nodes: by id all nodes that the cases name.
    """

    workflow: str
    usual: str = ""
    nodes: dict[str, NodeAnchor]
    cases: tuple[KeptCase, ...]
