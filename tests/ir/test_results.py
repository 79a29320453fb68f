"""What a run gives: by its ends, by the outputs, by default; of arrays; and on which words."""

from typing import Any

from test_walk import ONE, TWO, arrow, end, made

from ir.walk import Given, Outcome, WalkResult, start, walk
from ir.workflow import Workflow

QUOTE = [{"doc_id": "d.md", "quote": "the class of the goods"}]
CLASS = {"type": "string", "enum": ["A", "B", "Unable to decide"], "evidence": QUOTE}
LIST = {"type": "array", "items": {"type": "string"}}


def classified(**rest: Any) -> Workflow:
    """`s` leads to an end that gives what `s` gave, or to an early one that gives what the text says."""
    nodes = {
        "s": {},
        "early": end("completed", results={"class": "Unable to decide"}, evidence=QUOTE),
        "done": end("completed", results={"class": "$.outputs.s.class"}),
    }
    edges = [arrow("s", "early", ONE, evidence=QUOTE), arrow("s", "done", "otherwise")]
    return made(nodes, edges, results={"class": CLASS}, **rest)


def side_by_side(first: dict[str, Any], second: dict[str, Any], **spec: Any) -> WalkResult:
    """How a run ends that comes to both of two ends."""
    workflow = made({"s": {}, "x": first, "y": second}, [arrow("s", "x"), arrow("s", "y")], results={"found": spec})
    return walk(workflow, {"a": 1}, {}).result


def test_an_end_gives_what_it_says() -> None:
    """A literal where the text decides, a reference where a node found it."""
    workflow = classified()
    assert walk(workflow, {"a": 1}, {"s": {"class": "A"}}).result.outputs == {"class": "Unable to decide"}
    assert walk(workflow, {"a": 2}, {"s": {"class": "A"}}).result.outputs == {"class": "A"}


def test_a_given_value_says_where_it_comes_from() -> None:
    """The words that name the result, those of the end, and those of the edge by which the run came there."""
    given = walk(classified(), {"a": 1}, {}).result.given["class"]
    assert (given.by, given.nodes, len(given.evidence)) == ("end", ("early",), 3)


def test_where_no_end_gives_a_result_its_output_does_and_else_its_default() -> None:
    """In this order; a default is not for a run that came to no end."""
    found = {"type": "string", "default": "none", "evidence": QUOTE}
    nodes, edges = {"s": {}, "e": end("completed")}, [arrow("s", "e", ONE), arrow("s", "e", TWO)]
    workflow = made(nodes, edges, results={"found": found}, outputs={"found": "$.outputs.s.v"})
    by_output = walk(workflow, {"a": 1}, {"s": {"v": "some"}}).result
    by_default = walk(workflow, {"a": 1}, {"s": {"v": None}}).result
    assert (by_output.outputs["found"], by_output.given["found"].nodes) == ("some", ("s",))
    assert by_default.given["found"] == Given("none", "default", (), workflow.results["found"].evidence)
    for outputs in ({"s": {"$error": "DOWN"}}, {}):
        unfinished = walk(workflow, {"a": 0}, outputs).result
        assert (unfinished.status in ("failed", "undecided"), unfinished.outputs["found"]) == (True, None)


def test_of_an_array_every_end_gives_members_and_each_once() -> None:
    """Lists and single members are put together in the order of the nodes; null gives none."""
    both = side_by_side(
        end("completed", results={"found": ["late", "damaged"]}), end("completed", results={"found": "damaged"}), **LIST
    )
    assert both.outputs == {"found": ["late", "damaged"]}
    assert both.given["found"].nodes == ("x", "y")
    none = side_by_side(end("completed", results={"found": {"value": None}}), end("completed"), **LIST, default=[])
    assert none.outputs == {"found": []}


def test_of_unequal_ends_the_worse_gives_the_result() -> None:
    """As it gives the status."""
    result = side_by_side(
        end("completed", results={"found": "fine"}),
        end("rejected", "NO", results={"found": "bad"}),
        type="string",
    )
    assert (result.status, result.outputs) == ("rejected", {"found": "bad"})


def test_a_run_under_way_has_given_nothing_yet() -> None:
    """Results are there when an end is reached, whoever drives the run."""
    run = start(classified(), {"a": 1})
    assert run.result.outputs == {"class": None}
    assert run.take("s", Outcome()).result.outputs == {"class": "Unable to decide"}
