"""Pictures of workflows: every node and edge is there, told apart, in the reader's words, and nothing can break out."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from emit_hostile import HOSTILE, hostile
from emit_samples import claims_review, hazmat_review, large_workflow

from compiler.report.graph.drawing import acting, draw
from compiler.report.graph.layout import Box
from compiler.report.graph.mermaid import render_mermaid
from compiler.report.graph.sections import Section, fold
from compiler.report.graph.svg import render_svg
from compiler.report.graph.theme import GREY
from compiler.report.readers_words import Reader
from compiler.report.words import Words
from ir.diagnostics import Severity
from ir.predicate import parse_tree
from ir.workflow import Edge, Workflow

SVG = "{http://www.w3.org/2000/svg}"


def by_attribute(svg: str, name: str) -> dict[str, ElementTree.Element]:
    """The groups of a picture by the value of an attribute."""
    return {found.attrib[name]: found for found in ElementTree.fromstring(svg).iter(f"{SVG}g") if name in found.attrib}


def test_every_node_and_edge_is_drawn() -> None:
    """Nodes bear their id, edges their index and ends, and each has a title."""
    workflow = hazmat_review().workflow
    svg = render_svg(workflow)
    nodes, edges = by_attribute(svg, "data-node"), by_attribute(svg, "data-edge")
    assert set(nodes) == set(workflow.nodes)
    assert set(edges) == {str(index) for index in range(len(workflow.edges))}
    assert edges["2"].attrib["data-from"] == "mode_check"
    assert all(group.findtext(f"{SVG}title") for group in (*nodes.values(), *edges.values()))


def test_kinds_have_shapes_of_their_own() -> None:
    """A decision is a polygon, others rectangles with different corners; what primers put in is dashed and says so."""
    review = hazmat_review()
    nodes = by_attribute(render_svg(review.workflow, catalog=review.catalog), "data-node")
    assert nodes["mode_check"].find(f"{SVG}polygon") is not None
    corners = {name: nodes[name].find(f"{SVG}rect").attrib["rx"] for name in ("level", "escort", "end_done")}  # type: ignore[union-attr] # each has one
    assert len(set(corners.values())) == 3
    assert "stroke-dasharray" in nodes["ask_level"].find(f"{SVG}rect").attrib  # type: ignore[union-attr]
    assert "stroke-dasharray" not in nodes["level"].find(f"{SVG}rect").attrib  # type: ignore[union-attr]
    assert "引子" in "".join(nodes["ask_level"].itertext())


def test_unmapped_steps_do_not_look_like_those_of_people() -> None:
    """What no Type fits says so, with a border and corners of its own."""
    review = hazmat_review()
    nodes = by_attribute(render_svg(review.workflow, catalog=review.catalog), "data-node")
    shape = nodes["escort"].find(f"{SVG}rect")
    assert shape is not None and shape.attrib["stroke-dasharray"] == "2 3"
    assert "kind-unmapped" in nodes["escort"].attrib["class"] and "未映射的步骤" in "".join(nodes["escort"].itertext())


def test_lanes_have_one_column_for_each_who_acts() -> None:
    """Each node stands in the column of its actor; no line runs through a node."""
    review = hazmat_review()
    drawing = draw(review.workflow, Reader(review.workflow, review.catalog), lanes=True)
    names = [lane.name for lane in drawing.lanes]
    assert len(set(names)) == len(names) > 1
    for node_id, node in review.workflow.nodes.items():
        box, who = drawing.layout.boxes[node_id], acting(node, Reader(review.workflow, review.catalog))
        lane = drawing.lanes[names.index(who)] if who else drawing.lanes[names.index("未写明由谁")]
        assert lane.x <= box.x and box.right <= lane.x + lane.width
    boxes = drawing.layout.boxes.values()
    assert not any(one.meets(other) for one in boxes for other in boxes if one is not other)
    for route in drawing.layout.routes:
        for (x, y), (to, below) in pairwise(route.points):
            upright = Box(x - 0.5, min(y, below) + 1, 1.0, abs(below - y) - 2)
            assert x != to or not any(box.meets(upright) for box in boxes)


def test_sections_are_folded_until_they_are_opened() -> None:
    """A section of several nodes is one box with their number; edges keep the numbers that they have."""
    review = hazmat_review()
    names = list(review.workflow.nodes)
    sections = {name: Section("h1", "Checks") for name in names[:3]} | {names[3]: Section("h2", "Alone")}
    folded = fold(review.workflow, sections, frozenset(), Words("en"))
    box = folded.workflow.nodes["section:h1"]
    assert (box.label, box.actor) == ("Checks", "3 nodes")
    assert len(folded.workflow.nodes) == len(names) - 2 and names[3] in folded.workflow.nodes
    for edge, number in zip(folded.workflow.edges, folded.edges, strict=True):
        whole = review.workflow.edges[number]
        assert edge.source in (whole.source, "section:h1") and edge.target in (whole.target, "section:h1")
    assert fold(review.workflow, sections, {"h1"}, Words("en")).workflow == review.workflow


def test_conditions_are_in_the_readers_words() -> None:
    """An edge says its condition with the names of fields and values; its title has the infix form as well."""
    review = hazmat_review()
    edges = by_attribute(render_svg(review.workflow, catalog=review.catalog), "data-edge")
    words = "".join(edges["2"].itertext())
    assert "危险等级 ∈ {一类、二类} 且 运输方式 = 公路" in words
    assert "$.outputs.level.hazard_level in [1, 2]" in words
    assert "否则" in "".join(edges["3"].itertext())
    assert "失败时" in "".join(edges["12"].itertext())
    english = by_attribute(render_svg(claims_review().workflow), "data-edge")
    assert "otherwise" in "".join(english["4"].itertext())


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"eq": ["$.outputs.filing.has_filing", False]}, "未备案"),
        ({"ne": ["$.outputs.filing.has_filing", False]}, "已备案"),
        ({"is_null": "$.outputs.identify.cas_number"}, "CAS号 缺失"),
        ({"eq": ["$.outputs.approve.approved", False]}, "不同意"),
        ({"gt": ["$.inputs.quantity_kg", 500]}, "运输数量 > 500 kg"),
        ({"not": {"gt": ["$.inputs.quantity_kg", 500]}}, "非（运输数量 > 500 kg）"),
        ({"eq": ["$.outputs.ask_level.hazard_level", "$.outputs.level.hazard_level"]},
         "补充危险等级·危险等级 = 查询危险等级·危险等级"),
        ({"or": [{"and": [{"eq": ["$.inputs.transport_mode", "公路"]}, {"gt": ["$.inputs.quantity_kg", 1]}]},
                 {"eq": ["$.inputs.transport_mode", "铁路"]}]},
         "(运输方式 = 公路 且 运输数量 > 1 kg) 或 运输方式 = 铁路"),
    ],
)  # fmt: skip
def test_condition_in_words(condition: object, words: str) -> None:
    """Booleans by the concept's words, units of the field, nested junctions in brackets, equal names told apart."""
    review = hazmat_review()
    assert Reader(review.workflow, review.catalog).condition(parse_tree(condition)) == words


def test_faults_are_marked() -> None:
    """A node with an error bears a mark, one with a mere notice does not."""
    review = hazmat_review()
    svg = render_svg(review.workflow, faults={"level": Severity.ERROR, "filing": Severity.INFO})
    nodes = by_attribute(svg, "data-node")
    assert nodes["level"].find(f"{SVG}circle") is not None
    assert nodes["filing"].find(f"{SVG}circle") is None


def test_faulty_workflows_are_drawn() -> None:
    """Cycles, edges to themselves and edges to nodes that are not there do not stop the drawing."""
    workflow = hazmat_review().workflow
    more = (
        Edge(source="summary", target="identify"),
        Edge(source="level", target="level"),
        Edge(source="x", target="y"),
    )
    faulty = workflow.model_copy(update={"edges": (*workflow.edges, *more)})
    nodes = by_attribute(render_svg(faulty), "data-node")
    assert {"x", "y"} <= set(nodes)
    assert "缺少的节点" in "".join(nodes["y"].itertext())
    assert "n0 -->" in render_mermaid(faulty)


def test_nothing_overlaps_in_a_large_workflow() -> None:
    """Sixty nodes are drawn without boxes or labels over each other."""
    workflow = large_workflow()
    layout = draw(workflow, Reader(workflow)).layout
    boxes = [*layout.boxes.values(), *(route.label for route in layout.routes if route.label)]
    assert len(layout.boxes) == 61
    assert not any(one.meets(other) for index, one in enumerate(boxes) for other in boxes[:index])


def test_hostile_text_stays_text() -> None:
    """Markup in any text of a workflow, ids included, is shown, not obeyed."""
    workflow = hostile(hazmat_review()).workflow
    root = ElementTree.fromstring(render_svg(workflow))
    assert not [found for found in root.iter() if found.tag.lower().endswith("script")]
    assert not [name for found in root.iter() for name in found.attrib if name.lower().startswith("on")]
    assert HOSTILE in "".join(root.itertext())


def test_pictures_do_not_change() -> None:
    """The same workflow always gives the same picture, whatever the theme of another."""
    workflow = large_workflow()
    assert render_svg(workflow) == render_svg(workflow) != render_svg(workflow, theme=GREY)


def test_mermaid_has_every_node_and_edge() -> None:
    """Nodes by shape, edges with their conditions, primers named."""
    review = hazmat_review()
    text = render_mermaid(review.workflow, catalog=review.catalog)
    assert text.startswith("flowchart TD\n")
    assert text.count("-->") + text.count("-.->") == len(review.workflow.edges) + 1
    assert "n2{{" in text
    assert "〔引子〕" in text
    assert 'n2 -->|"危险等级 ∈ #123;一类、二类#125; 且 运输方式 = 公路 且 运输方式许可：是"| n3' in text


def test_mermaid_escapes_hostile_text() -> None:
    """What Mermaid or a browser could take for more than text is a character code."""
    text = render_mermaid(hostile(hazmat_review()).workflow)
    assert "<script" not in text
    assert "#60;script#62;" in text


def test_empty_workflow_is_drawn() -> None:
    """A draft without nodes gives an empty picture, not a failure."""
    workflow = hazmat_review().workflow
    empty = Workflow(
        workflow_id="w", version="v1", inputs={}, nodes={}, edges=(), execution_policy=workflow.execution_policy
    )
    assert ElementTree.fromstring(render_svg(empty)).tag == f"{SVG}svg"
    assert "flowchart" in render_mermaid(empty)
